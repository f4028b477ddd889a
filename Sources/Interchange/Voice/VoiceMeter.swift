internal import Glibc
package import MulticamMedia

/// Measures the voice level of one microphone every 10 ms in each of eight bands from 150 Hz to 4.8 kHz.
///
/// Rumble below and hiss above the bands would hide quiet voices. Within a band, a voice can be louder than
/// noise or another voice that is louder overall. Each retained period of 10 ms takes 32 bytes of memory.
package struct VoiceMeter: Sendable {
    /// Mean power of each band. Full scale is 1.
    package typealias Powers = SIMD8<Float>

    /// Number of samples per level at 48 kHz.
    package static let samplesPerLevel = 480
    /// Level of digital silence, and of periods without a recording, in decibels.
    package static let silence: Float = -120

    /// Powers in 10 ms steps since T0, without the powers that have been dropped.
    package private(set) var powers: [Powers] = []
    /// Number of powers that have been dropped at the beginning.
    package private(set) var droppedCount = 0
    /// Number of powers since T0.
    package var count: Int { droppedCount + powers.count }
    private var power = Powers.zero
    private var sampleCount = 0
    private var (near, far) = (Powers.zero, Powers.zero)

    /// Creates a meter that starts at T0.
    package init() {}

    /// Returns the level of all bands in decibels relative to full scale, at least `silence`.
    package static func level(of powers: Powers) -> Float {
        // The bands overlap, so their sum is too large.
        max(silence, 10 * log10(powers.sum() * 0.66 + 1e-13))
    }

    /// Processes the next samples: 48 kHz, one channel, full scale ±1.
    package mutating func add(_ samples: some Sequence<Float>) {
        let filter = Self.filter
        for sample in samples {
            // During digital silence, the filter states would become denormal numbers, which slow down
            // processors.
            let value = (sample.isFinite ? max(-2, min(sample, 2)) : 0) + 1e-9
            let entering = filter.gain * value
            let band = entering + near
            near = far - filter.first * band
            far = -entering - filter.second * band
            power += band * band
            sampleCount += 1
            if sampleCount == Self.samplesPerLevel { finishLevel() }
        }
    }

    /// Starts the measurement at an instant instead of T0, for continuous use. Has no effect after the first sample.
    package mutating func begin(at time: MediaTime) {
        guard count == 0, sampleCount == 0 else { return }
        droppedCount = max(0, Int(time.ticks(perSecond: 48_000)) / Self.samplesPerLevel)
    }

    /// Appends silence up to an instant, for a period without a recording.
    package mutating func skip(to time: MediaTime) {
        let wanted = time.ticks(perSecond: 48_000) / Int64(Self.samplesPerLevel)
        if sampleCount > 0, Int64(count) < wanted { finishLevel() }
        // Two days contain 17 million levels.
        while Int64(count) < min(wanted, 20_000_000) { powers.append(.zero) }
    }

    /// Drops the powers before an index counted from T0, for continuous use. Afterward, at most twice the
    /// requested number of powers remain, and at least one second.
    package mutating func drop(before index: Int) {
        let old = min(index, count) - droppedCount
        guard old > max(100, powers.count / 2) else { return }
        powers.removeFirst(old)
        droppedCount += old
    }

    private mutating func finishLevel() {
        powers.append(power / Float(max(sampleCount, 1)))
        (power, sampleCount) = (.zero, 0)
    }

    /// Width of each band in hertz.
    static let widths = Powers(110, 150, 210, 300, 430, 650, 1000, 1800)
    /// Parallel second-order band-pass filters (R. Bristow-Johnson, Cookbook formulae for audio equalizer biquad filter
    /// coefficients: BPF, constant 0 dB peak gain).
    private static let filter: (gain: Powers, first: Powers, second: Powers) = {
        var (gain, first, second) = (Powers.zero, Powers.zero, Powers.zero)
        var low = 150.0
        for band in widths.indices {
            let width = Double(widths[band])
            let middle = 2 * Double.pi * (low * (low + width)).squareRoot() / 48_000
            let share = sin(middle) * width / (2 * (low * (low + width)).squareRoot())
            gain[band] = Float(share / (1 + share))
            first[band] = Float(-2 * cos(middle) / (1 + share))
            second[band] = Float((1 - share) / (1 + share))
            low += width
        }
        return (gain, first, second)
    }()
}
