import MulticamMedia
import MulticamProfiles
import Testing

@Suite("Live outputs of a profile")
struct LiveOutputFieldsTests {
    private static let devices = """
        cameras: { desk: , face: }
        microphones: { host: }
        program: { layout: pip }

        """

    private static func read(_ text: String, devices: String = devices) throws(ProfileError) -> Profile {
        try Profile(yaml: Array((devices + text).utf8), file: "test.yaml")
    }

    @Test("address, key source, content, start, and separate frame format are read")
    func fields() throws {
        let profile = try Self.read(
            """
            publish:
              show: { url: "srt://host:9000?latency=120" }
              tube: { url_from: { file: /home/u/.keys/tube }, start: command }
              meet: { url: "whip+https://host/path", token_from: { env: T }, video: { size: 1280x720, rate: 30, bitrate: 2500k } }
              cam: { url: "v4l2:/dev/video9", of: face, start: session }
              mic: { url: "pulse:Studio mix" }
            """)
        let liveOutputs = profile.liveOutputs
        #expect(liveOutputs.map(\.name) == ["show", "tube", "meet", "cam", "mic"])
        #expect(liveOutputs.map(\.start) == [.recording, .command, .recording, .session, .recording])
        #expect(liveOutputs.map(\.source) == ["program", "program", "program", "face", "program"])
        #expect(liveOutputs[0].address == .inline(try LiveOutputAddress("srt://host:9000?latency=120")))
        #expect(liveOutputs[1].address == .external(.file("/home/u/.keys/tube")))
        #expect(liveOutputs[2].token == .environment("T"))
        #expect(liveOutputs[2].size == FrameSize(width: 1280, height: 720))
        #expect(liveOutputs[2].rate == FrameRate(30))
        #expect(liveOutputs[2].bitrate == 2_500_000)
        #expect(liveOutputs.map(\.hasOwnFrames) == [false, false, true, false, false])
        #expect(profile.secretVariables == ["T"])
        #expect(try Self.read("").liveOutputs.isEmpty)
    }

    @Test(
        "an invalid entry is rejected with one sentence",
        arguments: [
            ("show: { url: \"ftp://host/x\" }", "publish.show.url: found an invalid address"),
            ("show: { url: \"ftp://host/x\" }", "rtmp:// or rtmps://HOST/APPLICATION/KEY"),
            (
                "show: { }",
                "publish.show: found no address, expected url, or url_from: { file: … } or { env: … }"
            ),
            (
                "show: { url: \"srt://a:1\", url_from: { env: A } }",
                "publish.show: found both url and url_from"
            ),
            (
                "show: { url_from: secret }",
                "publish.show.url_from: found no source, expected { file: PATH } or { env: NAME }"
            ),
            ("show: { url_from: { file: keys/a } }", "expected an absolute path, or one that begins with ~/"),
            ("show: { url_from: { env: A-B } }", "publish.show.url_from.env: found no name"),
            ("show: { url_from: { env: A, file: /b } }", "found both file and env"),
            (
                "show: { url: \"srt://a:1\", of: guest }",
                "publish.show.of: found “guest”, expected program, desk or face"
            ),
            (
                "show: { url: \"srt://a:1\", of: desk }",
                "found a camera without video settings, expected video: { size, rate, bitrate }"
            ),
            ("show: { url: \"srt://a:1\", start: now }", "expected recording, session or command"),
            ("show: { url: \"srt://a:1\", token_from: { env: T } }", "found a token for srt"),
            ("show: { url: \"srt://a:1\", video: { size: 1281x720 } }", "a size with even sides"),
            (
                "show: { url: \"srt://a:1\", video: { bitrate: 1k } }",
                "a bit rate from 100k to 100000k bits per second"
            ),
            ("show: { url: \"srt://a:1\", key: x }", "publish.show.key: found an unknown field"),
            ("Show: { url: \"srt://a:1\" }", "found the name “Show”"),
            ("desk: { url: \"srt://a:1\" }", "found the name “desk”, which is already in use"),
            (
                "mic: { url: \"pulse:a\", video: { size: 640x360 } }",
                "found video settings for a virtual microphone"
            ),
            (
                "cam: { url: \"v4l2:/dev/video9\", video: { bitrate: 1000k } }",
                "found a bitrate for raw frames"
            ),
        ])
    func refused(text: String, words: String) {
        let error = #expect(throws: ProfileError.self) { _ = try Self.read("publish:\n  \(text)\n") }
        #expect(error?.lines.joined().contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.lines.count == 1, "\(error?.lines ?? [])")
    }

    @Test("an address is never repeated in an error")
    func secrets() {
        for text in [
            "url: \"rtmp://host/KEY\"", "url: \"srt://host:9000?passphrase=KEY\"", "url: \"KEY\"",
            "url_from: KEY",
            "url: \"srt://host:9000 KEY\"", "url: [KEY]", "token_from: KEY, url: \"whip+http://host/p\"",
        ] {
            let error = #expect(throws: ProfileError.self) {
                _ = try Self.read("publish: { show: { \(text) } }\n")
            }
            #expect(
                error?.lines.contains { $0.contains("KEY\"") || $0.contains("=KEY") || $0.contains("“KEY") }
                    == false)
        }
    }

    @Test("a program with B-frames needs a separate encoder for WebRTC")
    func order() throws {
        let program = "cameras: { a: , b: }\nprogram: { video: { preset: superfast } }\n"
        let error = #expect(throws: ProfileError.self) {
            _ = try Self.read("publish: { meet: { url: \"whip+http://host/p\" } }", devices: program)
        }
        #expect(error?.description.contains("which contains B-frames at preset superfast") == true)
        _ = try Self.read(
            "publish: { meet: { url: \"whip+http://host/p\" } }",
            devices: "cameras: { a: , b: }\nprogram:\n  rate: 30\n")
        _ = try Self.read(
            "publish: { meet: { url: \"whip+http://host/p\", video: { size: 640x360 } } }", devices: program)
    }

    @Test("live output requires a program, and a virtual microphone one with audio")
    func lacks() {
        let without = #expect(throws: ProfileError.self) {
            _ = try Self.read("publish: { show: { url: \"srt://a:1\" } }", devices: "cameras: { a: }\n")
        }
        #expect(without?.description.contains("publish.show: found no program to publish") == true)
        let silent = #expect(throws: ProfileError.self) {
            _ = try Self.read(
                "publish: { mic: { url: \"pulse:a\" } }",
                devices: "cameras: { a: }\nprogram: { layout: single }\n")
        }
        #expect(silent?.description.contains("a program without audio") == true)
    }
}
