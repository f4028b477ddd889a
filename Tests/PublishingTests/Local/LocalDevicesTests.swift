import Inputs
import Media
import Testing

@testable import Publishing

@Suite("Virtual camera and virtual microphone")
struct LocalDevicesTests {
    private func request(_ address: String) throws -> DestinationRequest {
        var streams = PublishedStreams()
        streams.frames = VideoFormat(
            pixel: .i420, size: FrameSize(width: 64, height: 48), rate: FrameRate(30))
        streams.samples = AudioFormat(rate: 48_000, channels: 2)
        return DestinationRequest(
            name: "cam", address: try DestinationAddress(address), token: nil, streams: streams,
            cancellation: Cancellation())
    }

    @Test("a node that is not there is waited for, with the command that makes it")
    func absent() throws {
        let request = try request("v4l2:/dev/video4711")
        let error = #expect(throws: PublishingError.self) { try VirtualCameraConnection(request) }
        #expect(error?.kind == .lost)
        #expect(error?.description.contains("modprobe v4l2loopback video_nr=4711 exclusive_caps=1") == true)
    }

    @Test("what is no video device is refused", arguments: ["/dev/null", "/dev/zero"])
    func noCamera(path: String) throws {
        let request = try request("v4l2:\(path)")
        let error = #expect(throws: PublishingError.self) { try VirtualCameraConnection(request) }
        #expect(error?.kind == .refused && error?.description.hasPrefix(path) == true)
    }

    @Test("each failure of a node is one sentence, and says whether trying again may help")
    func sentences() {
        let cases: [(DeviceError.Reason, PublishingError.Kind, String)] = [
            (.notFound, .lost, "modprobe"), (.busy(by: nil), .lost, "another program"),
            (.noPermission(.notInGroup("video")), .refused, "usermod"), (.disconnected, .lost, "removed"),
            (.formatNotSupported(requested: "a", offered: ["RGB3 640x480"]), .lost, "RGB3 640x480"),
            (.other("it is a camera."), .refused, "it is a camera."), (.system(errno: 12), .lost, "memory"),
        ]
        for (reason, kind, word) in cases {
            let error = VirtualCameraConnection.explained(
                DeviceError(device: "/dev/video9", operation: "open", reason: reason), "/dev/video9")
            #expect(error.kind == kind && error.description.contains(word), "\(error)")
            #expect(error.description.contains("/dev/video9") && error.description.hasSuffix("."), "\(error)")
        }
    }

    @Test("without a sound server it is tried again, with what starts one; without a mix it is refused")
    func noServer() throws {
        let request = try request("pulse:Studio mix")
        let error = #expect(throws: PublishingError.self) {
            try VirtualMicrophoneConnection(request, server: "unix:/nonexistent/socket")
        }
        #expect(error?.kind == .lost && error?.description.contains("start") == true)
        let silent = DestinationRequest(
            name: "mic", address: request.address, token: nil, streams: PublishedStreams(),
            cancellation: Cancellation())
        let refused = #expect(throws: PublishingError.self) {
            try VirtualMicrophoneConnection(silent, server: nil)
        }
        #expect(refused?.kind == .refused)
    }
}
