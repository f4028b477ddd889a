import Foundation
import MulticamMedia
import MulticamPlan
import Testing

@testable import multicam

@Suite("Camera preference")
struct PreferTests {
    private func environment(_ scratch: Scratch) -> [String: String] {
        var environment = Multicam.environment
        environment["XDG_STATE_HOME"] = scratch.path
        return environment
    }

    @Test(
        "Invalid arguments of `prefer` are usage errors",
        arguments: [
            ([], "DEVICE is missing"), (["--show", "--forget"], "can't be combined"),
            (["Studio", "--show"], "Leave out DEVICE"), (["any"], "can't be preferred"),
            (["virtual:clap"], "can't be preferred"),
            (["file:/tmp/film.mp4"], "can't be preferred"),
            (["Studio", "--application", "a b"], "expected 1 to 100 letters"),
        ])
    func usage(_ words: [String], _ expected: String) throws {
        expectRefusal(try Multicam.run([Multicam.path, "prefer"] + words), status: 2, expected)
    }

    @Test("A missing camera cannot be preferred, and nothing is written")
    func absent() throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run("prefer", "frobnicam", environment: environment(scratch))
        expectRefusal(outcome, status: 3, "multicam devices")
        #expect(!outcome.errors.contains("--virtual"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
        expectRefusal(
            try Multicam.run("prefer", "--microphone", "frobnimic", environment: environment(scratch)),
            status: 3, "PulseAudio server is not responding")
    }

    @Test("A chosen device is shown even if disconnected, and can be deleted by its name")
    func history() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/multicam", withIntermediateDirectories: true)
        let identity = #"{ "bus_path": "pci-1", "product": "1:2", "serial": "S", "name": "Gone\u001b[2J" }"#
        let chosen =
            #"{ "chosen": [{ "identity": \#(identity), "role": "desk" }], "proposed": [], "proposals": [] }"#
        let none = #"{ "chosen": [], "proposed": [], "proposals": [] }"#
        _ = try scratch.file(
            "multicam/choices.json",
            #"{ "schema": 1, "streamed": [], "applications": { "multicam": { "cameras": \#(chosen), "microphones": \#(none) } } }"#
        )
        let shown = try Multicam.run("prefer", "--show", environment: environment(scratch))
        #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
        #expect(shown.output.contains("- Gone?[2J  usb:pci-1 1:2 serial:S  chosen for desk, not connected"))
        let json = try Multicam.run("prefer", "--show", "--json", environment: environment(scratch))
        let document =
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(document?["application"] as? String == "multicam")
        let entry = (document?["history"] as? [[String: Any]])?.first
        #expect(entry?["role"] as? String == "desk" && entry?["by"] as? String == "person")
        #expect(entry?["selector"] is NSNull)

        let other = try Multicam.run(
            "prefer", "--show", "--application", "org.example", environment: environment(scratch))
        #expect(other.status == 0 && other.errors.contains("No camera has been chosen"))
        let unknown = try Multicam.run("prefer", "--forget", "Nobody", environment: environment(scratch))
        expectRefusal(unknown, status: 1, "multicam prefer --show")
        let forgotten = try Multicam.run(
            "prefer", "--forget", "serial:S", "--json", environment: environment(scratch))
        #expect(forgotten.status == 0 && forgotten.output.contains(#""history":[]"#))
    }

    @Test("A damaged choice history is reported once, and all devices are still listed")
    func broken() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/multicam", withIntermediateDirectories: true)
        _ = try scratch.file("multicam/choices.json", "{ broken")
        let first = try Multicam.run("devices", "--json", environment: environment(scratch))
        #expect(first.status == 0 && first.errors.contains("choices.json.broken"))
        let second = try Multicam.run("devices", "--json", environment: environment(scratch))
        #expect(second.status == 0 && !second.errors.contains("broken"))
        let json = try JSONSerialization.jsonObject(with: Data(second.output.utf8)) as? [String: Any]
        #expect(json?.keys.contains("preferred") == true)
    }

    @Test("The microphone of an unknown camera is a usage error that lists the available ones")
    func cameraMicrophone() throws {
        let outcome = try Multicam.run(
            "plan", "--profile", "pip", "--virtual", "--mic", "host=camera:room")
        expectRefusal(outcome, status: 2, "camera:desk, camera:face")
    }

    @Test("A preferred device is shown in one line with the reason")
    func line() throws {
        let camera = CaptureDevice(
            mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "Desk\u{1B}"),
            name: "Desk\u{1B}", node: "/dev/video0", selector: "/dev/video0")
        let text = try #require(
            DeviceChangeText(
                preferred: PreferredDevice(device: camera, reason: .pluggedIn),
                date: Date(timeIntervalSince1970: 1_700_000_000.25)))
        #expect(text.line.hasSuffix(" * camera Desk?  /dev/video0  preferred: it was plugged in last"))
        #expect(text.json.contains(#""event":"preferred""#))
        #expect(DeviceChangeText(preferred: nil, date: Date()) == nil)
    }
}
