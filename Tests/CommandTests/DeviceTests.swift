import Foundation
import Glibc
import Testing

@Suite("Missing devices")
struct DeviceTests {
    @Test("Devices can be listed on a machine without a camera or a sound server")
    func listing() throws {
        let outcome = try Multicam.run("devices", "--json")
        #expect(outcome.status == 0)
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        #expect(json?["cameras"] is [Any])
        #expect((json?["microphones"] as? [Any])?.isEmpty == true)
        #expect(outcome.errors.contains("PulseAudio"))
    }

    @Test(
        "A missing device causes exit status 3 and an error message",
        arguments: [
            ("--camera", "desk=frobnicam", "multicam devices"),
            ("--camera", "desk=/dev/video977", "multicam devices"),
            ("--camera", "desk=serial:none", "multicam devices"),
            ("--camera", "desk=file:/nonexistent/film.mp4", "no such file"),
            ("--camera", "desk=file:/tmp", "s a directory"),
            ("--mic", "host=pulse:none", "PulseAudio server is not responding"),
            ("--mic", "host=file:/nonexistent/sound.wav", "no such file"),
        ])
    func missing(_ option: String, _ selection: String, _ expected: String) throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run(
            "record", "--profile", "pip", "--virtual", option, selection, in: scratch)
        expectRefusal(outcome, status: 3, expected)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    @Test("Without a camera, the error for `any` explains how to try without hardware")
    func none() throws {
        guard try Multicam.run("devices").output.contains("no devices") else { return }
        expectRefusal(try Multicam.run("record", "--profile", "pip"), status: 3, "--virtual")
    }

    @Test("A file without media, or without frames, is rejected as a camera")
    func wrongFiles() throws {
        let scratch = try Scratch()
        let text = try scratch.file("text.mp4", "this is no film")
        let audio = scratch.path + "/sound.wav"
        let made = try Multicam.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", audio])
        #expect(made.status == 0, "\(made.errors)")
        for (file, expected) in [(text, "readable frames or audio"), (audio, "does not contain")] {
            let outcome = try Multicam.run(
                "record", "--profile", "pip", "--virtual", "--camera", "desk=file:" + file)
            expectRefusal(outcome, status: 3, expected)
        }
    }
}

@Suite("Device changes")
struct DeviceWatchTests {
    @Test("--watch runs until Ctrl-C, and then exits with 0")
    func controlC() throws {
        let terminal = try Terminal(columns: 80)
        let command = try RunningCommand([Multicam.path, "devices", "--watch"], terminal: terminal)
        // The missing sound server is reported after the first scan.
        #expect(terminal.read { $0.contains("is not responding") }.contains("PulseAudio"))
        command.send(SIGINT)
        #expect(try command.finish().status == 0)
    }

    @Test(
        "Conflicting options of `devices` are usage errors",
        arguments: [
            (["--set", "x"], "--position"), (["--position", "front"], "--set"),
            (["--set", "x", "--mounting", "45"], "0, 90, 180, or 270"),
            (["--set", "x", "--type", "usb"], "built-in or external"),
            (["--watch", "--forget", "x"], "can't be combined"),
        ])
    func usage(_ options: [String], _ expected: String) throws {
        let outcome = try Multicam.run([Multicam.path, "devices"] + options)
        expectRefusal(outcome, status: 2, expected)
    }

    @Test("Settings for a missing camera are rejected")
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

    @Test("A damaged device history is reported once, and all devices are still listed")
    func brokenMemory() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/multicam", withIntermediateDirectories: true)
        _ = try scratch.file("multicam/devices.json", "{ broken")
        var environment = Multicam.environment
        environment["XDG_STATE_HOME"] = scratch.path
        let first = try Multicam.run("devices", "--json", environment: environment)
        #expect(first.status == 0 && first.errors.contains("renamed to"))
        let second = try Multicam.run("devices", "--json", environment: environment)
        #expect(second.status == 0 && !second.errors.contains("renamed to"))
    }
}
