internal import Foundation
public import Media

/// Measures how loud the voice on one microphone is, every 10 ms: the level of the band from 150 Hz to 4 kHz.
///
/// Rumble below and hiss above that band would hide quiet voices. Memory grows by four bytes for each 10 ms.
public struct VoiceMeter: Sendable {
    /// Samples of one level at 48 kHz.
    public static let samplesPerLevel = 480
    /// The level of digital silence, and of stretches for which nothing was recorded.
    public static let silence: Float = -120

    /// Level of each 10 ms since T0 in decibels below full scale.
    public private(set) var levels: [Float] = []
    private var power: Double = 0
    private var count = 0
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
            count += 1
            if count == Self.samplesPerLevel { finishLevel() }
        }
    }

    /// Fills with silence up to an instant, where nothing was recorded.
    public mutating func skip(to time: MediaTime) {
        let wanted = time.ticks(perSecond: 48_000) / Int64(Self.samplesPerLevel)
        if count > 0, Int64(levels.count) < wanted { finishLevel() }
        // A day has 8.6 million levels.
        while Int64(levels.count) < min(wanted, 100_000_000) { levels.append(Self.silence) }
    }

    private mutating func finishLevel() {
        let mean = power / Double(max(count, 1))
        levels.append(max(Self.silence, Float(10 * log10(mean + 1e-13))))
        (power, count) = (0, 0)
    }

    /// Poles of first-order filters at 150 Hz and 4 kHz.
    private static let highShare = exp(-2 * Double.pi * 150 / 48_000)
    private static let lowShare = 1 - exp(-2 * Double.pi * 4_000 / 48_000)
}
