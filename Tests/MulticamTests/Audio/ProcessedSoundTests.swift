import Foundation
import MulticamEncoders
import MulticamEncoding
import MulticamMedia
import MulticamSeededNoise
import Testing

@Suite("Processing of the program's audio")
struct ProcessedSoundTests {
    private static let rate = 48_000.0

    /// A sine wave with the given frequency in hertz and amplitude.
    private static func sine(_ frequency: Double, _ amplitude: Float, samples: Int) -> [Float] {
        (0..<samples).map { amplitude * Float(sin(2 * Double.pi * frequency * Double($0) / rate)) }
    }

    /// Passes mono samples through a sound in blocks of 20 ms, and calls a function before each block.
    private static func run(
        _ samples: [Float], codecs: any CodecFactory = Codecs(), before: (ProcessedSound, Int) -> Void
    ) -> (output: [Float], failures: [String]) {
        let sound = ProcessedSound("host", channels: 1, from: 0, codecs: codecs)
        var output: [Float] = []
        for (index, start) in stride(from: 0, to: samples.count, by: 960).enumerated() {
            before(sound, index)
            sound.append(Array(samples[start..<min(start + 960, samples.count)]))
            output += sound.dequeue(upTo: sound.available)
        }
        sound.finish()
        output += sound.dequeue(upTo: min(sound.available, Int64(samples.count)))
        return (output, sound.dequeueFailures())
    }

    @Test("without filters, every sample passes unchanged and at once")
    func off() {
        let samples = Self.sine(440, 0.7, samples: 48_000)
        let sound = ProcessedSound("host", channels: 1, from: 0, codecs: Codecs())
        sound.append(samples)
        #expect(sound.available == 48_000)
        #expect(sound.dequeue(upTo: 48_000) == samples)
    }

    @Test(
        "the output of each preset has every sample, aligned to the input",
        arguments: SoundProcessing.Preset.allCases)
    func aligned(preset: SoundProcessing.Preset) throws {
        var generator = SeededGenerator(seed: 1)
        var samples = [Float](repeating: 0, count: 96_000)
        for index in 40_000..<44_000 { samples[index] = Float.random(in: -0.05...0.05, using: &generator) }
        let (output, failures) = Self.run(samples) { sound, index in
            if index == 0 { sound.setProcessing(SoundProcessing(preset)) }
        }
        #expect(output.count == samples.count && failures.isEmpty)
        func correlation(_ delay: Int) -> Float {
            (40_000..<44_000).reduce(0) { $0 + samples[$1] * output[$1 + delay] }
        }
        let best = (-300...300).max { correlation($0) < correlation($1) }
        #expect(best == 0)
    }

