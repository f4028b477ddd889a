import Foundation
import Testing

@Suite("Hardware cost on the command line")
struct CostTests {
    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func cost(_ arguments: String...) throws -> [String: Any] {
        let outcome = try Multicam.run([Multicam.path, "plan", "--virtual", "--json"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(try json(outcome.output)["cost"] as? [String: Any])
    }

    private func terms(_ cost: [String: Any]) throws -> [String: Double] {
        let terms = try #require(cost["terms"] as? [[String: Any]])
        return try Dictionary(
            uniqueKeysWithValues: terms.map {
                (try #require($0["resource"] as? String), try #require($0["used"] as? Double))
            })
    }

    @Test("a plan states its use of the scarcest resource and of all others")
    func plan() throws {
        let small = try cost("--profile", "tracks")
        let large = try cost("--profile", "pip", "--duration", "2h")
        let (tracks, pip) = (try terms(small), try terms(large))
        #expect(try #require(pip["cpu"]) > #require(tracks["cpu"]))
        #expect(pip["thread:program"] != nil && tracks["thread:program"] == nil)
        #expect(pip["disk-space"] != nil && tracks["disk-space"] == nil)
        #expect(large["hardware"] as? Double == pip.values.max())
        #expect(try #require(large["unknown"] as? [String]).contains { $0.hasPrefix("disk:") })
    }

    @Test("the text output shows the cost below the plan, with unknown terms")
    func words() throws {
        let outcome = try Multicam.run("plan", "--profile", "pip", "--virtual")
        // The value depends on this computer.
        #expect(outcome.lines.contains { $0.contains(/^hardware cost \d+\.\d+/) })
        #expect(outcome.lines.contains { $0.contains("ms of processor time per second") })
        #expect(outcome.lines.contains { $0.hasPrefix("  unknown: disk") })
        expectRefusal(
            try Multicam.run("plan", "--profile", "pip", "--virtual", "--duration", "soon"), status: 2,
            "--duration soon")
    }

    @Test("the machine's measurement is saved with the speed of the recording disk")
    func machine() throws {
        let scratch = try Scratch()
        var environment = Multicam.environment
        environment["XDG_STATE_HOME"] = scratch.path + "/state"
        let output = scratch.path + "/recordings"
        let measured = try Multicam.run(
            "calibrate", "--machine", "--output", output, "--json", environment: environment)
        // A computer that is too busy to record is not measured, and the error explains it.
        let table = try json(#require(measured.output.isEmpty ? nil : measured.output, "\(measured.errors)"))
        #expect(table["plain"] is [String: Any])
        let plan = try json(
            try Multicam.run(
                "plan", "--profile", "tracks", "--virtual", "--json", "--output", output + "/deeper",
                environment: environment
            ).output)
        let known = try #require(plan["cost"] as? [String: Any])
        #expect(try #require(known["notes"] as? [String]).isEmpty)
        // In a container, /tmp may be in memory, which is then reported.
        if let disk = table["disk"] as? [String: Any] {
            #expect(measured.status == 0)
            let speed = try #require(disk["write_bytes_per_second"] as? Double)
            #expect(try #require(try terms(known)["disk"]) > 0)
            #expect((plan["disk"] as? [String: Any])?["write_bytes_per_second"] as? Double == speed)
        } else {
            #expect(measured.status == 1 && measured.errors.contains("measuring the disk failed"))
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(left == ["state"])
        expectRefusal(
            try Multicam.run("calibrate", "--profile", "pip", "--output", output), status: 2, "--machine")
    }
}
