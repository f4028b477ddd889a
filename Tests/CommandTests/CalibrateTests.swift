import Foundation
import Testing

@Suite("Calibration on the command line")
struct CalibrateTests {
    /// Returns an environment with a separate folder for saved calibrations.
    private func environment(_ scratch: Scratch) -> [String: String] {
        var environment = Multicam.environment
        environment["XDG_STATE_HOME"] = scratch.path
        return environment
    }

    /// With a clock drift of 10 ms per second, four claps fall at four phases of the frames.
    private func profile(_ scratch: Scratch, camera: String = "virtual:clap?size=320x180&drift=10000") throws
        -> String
    {
        try scratch.file(
            "small.yaml",
            """
            cameras: { desk: { device: "\(camera)" } }
            microphones: { host: { device: "virtual:clap" }, guest: { device: "virtual:clap" } }
            tracks: { cameras: copy, microphones: wav }
            limits: none
            """)
    }

    @Test(
        "Invalid arguments are rejected with exit status 2",
        arguments: [
            ([], "`--profile` is missing"),
            (["--profile", "pip", "--show"], "can't be combined"),
            (["--show", "--forget", "desk"], "can't be combined"),
            (["--profile", "pip", "--virtual", "--events", "2"], "expected a number from 3 to 100"),
            (["--profile", "pip", "--virtual", "--duration", "0"], "expected a duration greater than zero"),
            (["--profile", "pip", "--virtual", "--reference", "desk"], "isn't a microphone of the profile"),
            (["--profile", "none"], "none"),
            (["--profile", "pip", "--virtual-pattern", "people"], "--virtual-pattern"),
        ])
    func usage(words: [String], expected: String) throws {
        expectRefusal(
            try Multicam.run([Multicam.path, "calibrate"] + words), status: 2, expected)
    }

    @Test("A profile without a microphone is rejected with an explanation")
    func noMicrophone() throws {
        let scratch = try Scratch()
        let file = try scratch.file(
            "deaf.yaml", "cameras: { a: {}, b: {} }\ntracks: { cameras: copy }")
        expectRefusal(
            try Multicam.run("calibrate", "--profile", file, "--virtual"), status: 2,
            "needs a microphone and at least one other device")
    }

    @Test("Measurements are saved, shown, used by plans, and deleted")
    func whole() throws {
        let scratch = try Scratch()
        let (file, environment) = (try profile(scratch), environment(scratch))
        let dry = try Multicam.run(
            "calibrate", "--profile", file, "--events", "3", "--duration", "4", "--dry-run", "--json",
            environment: environment)
        let events = try dry.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(events.first?["event"] as? String == "listening")
        #expect(events.contains { $0["event"] as? String == "detected" && $0["detected_by"] is [String] })
        let last = try #require(events.last)
        #expect(last["event"] as? String == "finished")
        #expect(last["stored"] as? Bool == false)
        #expect((last["exit"] as? NSNumber)?.int32Value == dry.status)
        let devices = try #require(last["devices"] as? [[String: Any]])
        #expect(devices.map { $0["role"] as? String } == ["desk", "host", "guest"])
        #expect(devices[0]["latency_ns"] is NSNumber && devices[0]["uncertainty_ns"] is NSNumber)
        #expect(devices[0]["spread_ns"] is NSNumber && devices[0]["events"] is NSNumber)
        #expect(devices[1]["verdict"] as? String == "reference")
        #expect(abs((devices[2]["offset_ns"] as? NSNumber)?.doubleValue ?? 1e9) < 1e6)
        let nothing = try Multicam.run("calibrate", "--show", environment: environment)
        #expect(nothing.status == 0 && nothing.output.isEmpty)
        #expect(nothing.errors.contains("No calibrations are saved"))

        let measured = try Multicam.run(
            "calibrate", "--profile", file, "--events", "3", "--duration", "4", environment: environment)
        #expect(measured.output.contains("guest: offset "))
        #expect(measured.errors.contains("multicam: Ready. "))
        #expect(measured.errors.contains("multicam: event 1: "))
        #expect(measured.errors.contains("Calibrations saved for "))
        let shown = try Multicam.run("calibrate", "--show", environment: environment)
        #expect(shown.output.contains("guest: offset ") && shown.output.contains("host: reference"))
        let plan = try Multicam.run("plan", "--profile", file, "--json", environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(plan.output.utf8)) as? [String: Any]
        let planned = try #require(json?["devices"] as? [[String: Any]])
        #expect(planned.last?["offset_source"] as? String == "calibration")
        let forgotten = try Multicam.run("calibrate", "--forget", "guest", environment: environment)
        #expect(forgotten.status == 0 && forgotten.output.hasPrefix("deleted: guest: "))
        expectRefusal(
            try Multicam.run("calibrate", "--forget", "guest", environment: environment), status: 1,
            "No calibration is saved for `guest`")
    }

    @Test("Too few events cause exit status 1 with a reason, and nothing is saved")
    func tooFew() throws {
        let scratch = try Scratch()
        let file = try profile(scratch, camera: "virtual:bars?size=320x180")
        let outcome = try Multicam.run(
            "calibrate", "--profile", file, "--duration", "1500ms", environment: environment(scratch))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("desk: the device detected none of the"))
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/multicam/calibration.json"))
    }

    @Test("Ctrl-C ends the calibration with partial results")
    func stopped() throws {
        let scratch = try Scratch()
        let command = try RunningCommand(
            [Multicam.path, "calibrate", "--profile", try profile(scratch), "--json"],
            environment: environment(scratch))
        _ = try command.event("detected")
        command.send(SIGINT)
        let finished = try command.event("finished")
        #expect(finished["exit"] as? Int == 1)
        #expect(command.waitForEnd() == 1)
    }

    @Test("If results cannot be saved, the exit status is 4 or 1, after the measurement")
    func readOnly() throws {
        let scratch = try Scratch()
        var environment = environment(scratch)
        environment["XDG_STATE_HOME"] = "/proc"
        let outcome = try Multicam.run(
            "calibrate", "--profile", try profile(scratch), "--events", "3", "--duration", "4",
            environment: environment)
        #expect([1, 4].contains(outcome.status))
        #expect(outcome.errors.contains("the device calibration: "))
        #expect(outcome.output.contains("guest: offset "), "What was measured is told all the same")
        #expect(!outcome.errors.contains("--dry-run"))
    }
}