    @Test(
        "filter output matches ffmpeg's",
        arguments: [
            SoundProcessing.Preset.voice, .voiceNoisyRoom, .music,
        ])
    func matchesProgram(preset: SoundProcessing.Preset) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "sound-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                Issue.record(error)
            }
        }
        // Tones of several levels, so that the compressor and the limiter work.
        let samples = [(0.02, 300.0), (0.4, 300), (0.9, 3000), (0.1, 10_000)].flatMap { level, frequency in
            Self.sine(frequency, Float(level) * 0.5, samples: 24_000)
        }
        let (output, _) = Self.run(samples) { sound, index in
            if index == 0 { sound.setProcessing(SoundProcessing(preset)) }
        }
        let input = folder.path + "/in.raw"
        try samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: input))
        let raw = ["-f", "f32le", "-ac", "1"]
        let reference = try Reader.run(
            "ffmpeg",
            ["-v", "error", "-ar", "48000"] + raw + [
                "-i", input, "-af", SoundProcessing(preset).filterDescription,
            ] + raw + ["-"]
        ).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        // The levels of the settled tones agree within 0.1 dB.
        for tone in 0..<4 {
            let settled = tone * 24_000 + 14_000..<tone * 24_000 + 22_000
            func level(_ samples: [Float]) -> Double {
                10
                    * log10(
                        settled.reduce(0.0) { $0 + Double(samples[$1] * samples[$1]) } / Double(settled.count)
                    )
            }
            #expect(abs(level(output) - level(reference)) < 0.1)
        }
    }

    @Test("100 changes of the filters lose no sample and are inaudible")
    func changes() {
        let samples = Self.sine(1000, 0.1, samples: 100 * 10 * 960)
        let all: [SoundProcessing] = [
            .off, SoundProcessing(.voice), SoundProcessing(.voiceNoisyRoom), SoundProcessing(.music),
        ]
        let (output, failures) = Self.run(samples) { sound, index in
            if index % 10 == 5 { sound.setProcessing(all[index / 10 % all.count]) }
        }
        #expect(output.count == samples.count && failures.isEmpty)
        // A click would contain frequencies far above the tone. They are measured with a second difference, whose gain for
        // the tone itself is known: 4·sin²(π·f/rate).
        let gain = Float(4 * pow(sin(Double.pi * 1000 / Self.rate), 2))
        let largest = output.map { abs($0) }.max() ?? 0
        var click: Float = 0
        // The tone itself ends abruptly, which the filters spread over its last samples.
        for index in 9600..<output.count - 960 {
            let second = output[index] - 2 * output[index + 1] + output[index + 2]
            click = max(click, abs(second + gain * output[index + 1]))
        }
        #expect(click < largest / 1000, "a click of \(20 * log10(click / largest)) dB")
    }

    @Test("after filters fail, the unfiltered audio continues without a gap, with one message")
    func failure() {
        var codecs = BrokenAudioCodecs { _, _ in false }
        codecs.lastFilterCall = 20
        let samples = Self.sine(440, 0.3, samples: 48_000)
        let (output, failures) = Self.run(samples, codecs: codecs) { sound, index in
            if index == 0 { sound.setProcessing(SoundProcessing(.voice)) }
        }
        #expect(output == samples)
        #expect(failures.count == 1)
    }

    @Test(
        "text describes a processing, and invalid text is refused with what was expected",
        arguments: [
            ("voice", nil), ("off", nil), ("off high_pass=120", nil), ("voice gate=-40", nil),
            ("voice limit=off", nil),
            ("loud", "PRESET is one of off, voice"), ("", "PRESET is one of"),
            ("voice gate", "SETTING=VALUE"),
            ("voice gate=5", "gate is off or a level in dBFS from -80 to -10"),
            ("voice ratio=nan", "ratio is off or"),
            ("voice colour=1", "SETTING is one of"),
        ] as [(String, String?)])
    func text(words: String, problem: String?) throws {
        switch SoundProcessing.parse(words.split(separator: " ").map(String.init)) {
        case .success(let processing):
            #expect(problem == nil)
            #expect(try SoundProcessing.parse(processing.words).get() == processing)
            let json = try JSONEncoder().encode(processing)
            #expect(try JSONDecoder().decode(SoundProcessing.self, from: json) == processing)
        case .failure(let invalid): #expect(problem.map { "\(invalid)".contains($0) } == true)
        }
    }

    @Test("after a gap, the output is aligned again and doesn't contain earlier audio")
    func skips() {
        let sound = ProcessedSound("host", channels: 1, from: 0, codecs: Codecs())
        sound.setProcessing(SoundProcessing(.voiceNoisyRoom))
        for _ in 0..<20 { sound.append(Self.sine(500, 0.2, samples: 960)) }
        _ = sound.dequeue(upTo: sound.available)
        sound.skip(to: 96_000)
        #expect(sound.first == 96_000 && sound.end == 96_000)
        var samples = [Float](repeating: 0, count: 48_000)
        for index in 24_000..<24_100 { samples[index] = 0.3 }
        var output: [Float] = []
        for start in stride(from: 0, to: samples.count, by: 960) {
            sound.append(Array(samples[start..<start + 960]))
            output += sound.dequeue(upTo: sound.available)
        }
        #expect(output.prefix(20_000).allSatisfy { abs($0) < 0.001 })
        let loudest = output.indices.max { abs(output[$0]) < abs(output[$1]) }
        #expect(loudest.map { (23_990..<24_110).contains($0) } == true)
    }

    @Test("both channels of a stereo sound pass the filters")
    func stereo() {
        let sound = ProcessedSound("the mix", channels: 2, from: 0, codecs: Codecs())
        sound.setProcessing(SoundProcessing(.music))
        let (left, right) = (Self.sine(400, 0.2, samples: 48_000), Self.sine(900, 0.1, samples: 48_000))
        sound.append(zip(left, right).flatMap { [$0, $1] })
        sound.finish()
        let output = sound.dequeue(upTo: 48_000)
        #expect(output.count == 96_000)
        func level(_ channel: Int) -> Float {
            stride(from: 48_000 + channel, to: 96_000, by: 2).reduce(0) { max($0, abs(output[$1])) }
        }
        #expect(level(0) > 1.5 * level(1) && level(1) > 0.05)
    }
}
