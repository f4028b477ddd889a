internal import Glibc
public import Media

/// Measures how loud the voice on one microphone is, every 10 ms: the level of the band from 150 Hz to 4 kHz.
///
/// Rumble below and hiss above that band would hide quiet voices. Memory grows by four bytes for each 10 ms that
/// are not forgotten.
public struct VoiceMeter: Sendable {
    /// Samples of one level at 48 kHz.
    public static let samplesPerLevel = 480
    /// The level of digital silence, and of stretches for which nothing was recorded.
    public static let silence: Float = -120

    /// Level of each 10 ms in decibels below full scale: since T0, but for those that were forgotten.
    public private(set) var levels: [Float] = []
    /// How many levels were forgotten, the oldest ones.
    public private(set) var forgotten = 0
    /// Number of levels since T0.
    public var count: Int { forgotten + levels.count }
    private var power: Double = 0
    private var sampleCount = 0
    private var low: Double = 0
    private var high: Double = 0
    private var last: Double = 0

    /// Begins at T0.
    public init() {}

    /// Takes the next samples at 48 kHz, one channel, full scale ±1.
    public mutating func add(_ samples: some Sequence<Float>) {
        for sample in samples {
            let value = sample.isFinite ? Double(max(-2, min(sample, 2))) : 0
            high = Self.highShare * (high + value - last)
            last = value
            low += Self.lowShare * (high - low)
            power += low * low
            sampleCount += 1
            if sampleCount == Self.samplesPerLevel { finishLevel() }
        }
    }

    /// Fills with silence up to an instant, where nothing was recorded.
    public mutating func skip(to time: MediaTime) {
        let wanted = time.ticks(perSecond: 48_000) / Int64(Self.samplesPerLevel)
        if sampleCount > 0, Int64(count) < wanted { finishLevel() }
        // A day has 8.6 million levels.
        while Int64(count) < min(wanted, 100_000_000) { levels.append(Self.silence) }
    }

    /// Forgets the levels before an index that counts from T0; for whoever listens without end. At most twice as many as are
    /// wanted stay, and at least a second.
    public mutating func forget(before index: Int) {
        let old = min(index, count) - forgotten
        guard old > max(100, levels.count / 2) else { return }
        levels.removeFirst(old)
        forgotten += old
    }

    private mutating func finishLevel() {
        let mean = power / Double(max(sampleCount, 1))
        levels.append(max(Self.silence, Float(10 * log10(mean + 1e-13))))
        (power, sampleCount) = (0, 0)
    }

    /// Poles of first-order filters at 150 Hz and 4 kHz.
    private static let highShare = exp(-2 * Double.pi * 150 / 48_000)
    private static let lowShare = 1 - exp(-2 * Double.pi * 4_000 / 48_000)
}
