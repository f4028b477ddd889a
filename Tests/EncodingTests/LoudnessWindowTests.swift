import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamEncoding

@Suite("Momentary and short-term loudness")
struct LoudnessWindowTests {
    /// Returns ffmpeg's momentary and short-term loudness every tenth of a second. A missing value, or a
    /// value of -120 or less, means silence.
    private func measured(_ audio: [Float], channels: Int) throws -> [(momentary: Double, shortTerm: Double)]
    {
        let bench = try Workbench()
        let path = try bench.write(audio.withUnsafeBytes { [UInt8]($0) }, "audio.f32")
        let output = try bench.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "f32le", "-ar", "48000", "-ac", "\(channels)", "-i", path, "-af",
                "ebur128=metadata=1,ametadata=print:file=-", "-f", "null", "-",
            ])
        let text = String(decoding: output, as: UTF8.self)
        func values(_ key: String) -> [Double] {
            text.split(separator: "\n").compactMap { line in
                line.hasPrefix("lavfi.r128.\(key)=") ? Double(line.dropFirst(13)) : nil
            }.map { $0.isNaN ? -200 : $0 }
        }
        return zip(values("M"), values("S")).map { (momentary: $0, shortTerm: $1) }
    }

    @Test("loudness is undefined three seconds after the last sound, and never falls below silence")
    func silence() throws {
        var random = SeededGenerator(seed: 3)
        let meter = try LoudnessMeter(channels: 1, name: "host")
        try meter.add((0..<48_000).map { _ in Float.random(in: -0.5...0.5, using: &random) })
        for tenth in 1...60 {
            try meter.add([Float](repeating: 0, count: 4800))
            let loudness = meter.loudness
            // One block at -120 LUFS among four or thirty silent blocks lowers the mean by 6 or 15 dB.
            #expect((loudness.momentary ?? 0) > -127 && (loudness.shortTerm ?? 0) > -136)
            if tenth > 31 { #expect(loudness.momentary == nil && loudness.shortTerm == nil) }
        }
    }

    @Test(
        "loudness over 0.4 s and 3 s equals ffmpeg's every tenth of a second, for any slicing",
        arguments: [1, 2], [1, 2] as [UInt64])
    func windows(channels: Int, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tenth = 4800
        // The audio has five seconds of varying loudness, and the third second is silent.
        let audio = (0..<50 * tenth).flatMap { frame in
            let level: Float = frame / 48_000 == 2 ? 0 : [0.01, 0.3, 0.05][frame / 9000 % 3]
            return (0..<channels).map { _ in level * Float.random(in: -1...1, using: &random) }
        }
        let expected = try measured(audio, channels: channels)
        try #require(expected.count == 50)
        let meter = try LoudnessMeter(channels: channels, name: "host")
        for (place, expected) in expected.enumerated() {
            let part = Array(audio[place * tenth * channels..<(place + 1) * tenth * channels])
            let cut = Int.random(in: 0...tenth, using: &random) * channels
            try meter.add(Array(part[..<cut]))
            try meter.add(Array(part[cut...]))
            let loudness = meter.loudness
            // ffmpeg reports no values until the first window is full. Values below -70 LUFS are only filter
            // ringing.
            if place >= 3 {
                #expect(
                    abs(max(loudness.momentary ?? -200, -70) - max(expected.momentary, -70)) < 0.05,
                    "\(place)")
            }
            if place >= 29 {
                #expect(abs((loudness.shortTerm ?? -200) - expected.shortTerm) < 0.05, "\(place)")
            }
            #expect(loudness.momentary == meter.momentary)
        }
    }
}
