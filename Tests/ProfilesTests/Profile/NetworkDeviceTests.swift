import MulticamMedia
import MulticamProfiles
import Testing

@Suite("Network cameras in a profile")
struct NetworkDeviceTests {
    private static func read(_ text: String) throws(ProfileError) -> Profile {
        try Profile(yaml: Array(text.utf8), file: "test.yaml")
    }

    @Test("an address is a device or stored elsewhere, and its variable is withheld from other programs")
    func fields() throws {
        let profile = try Self.read(
            """
            cameras:
              gate: { device: "rtsp://10.0.0.20/stream1" }
              door: { url_from: { env: DOOR_URL } }
            microphones:
              gate-mic: { device: "camera:gate" }
              hall: { url_from: { file: ~/.hall } }
            """)
        #expect(profile.cameras.map(\.address) == [nil, .environment("DOOR_URL")])
        #expect(profile.microphones.map(\.address) == [nil, .file("~/.hall")])
        #expect(profile.secretVariables == ["DOOR_URL"])
        let virtual = try profile.replacingDevices(virtually: .clap)
        #expect(virtual.cameras.allSatisfy { $0.device == "virtual:clap" && $0.address == nil })
        let named = try profile.replacingDevices(cameras: [("door", "/dev/video0")])
        #expect(named.cameras[1].device == "/dev/video0" && named.cameras[1].address == nil)
    }

    @Test(
        "an invalid address is rejected with its position and never repeated",
        arguments: [
            (
                "device: \"rtsp://user:geheim@/x\"",
                "cameras.gate.device: found an invalid address"
            ),
            ("device: \"srt://geheim\"", "Example: srt://"),
            ("device: \"http://host:99999/geheim\"", "a port from 1 to 65535"),
            (
                "device: \"rtsp://host/x\", url_from: { env: A }",
                "cameras.gate: found both device and url_from"
            ),
            ("url_from: geheim", "cameras.gate.url_from: found no source"),
        ])
    func refused(fields: String, expected: String) {
        do {
            _ = try Self.read("cameras: { gate: { \(fields) } }")
            Issue.record("\(fields) was taken")
        } catch {
            #expect(error.description.contains(expected), "\(error)")
            #expect(!error.description.contains("geheim"))
        }
    }
}
