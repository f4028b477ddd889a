import Foundation
import Testing

@Suite("Calibrating on the command line")
struct CalibrateTests {
    /// A folder of its own for what is kept.
    private func environment(_ scratch: Scratch) -> [String: String] {
        var environment = Multicam.environment
        environment["XDG_STATE_HOME"] = scratch.path
        return environment
    }

    /// A clock that drifts by 10 ms a second lets four claps fall at four phases of the frames.
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
        "What makes no sense is refused with exit status 2",
        arguments: [
            ([], "`--profile` is missing"),
            (["--profile", "pip", "--show"], "do not go together"),
            (["--show", "--forget", "desk"], "do not go together"),
            (["--profile", "pip", "--virtual", "--events", "2"], "expected a number from 3 to 100"),
            (["--profile", "pip", "--virtual", "--duration", "0"], "expected a time above zero"),
            (["--profile", "pip", "--virtual", "--reference", "desk"], "none of the profile's microphones"),
            (["--profile", "none"], "none"),
        ])
    func usage(words: [String], expected: String) throws {
        expectRefusal(
            try Multicam.run([Multicam.path, "calibrate"] + words), status: 2, expected)
    }

    @Test("A profile without a microphone is refused with a sentence")
    func noMicrophone() throws {
        let scratch = try Scratch()
        let file = try scratch.file(
            "deaf.yaml", "cameras: { a: {}, b: {} }\ntracks: { cameras: copy }")
        expectRefusal(
            try Multicam.run("calibrate", "--profile", file, "--virtual"), status: 2,
            "a microphone and at least one other device are needed")
    }

    @Test("What is measured is kept, shown, used by plans, and forgotten")
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
        #expect(events.contains { $0["event"] as? String == "heard" && $0["noticed"] is [String] })
        let last = try #require(events.last)
        #expect(last["event"] as? String == "finished")
        #expect(last["kept"] as? Bool == false)
        #expect((last["exit"] as? NSNumber)?.int32Value == dry.status)
        let devices = try #require(last["devices"] as? [[String: Any]])
        #expect(devices.map { $0["role"] as? String } == ["desk", "host", "guest"])
        #expect(devices[0]["latency_ns"] is NSNumber && devices[0]["uncertainty_ns"] is NSNumber)
        #expect(devices[0]["spread_ns"] is NSNumber && devices[0]["events"] is NSNumber)
        #expect(devices[1]["verdict"] as? String == "reference")
        #expect(abs((devices[2]["offset_ns"] as? NSNumber)?.doubleValue ?? 1e9) < 1e6)
        let nothing = try Multicam.run("calibrate", "--show", environment: environment)
        #expect(nothing.status == 0 && nothing.output.isEmpty)
        #expect(nothing.errors.contains("nothing is calibrated yet"))

        let measured = try Multicam.run(
            "calibrate", "--profile", file, "--events", "3", "--duration", "4", environment: environment)
        #expect(measured.output.contains("guest: offset "))
        #expect(measured.errors.contains("multicam: ready: "))
        #expect(measured.errors.contains("multicam: event 1: "))
        #expect(measured.errors.contains("kept for "))
        let shown = try Multicam.run("calibrate", "--show", environment: environment)
        #expect(shown.output.contains("guest: offset ") && shown.output.contains("host: reference"))
        let plan = try Multicam.run("plan", "--profile", file, "--json", environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(plan.output.utf8)) as? [String: Any]
        let planned = try #require(json?["devices"] as? [[String: Any]])
        #expect(planned.last?["offset_source"] as? String == "calibration")
        let forgotten = try Multicam.run("calibrate", "--forget", "guest", environment: environment)
        #expect(forgotten.status == 0 && forgotten.output.hasPrefix("forgotten: guest: "))
        expectRefusal(
            try Multicam.run("calibrate", "--forget", "guest", environment: environment), status: 1,
            "nothing is kept of `guest`")
    }

    @Test("Too few events end with exit status 1 and the reason, and nothing is kept")
    func tooFew() throws {
        let scratch = try Scratch()
        let file = try profile(scratch, camera: "virtual:bars?size=320x180")
        let outcome = try Multicam.run(
            "calibrate", "--profile", file, "--duration", "1500ms", environment: environment(scratch))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("desk: it noticed none of"))
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/multicam/calibration.json"))
    }

    @Test("Ctrl-C ends it with what is known")
    func stopped() throws {
        let scratch = try Scratch()
        let command = try RunningCommand(
            [Multicam.path, "calibrate", "--profile", try profile(scratch), "--json"],
            environment: environment(scratch))
        _ = try command.event("heard")
        command.send(SIGINT)
        let finished = try command.event("finished")
        #expect(finished["exit"] as? Int == 1)
        #expect(command.waitForEnd() == 1)
    }

    @Test("Where nothing can be kept, it is said with exit status 4 or 1, after the measurement")
    func readOnly() throws {
        let scratch = try Scratch()
        var environment = environment(scratch)
        environment["XDG_STATE_HOME"] = "/proc"
        let outcome = try Multicam.run(
            "calibrate", "--profile", try profile(scratch), "--events", "3", "--duration", "4",
            environment: environment)
        #expect([1, 4].contains(outcome.status))
        #expect(outcome.errors.contains("the calibration of devices failed"))
        #expect(outcome.output.contains("guest: offset "), "What was measured is told all the same")
        #expect(!outcome.errors.contains("as asked"))
    }
}
