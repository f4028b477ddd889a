import Foundation
import MulticamControl
import MulticamMedia
import MulticamSessionFolder
import Testing

@Suite("Camera controls on the command line")
struct ControlsTests {
    private static func environment(_ scratch: Scratch) -> [String: String] {
        var environment = Multicam.environment
        environment["XDG_STATE_HOME"] = scratch.path
        return environment
    }

    @Test("controls are listed one per line, in columns with range, default, menu, and controlling control")
    func list() throws {
        let outcome = try Multicam.run("controls", "virtual:clap")
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        func line(_ name: String) -> String { outcome.lines.first { $0.hasPrefix(name + " ") } ?? "" }
        #expect(line("brightness").hasSuffix("-64…64, default 0"))
        #expect(
            line("focus_absolute").hasSuffix(
                "0…250 in steps of 5, default 0; controlled by focus_automatic_continuous"))
        #expect(line("power_line_frequency").contains("1 (50 Hz)"))
        #expect(line("power_line_frequency").hasSuffix("0 Disabled, 1 50 Hz, 2 60 Hz; default 1"))
        #expect(line("white_balance_automatic").contains(" on "))
    }

    @Test("controls are set in a working order regardless of the argument order, and read back")
    func set() throws {
        let outcome = try Multicam.run(
            "controls", "virtual:clap", "exposure_time_absolute=50", "auto_exposure=manual", "--json")
        #expect(outcome.status == 0)
        let report = try outcome.decoded(as: ControlsReport.self)
        #expect(report.set.map(\.name) == ["auto_exposure", "exposure_time_absolute"])
        #expect(report.set.map(\.value) == [1, 50])
        let exposure = report.controls.first { $0.name == "exposure_time_absolute" }
        #expect(exposure?.inactive == false)
    }

    @Test(
        "an invalid argument is one error message with exit status 2, and nothing is set",
        arguments: [
            (
                ["exposure=5"],
                "does not have this control. Similar controls: auto_exposure, exposure_time_absolute."
            ),
            (["gain=256"], "256 is out of range. Choose 0 to 255."),
            (["focus_absolute=41", "focus_automatic_continuous=off"], "Choose 0 to 250 in steps of 5."),
            (["focus_absolute=40"], "Also set focus_automatic_continuous=0."),
            (
                ["power_line_frequency=55 Hz"],
                "55 Hz is not a valid choice. Choose 0 (Disabled), 1 (50 Hz), 2 (60 Hz)."
            ),
            (["brightness=bright"], "bright is not a valid value. Choose a whole number."),
            (["brightness"], "expected NAME=VALUE"),
            (["brightness=1", "brightness=2"], "was specified more than once"),
            (["--load", "night"], "this camera does not have a preset with this name"),
            (["--delete", "night"], "this camera does not have a preset with this name"),
            (["--save", "a\nb"], "expected a name"),
        ])
    func refusals(words: [String], sentence: String) throws {
        let outcome = try Multicam.run([Multicam.path, "controls", "virtual:clap"] + words)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
    }

    @Test("a missing camera is exit status 3, and an invalid or missing selector is 2")
    func missing() throws {
        #expect(try Multicam.run("controls", "/dev/video977").status == 3)
        #expect(try Multicam.run("controls", "virtual:clap?lacks=legs").status == 2)
        #expect(try Multicam.run("controls").status == 2)
    }

    @Test("presets can be saved, loaded, overridden, used in a profile, and deleted")
    func presets() throws {
        let scratch = try Scratch()
        let environment = Self.environment(scratch)
        let saved = try Multicam.run(
            "controls", "virtual:bars", "focus_automatic_continuous=off", "focus_absolute=70", "brightness=9",
            "--save", "desk by day", environment: environment)
        #expect(saved.status == 0, "\(saved.errors)")
        let loaded = try Multicam.run(
            "controls", "virtual:bars", "--load", "desk by day", "brightness=10", environment: environment)
        #expect(loaded.status == 0, "\(loaded.errors)")
        let all = try Multicam.run(
            "controls", "virtual:bars", "--load", "desk by day", environment: environment)
        #expect(all.lines.contains { $0.hasPrefix("focus_absolute ") && $0.contains(" 70 ") })
        #expect(all.lines.contains { $0.hasPrefix("brightness ") && $0.contains(" 9 ") })
        #expect(all.errors.contains("Presets of this camera: desk by day."))
        let profile = try scratch.file(
            "profile.yaml",
            """
            cameras: { camera: { device: "virtual:bars?size=64x48", preset: desk by day, controls: { brightness: 3 } } }
            limits: none
            """)
        let recorded = try Multicam.run(
            "record", "--profile", profile, "--duration", "500ms", "--output", "out",
            environment: environment,
            in: scratch)
        #expect(recorded.status == 0, "\(recorded.errors)")
        let controls = try #require(try scratch.session(in: "out").manifest.devices.first?.controls)
        func origin(_ name: String) -> ControlRequest.Origin? { controls.first { $0.name == name }?.origin }
        #expect(origin("focus_absolute") == .preset)
        #expect(origin("brightness") == .asked)
        let deleted = try Multicam.run(
            "controls", "virtual:bars", "--delete", "desk by day", environment: environment)
        #expect(deleted.status == 0)
        let refused = try Multicam.run("record", "--profile", profile, environment: environment, in: scratch)
        #expect(refused.status == 2)
        #expect(
            refused.errors.contains("cameras.camera.preset: found “desk by day”, which is not a preset of")
        )
    }

    /// Returns the reply to `multicam ctl WORDS --json`.
    private static func runCtl(
        _ words: [String], _ environment: [String: String]
    ) throws -> (status: Int32, reply: ControlReply, values: [String: Int64]) {
        let outcome = try Multicam.run(
            [Multicam.path, "ctl"] + words + ["--json"], environment: environment)
        let reply = try outcome.decoded(as: ControlReply.self)
        let values = (reply.controls?.controls ?? []).map { ($0.name, $0.value) }
        return (outcome.status, reply, Dictionary(values, uniquingKeysWith: { first, _ in first }))
    }

    @Test(
        "`ctl` shows and sets controls of a running recording, saves presets, and matches cameras"
    )
    func running() throws {
        let scratch = try Scratch()
        var environment = Self.environment(scratch)
        environment["XDG_RUNTIME_DIR"] = scratch.path
        let profile = try scratch.file(
            "two.yaml",
            """
            cameras:
              desk: { device: "virtual:bars?size=160x96", rate: 15 }
              face: { device: "virtual:bars?size=160x96", rate: 15 }
            limits: none
            """)
        let command = try RunningCommand(
            [
                Multicam.path, "record", "--profile", profile, "--output", scratch.path + "/out",
                "--duration", "120", "--json",
            ], environment: environment)
        let folder = try #require(try command.event(SessionEvent.Started.self).fields.folder)
        let told = try Self.runCtl(["controls", "face"], environment)
        #expect(told.status == 0 && told.values["brightness"] == 0 && told.values["gain"] == 16)
        let set = try Self.runCtl(["controls", "face", "brightness=20"], environment)
        #expect(set.status == 0 && set.values["brightness"] == 20)
        let saved = try Self.runCtl(["save-preset", "face", "by", "day"], environment)
        #expect(saved.reply.controls?.presets == ["by day"])
        let unset = try Multicam.run(
            "ctl", "set", "face", "brightness=0", "--json", environment: environment)
        #expect(try unset.decoded(as: JSONValue.self)["controls"] == nil)
        let loaded = try Self.runCtl(["load-preset", "face", "by day"], environment)
        #expect(loaded.values["brightness"] == 20)
        #expect(try Self.runCtl(["load-preset", "face", "none"], environment).status == 1)
        #expect(try Self.runCtl(["controls", "guest"], environment).status == 2)
        _ = try Self.runCtl(["set", "face", "brightness=0"], environment)
        // Both cameras show the same bars with different exposures, so that copying the settings would not
        // match their images.
        let matched = try Self.runCtl(["match", "face", "desk"], environment)
        let text = matched.reply.text
        #expect(matched.status == 0 && text.contains("face was matched to desk"), "\(text)")
        #expect(matched.values["auto_exposure"] == 1)
        let shares = text.matches(of: #/(-?\d+) % \(desk: (-?\d+) %\)/#).compactMap { match in
            Int(match.1).flatMap { own in Int(match.2).map { abs(own - $0) } }
        }
        #expect(shares.count == 2 && shares.allSatisfy { $0 <= 3 }, "\(text)")
        #expect(try Self.runCtl(["stop"], environment).status == 0)
        #expect(command.waitForEnd() == 0)
        let events = try String(contentsOfFile: folder + "/events.ndjson", encoding: .utf8)
        #expect(events.contains("match face desk") && events.contains("load-preset face by day"))
    }
}
