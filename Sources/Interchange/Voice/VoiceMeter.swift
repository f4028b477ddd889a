internal import Glibc
public import Media

/// Measures how loud the voice on one microphone is, every 10 ms, in each of eight bands from 150 Hz to 4.8 kHz.
///
/// Rumble below and hiss above the bands would hide quiet voices. Within a band a voice stands out of noise, and of another voice, that
/// is louder beside it. Memory grows by 32 bytes for each 10 ms that are not forgotten.
public struct VoiceMeter: Sendable {
    /// The mean power of each band; full scale is 1.
    public typealias Powers = SIMD8<Float>

    /// Samples of one level at 48 kHz.
    public static let samplesPerLevel = 480
    /// The level of digital silence in decibels, and of stretches for which nothing was recorded.
    public static let silence: Float = -120

    /// Powers of each 10 ms: since T0, but for those that were forgotten.
    public private(set) var powers: [Powers] = []
    /// How many were forgotten, the oldest ones.
    public private(set) var forgotten = 0
    /// Number of powers since T0.
    public var count: Int { forgotten + powers.count }
    private var power = Powers.zero
    private var sampleCount = 0
    private var (near, far) = (Powers.zero, Powers.zero)

    /// Begins at T0.
    public init() {}

    /// The level of all bands in decibels below full scale, `silence` at least.
    public static func level(of powers: Powers) -> Float {
        // Bands overlap, so that their sum is too much.
        max(silence, 10 * log10(powers.sum() * 0.66 + 1e-13))
    }

    /// Takes the next samples at 48 kHz, one channel, full scale ±1.
    public mutating func add(_ samples: some Sequence<Float>) {
        let filter = Self.filter
        for sample in samples {
            // In digital silence what filters keep would become so small that processors are slow with it.
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

    /// Fills with silence up to an instant, where nothing was recorded.
    public mutating func skip(to time: MediaTime) {
        let wanted = time.ticks(perSecond: 48_000) / Int64(Self.samplesPerLevel)
        if sampleCount > 0, Int64(count) < wanted { finishLevel() }
        // Two days have 17 million.
        while Int64(count) < min(wanted, 20_000_000) { powers.append(.zero) }
    }

    /// Forgets the powers before an index that counts from T0; for whoever listens without end. At most twice as many as are
    /// wanted stay, and at least a second.
    public mutating func forget(before index: Int) {
        let old = min(index, count) - forgotten
        guard old > max(100, powers.count / 2) else { return }
        powers.removeFirst(old)
        forgotten += old
    }

    private mutating func finishLevel() {
        powers.append(power / Float(max(sampleCount, 1)))
        (power, sampleCount) = (.zero, 0)
    }

    /// Width of each band in hertz.
    static let widths = Powers(110, 150, 210, 300, 430, 650, 1000, 1800)
    /// Band passes of second order side by side (R. Bristow-Johnson, Cookbook formulae for audio equalizer biquad filter coefficients:
    /// BPF, constant 0 dB peak gain).
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
