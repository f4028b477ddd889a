import Foundation
import Testing

@Suite("Live output on the command line")
struct PublishTests {
    private func profile(_ scratch: Scratch, _ publish: String) throws -> String {
        try scratch.file(
            "live.yaml",
            """
            cameras: { desk: { device: "virtual:clap", size: 320x180, rate: 30 } }
            microphones: { host: { device: "virtual:clap" } }
            program: { size: 320x180, layout: single }
            publish: \(publish)
            """)
    }

    @Test("a plan states content, destination, and encoder cost of each output, without its key")
    func plan() throws {
        let scratch = try Scratch()
        let path = try profile(
            scratch,
            "{ show: { url: \"srt://host:9000?passphrase=0123456789\", video: { size: 320x180 } }, mic: { url: \"pulse:\", start: session } }"
        )
        let text = try Multicam.run("plan", "--profile", path)
        #expect(text.status == 0, "\(text.errors)")
        #expect(
            text.output.contains(
                "show: program, 320x180 at 30, encoded separately at 300k, to srt://host:9000, with each recording"
            ))
        #expect(
            text.output.contains(
                "mic: the mix, to pulse:multicam, while the session is on standby or recording"))
        let json = try Multicam.run("plan", "--profile", path, "--json")
        let plan = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let liveOutputs = try #require(plan["live_outputs"] as? [[String: Any]])
        #expect(liveOutputs.map { $0["name"] as? String } == ["show", "mic"])
        #expect((liveOutputs[0]["video"] as? [String: Any])?["bitrate"] as? Int == 300_000)
        let terms = try #require((plan["cost"] as? [String: Any])?["terms"] as? [[String: Any]])
        let parts = try #require(
            terms.first { $0["resource"] as? String == "cpu" }?["parts"] as? [[String: Any]])
        #expect(parts.contains { $0["owner"] as? String == "show" })
        #expect(!(text.output + text.errors + json.output).contains("0123456789"))
    }

    @Test("a missing key file is reported in one sentence, and nothing is recorded")
    func missing() throws {
        let scratch = try Scratch()
        let path = try profile(scratch, "{ show: { url_from: { file: /none/key } } }")
        let outcome = try Multicam.run(
            "record", "--profile", path, "--duration", "1", "--output", scratch.path)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("publish.show.url_from: found /none/key, which cannot be read"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["live.yaml"])
    }

    @Test("a URL in an argument is rejected because other users can see it, and is not repeated in the error")
    func words() throws {
        let outcome = try Multicam.run("ctl", "publish", "srt://host:9000?passphrase=0123456789")
        #expect(outcome.status == 2 && outcome.errors.contains("Use `publish -` and standard input"))
        #expect(!outcome.errors.contains("0123456789"))
    }
}
