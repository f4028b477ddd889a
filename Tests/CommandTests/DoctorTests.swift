import Foundation
import Testing

@Suite("doctor on the command line")
struct DoctorTests {
    @Test("Without a sound server, the report has a problem with a fix, and the exit status is 1")
    func report() throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run("doctor", "--json", "--output", scratch.path)
        #expect(outcome.status == 1)
        #expect(outcome.errors.isEmpty && outcome.lines.count == 1)
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let findings = try #require(json?["findings"] as? [[String: Any]])
        for finding in findings {
            #expect(Set(finding.keys) == ["check", "level", "device", "text", "remedy_command"])
            let level = finding["level"] as? String ?? ""
            #expect(["ok", "warning", "problem", "unknown"].contains(level))
        }
        let server = try #require(findings.first { $0["check"] as? String == "sound.server" })
        #expect(server["level"] as? String == "problem")
        #expect(server["remedy_command"] is String)
        let space = try #require(findings.first { $0["check"] as? String == "storage.space" })
        #expect(space["device"] as? String == scratch.path)
    }

    @Test("The text output has a line per finding and a line per fix, without color in a pipe")
    func text() throws {
        let outcome = try Multicam.run("doctor", "--output", "/proc/nowhere/at all")
        #expect(outcome.status == 1)
        #expect(!outcome.output.contains("\u{1B}"))
        let line = try #require(outcome.lines.firstIndex { $0.contains("✗ problem     no sound server") })
        #expect(outcome.lines[line + 1].contains("fix: "))
        #expect(outcome.output.contains("/proc/nowhere/at all"))
        #expect(outcome.lines.last?.contains("problem") == true)
    }

    @Test("A profile that needs no local devices or has an error doesn't prevent the other checks")
    func profiles() throws {
        let scratch = try Scratch()
        func findings(_ profile: String, _ status: Int32? = nil) throws -> [String: String] {
            let file = try scratch.file("a.yaml", profile)
            let outcome = try Multicam.run(
                "doctor", "--json", "--output", scratch.path, "--profile", file)
            let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            let all = try #require(json?["findings"] as? [[String: Any]])
            return Dictionary(
                all.map { ($0["check"] as? String ?? "", $0["level"] as? String ?? "") }
            ) { first, _ in first }
        }
        let remote = try findings(
            "cameras: { a: { device: \"phone:anna\" }, b: { device: \"rtsp://camera/1\" }, c: { device: \"screen:\" } }\n"
                + "tracks: { cameras: copy }")
        #expect(remote["camera.present"] == "ok" && remote["sound.server"] == "ok")
        #expect(remote["profile.valid"] == nil)
        let broken = try findings("cameras: { a: { rate: fast } }")
        #expect(broken["profile.valid"] == "problem" && broken["storage.space"] != nil)
    }

    @Test("Invalid arguments are rejected")
    func usage() throws {
        expectRefusal(try Multicam.run("doctor", "--output", ""), status: 2, "requires a value")
        expectRefusal(try Multicam.run("doctor", "all"), status: 2, "Unexpected argument")
    }
}
