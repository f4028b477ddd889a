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

    @Test("Invalid arguments are rejected")
    func usage() throws {
        expectRefusal(try Multicam.run("doctor", "--output", ""), status: 2, "requires a value")
        expectRefusal(try Multicam.run("doctor", "all"), status: 2, "Unexpected argument")
    }
}
