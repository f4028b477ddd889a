import Foundation
import Glibc
import Testing

@Suite("Devices that are not there")
struct DeviceTests {
    @Test("A machine without a camera or a sound server can be asked for its devices")
    func listing() throws {
        let outcome = try Multicam.run("devices", "--json")
        #expect(outcome.status == 0)
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        #expect(json?["cameras"] is [Any])
        #expect((json?["microphones"] as? [Any])?.isEmpty == true)
        #expect(outcome.errors.contains("PulseAudio"))
    }

    @Test(
        "A device that is missing ends in exit status 3 and a sentence",
        arguments: [
            ("--camera", "desk=frobnicam", "multicam devices"),
            ("--camera", "desk=/dev/video977", "multicam devices"),
            ("--camera", "desk=serial:none", "multicam devices"),
            ("--camera", "desk=file:/nonexistent/film.mp4", "no such file"),
            ("--camera", "desk=file:/tmp", "s a directory"),
            ("--mic", "host=pulse:none", "PulseAudio server does not answer"),
            ("--mic", "host=file:/nonexistent/sound.wav", "no such file"),
        ])
    func missing(_ option: String, _ selection: String, _ expected: String) throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run(
            "record", "--profile", "pip", "--virtual", option, selection, in: scratch)
        expectRefusal(outcome, status: 3, expected)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    @Test("Without a camera `any` says how to try without hardware")
    func none() throws {
        guard try Multicam.run("devices").output.contains("no devices") else { return }
        expectRefusal(try Multicam.run("record", "--profile", "pip"), status: 3, "--virtual")
    }

    @Test("A file that is no media file, or holds no frame, is no camera")
    func wrongFiles() throws {
        let scratch = try Scratch()
        let text = try scratch.file("text.mp4", "this is no film")
        let audio = scratch.path + "/sound.wav"
        let made = try Multicam.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", audio])
        #expect(made.status == 0, "\(made.errors)")
        for (file, expected) in [(text, "no frames or audio"), (audio, "no video")] {
            let outcome = try Multicam.run(
                "record", "--profile", "pip", "--virtual", "--camera", "desk=file:" + file)
            expectRefusal(outcome, status: 3, expected)
        }
    }
}

@Suite("Devices as they come and go")
struct DeviceWatchTests {
    @Test("--watch goes on until Ctrl-C, which is how it ends well")
    func controlC() throws {
        let terminal = try Terminal(columns: 80)
        let command = try RunningCommand([Multicam.path, "devices", "--watch"], terminal: terminal)
        // The sound server's absence is told once all has been looked at.
        #expect(terminal.read { $0.contains("does not answer") }.contains("PulseAudio"))
        command.send(SIGINT)
        #expect(try command.finish().status == 0)
    }

    @Test(
        "Options of `devices` that make no sense together are usage errors",
        arguments: [
            (["--set", "x"], "--position"), (["--position", "front"], "--set"),
            (["--set", "x", "--mounting", "45"], "0, 90, 180 or 270"),
            (["--set", "x", "--type", "usb"], "built-in or external"),
            (["--watch", "--forget", "x"], "do not go together"),
        ])
    func usage(_ options: [String], _ expected: String) throws {
        let outcome = try Multicam.run([Multicam.path, "devices"] + options)
        expectRefusal(outcome, status: 2, expected)
    }

    @Test("What is said of a camera that is not there is refused")
    func absent() throws {
        let scratch = try Scratch()
        var environment = Multicam.environment
        environment["XDG_STATE_HOME"] = scratch.path
        for option in ["--set", "--forget"] {
            let words =
                option == "--set" ? [option, "frobnicam", "--type", "external"] : [option, "frobnicam"]
            let outcome = try Multicam.run([Multicam.path, "devices"] + words, environment: environment)
            expectRefusal(outcome, status: 3, "multicam devices")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    @Test("A broken memory of devices is told of once, and hides no device")
    func brokenMemory() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/multicam", withIntermediateDirectories: true)
        _ = try scratch.file("multicam/devices.json", "{ broken")
        var environment = Multicam.environment
        environment["XDG_STATE_HOME"] = scratch.path
        let first = try Multicam.run("devices", "--json", environment: environment)
        #expect(first.status == 0 && first.errors.contains("set aside"))
        let second = try Multicam.run("devices", "--json", environment: environment)
        #expect(second.status == 0 && !second.errors.contains("set aside"))
    }
}
