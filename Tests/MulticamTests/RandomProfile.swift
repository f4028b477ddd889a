import MulticamProfiles
import MulticamSeededNoise

/// A profile as a user might write it. It is mostly valid, with an occasional invalid word or number. The
/// same seed gives the same profile.
struct RandomProfile {
    private var generator: SeededGenerator
    /// The ratio of all words to invalid words; `nil` if no word is invalid.
    private let mistakes: Int?
    private(set) var text = ""

    private static let nonsense = [
        "-1", "0", "1e300", "nan", "-9223372036854775808", "9223372036854775808k", "[]", "{}", "null", "\"\"",
        "x", "99999x99999", "1/0", "~", "\"\\0\"", "16385x2", "0.0000001", "-9223372036854775808k",
    ]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        mistakes = generator.next() % 3 == 0 ? 25 : nil
        write()
    }

    private mutating func chance(of one: Int) -> Bool { generator.next() % UInt64(one) == 0 }

    private mutating func of(_ words: [String]) -> String {
        if let mistakes, chance(of: mistakes) { return of(Self.nonsense, isRight: true) }
        return of(words, isRight: true)
    }

    private mutating func of(_ words: [String], isRight: Bool) -> String {
        words[Int(generator.next() % UInt64(words.count))]
    }

    private mutating func write() {
        let cameras = (0..<of(["1", "1", "2", "3"], isRight: true).utf8.reduce(0) { $0 + Int($1) - 48 })
            .map {
                "cam\($0)"
            }
        let microphones = (0..<(chance(of: 3) ? 0 : chance(of: 2) ? 1 : 2)).map { "mic\($0)" }
        if !cameras.isEmpty {
            text += "cameras:\n"
            for role in cameras { text += "  \(role): { \(camera()) }\n" }
        }
        if !microphones.isEmpty {
            text += "microphones:\n"
            for role in microphones { text += "  \(role): { \(microphone()) }\n" }
        }
        if !cameras.isEmpty, chance(of: 2) { writeProgram(cameras, microphones) }
        if chance(of: 3) {
            let own = of(["copy", "encode", "encode", "none"])
            text += "tracks: { cameras: \(own), microphones: \(of(["wav", "wav", "none"])) }\n"
        }
        if chance(of: 8) {
            text += "limits: { lost_frames: \(of(["0", "0.5", "1"])), silence: \(of(["1s", "30s"])) }\n"
        }
        if chance(of: 8) { text += "\(of(["descriptoin: x", "description: x"])) \n" }
    }

    private mutating func camera() -> String {
        var keys = ["phase=0", "seed=\(generator.next() % 1000)"]
        if chance(of: 4) { keys.append("drop=\(of(["0.05", "0.5", "1"]))") }
        if chance(of: 6) { keys.append("corrupt=\(of(["0.05", "0.5"]))") }
        if chance(of: 5) { keys.append("drift=\(of(["-100000", "200", "20000", "100000"]))") }
        if chance(of: 5) { keys.append("jitter=\(of(["1", "30", "500"]))") }
        if chance(of: 6) { keys.append("latency=\(of(["1", "100", "900"]))") }
        if chance(of: 6) { keys.append("fps=\(of(["0.1", "7.5", "29.97", "60", "1000"]))") }
        if chance(of: 5) { keys.append("unplug=0.3&replug=\(of(["0.5", "0.8", "2"]))") }
        if chance(of: 7) { keys.append("stall=\(of(["0.2:0.3", "0:1", "0.5:60"]))") }
        var text = "device: \"virtual:\(of(["clap", "bars", "noise"]))?\(keys.joined(separator: "&"))\""
        text +=
            ", size: \(of(["16x16", "64x36", "160x90", "90x160", "66x50"])), rate: \(of(["1", "15", "30", "29.97", "50"]))"
        if chance(of: 3) { text += ", format: \(of(["mjpeg", "h264", "yuyv", "nv12", "auto"]))" }
        if chance(of: 5) { text += ", rotation: \(of(["0", "90", "180", "270", "sensor"]))" }
        if chance(of: 6) { text += ", mirrored: \(of(["true", "false"]))" }
        if chance(of: 7) { text += ", latency: \(of(["0ms", "50ms", "500ms"]))" }
        if chance(of: 7) {
            text += ", output: { rate: \(of(["5", "30", "60"])), size: \(of(["64x36", "32x32"])) }"
        }
        return text
    }

    private mutating func microphone() -> String {
        var keys = ["seed=\(generator.next() % 1000)"]
        if chance(of: 3) { keys.append("rate=\(of(["8000", "44100", "48000", "192000"]))") }
        if chance(of: 4) { keys.append("channels=\(of(["1", "2", "3", "8"]))") }
        if chance(of: 5) { keys.append("drop=\(of(["0.05", "0.5", "1"]))") }
        if chance(of: 5) { keys.append("drift=\(of(["-100000", "200", "100000"]))") }
        if chance(of: 6) { keys.append("jitter=\(of(["1", "30", "500"]))") }
        if chance(of: 6) { keys.append("unplug=0.3&replug=\(of(["0.5", "0.8", "2"]))") }
        var text = "device: \"virtual:\(of(["clap", "tone", "silence"]))?\(keys.joined(separator: "&"))\""
        if chance(of: 4) { text += ", gain: \(of(["0", "-6", "12"]))" }
        if chance(of: 5) { text += ", source_channels: \(of(["[1]", "[1]", "[2]", "[1, 2]"]))" }
        if chance(of: 6) { text += ", offset: \(of(["0ms", "20ms", "-50ms"]))" }
        return text
    }

    private mutating func writeProgram(_ cameras: [String], _ microphones: [String]) {
        text +=
            "program:\n  size: \(of(["64x64", "160x90", "90x160"]))\n  rate: \(of(["1", "15", "30", "29.97", "60"]))\n"
        let layout =
            cameras.count > 1
            ? of(ProgramLayout.names) : of(["single", "single", "pip"])
        text += "  layout: \(layout)\n"
        if layout == "single" || layout == "pip" { text += "  main: \(of(cameras))\n" }
        if layout == "pip" { text += "  inset: \(of(cameras))\n" }
        if chance(of: 2) {
            let mix =
                microphones.isEmpty
                ? "[]" : of(["[\(microphones.joined(separator: ", "))]", "[\(microphones[0])]"])
            text += "  audio: { bitrate: \(of(["64k", "160k", "160000"])), mix: \(mix) }\n"
        }
        if chance(of: 4) {
            text +=
                "  video: { preset: \(of(["ultrafast", "balanced", "veryfast"])), quality: \(of(["18", "23", "40"])) }\n"
        }
    }
}
