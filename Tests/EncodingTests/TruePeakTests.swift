import MulticamSeededNoise
import Testing

@testable import MulticamEncoding

@Suite("True peaks")
struct TruePeakTests {
    /// Returns the true peak that libebur128 measures from all samples.
    private func everything(_ samples: [Float], channels: Int) throws -> Double {
        let state = try OwnedLoudnessState(.truePeak, channels: channels, name: "all")
        try samples.withUnsafeBufferPointer { try state.add($0) }
        return state.truePeak
    }

    /// Returns more than a second of audio whose level changes every few milliseconds, up to 0.9 of full
    /// scale.
    private func audio(channels: Int, seed: UInt64) -> [Float] {
        var random = SeededGenerator(seed: seed)
        var samples: [Float] = []
        var level: Float = 0
        for frame in 0..<60_000 {
            if frame % Int.random(in: 1...400, using: &random) == 0 {
                level = [0, 0.01, 0.1, 0.2, 0.5, 0.9].randomElement(using: &random) ?? 0
            }
            for _ in 0..<channels { samples.append(level * Float.random(in: -1...1, using: &random)) }
        }
        return samples
    }

    @Test(
        "skipped samples never affect the result, for any slicing",
        arguments: [1, 2], [1, 2, 3, 4, 5, 6] as [UInt64])
    func exactness(channels: Int, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 100)
        let samples = audio(channels: channels, seed: seed)
        let meter = try TruePeakMeter(channels: channels, name: "some")
        var start = 0
        while start < samples.count {
            let longest = seed % 2 == 0 ? 40 : 6000
            let count = Int.random(in: 1...longest, using: &random) * channels
            let end = min(start + count, samples.count)
            try samples[start..<end].withUnsafeBufferPointer { try meter.add($0) }
            start = end
            // The value is checked at any time, not only after the highest peak.
            if seed == 3 || end == samples.count {
                #expect(meter.highest == (try everything(Array(samples[..<end]), channels: channels)))
                if seed == 3, end > 20_000 { break }
            }
        }
    }

    @Test("a tone sampled off its crests has a true peak 3 dB above its samples")
    func crests() throws {
        // The tone has a quarter of the sample rate and is 45° off. Every sample is at 0.5 / √2 of full
        // scale, and the crests are at 0.5.
        let samples = (0..<48_000).map { frame -> Float in
            [1, 1, -1, -1][frame % 4] * 0.5 * Float(0.5).squareRoot()
        }
        let meter = try TruePeakMeter(channels: 1, name: "tone")
        try samples.withUnsafeBufferPointer { try meter.add($0) }
        #expect(abs(meter.highest - 0.5) < 0.01)
    }
}
