import Testing

@testable import MulticamMedia

@Suite("Input ports of a device")
struct InputPortTests {
    private static func device(
        _ mediaType: CaptureDevice.MediaType, channels: Int = 0, _ sides: [CaptureDevice.Position] = [],
        position: CaptureDevice.Position = .unspecified
    ) -> CaptureDevice {
        var device = CaptureDevice(
            mediaType: mediaType, deviceType: .external, position: position,
            identity: DeviceIdentity(name: "d"), name: "d", node: "", selector: "",
            audio: channels > 0 ? AudioFormat(rate: 48_000, channels: channels) : nil)
        device.channelPositions = sides
        return device
    }

    @Test("a camera has one port with the camera's position")
    func camera() {
        #expect(
            Self.device(.video, position: .back).inputPorts == [InputPort(mediaType: .video, position: .back)]
        )
    }

    @Test("a microphone has a port for all channels, and one per side if its driver distinguishes sides")
    func microphone() {
        let all = InputPort(mediaType: .audio, channels: [0, 1])
        #expect(Self.device(.audio, channels: 2).inputPorts == [all])
        // Two channels on the same side are ordinary left and right channels.
        #expect(Self.device(.audio, channels: 2, [.front, .front]).inputPorts == [all])
        #expect(
            Self.device(.audio, channels: 4, [.front, .front, .back, .back], position: .front).inputPorts == [
                InputPort(mediaType: .audio, position: .front, channels: [0, 1, 2, 3]),
                InputPort(mediaType: .audio, position: .front, channels: [0, 1]),
                InputPort(mediaType: .audio, position: .back, channels: [2, 3]),
            ])
    }
}
