import MulticamInputs
import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("Virtual camera and virtual microphone")
struct LocalDevicesTests {
    private func request(_ address: String) throws -> ConnectionRequest {
        var streams = PublishedStreams()
        streams.frames = VideoFormat(
            pixel: .i420, size: FrameSize(width: 64, height: 48), rate: FrameRate(30))
        streams.samples = AudioFormat(rate: 48_000, channels: 2)
        return ConnectionRequest(
            name: "cam", address: try LiveOutputAddress(address), token: nil, streams: streams,
            cancellation: Cancellation())
    }

    @Test("a missing node is retried, and the error names the command that creates it")
    func absent() throws {
        let request = try request("v4l2:/dev/video4711")
        let error = #expect(throws: PublishingError.self) { try VirtualCameraConnection(request) }
        #expect(error?.kind == .lost)
        #expect(error?.description.contains("modprobe v4l2loopback video_nr=4711 exclusive_caps=1") == true)
    }

    @Test("a node that isn't a video device is rejected", arguments: ["/dev/null", "/dev/zero"])
    func noCamera(path: String) throws {
        let request = try request("v4l2:\(path)")
        let error = #expect(throws: PublishingError.self) { try VirtualCameraConnection(request) }
        #expect(error?.kind == .refused && error?.description.hasPrefix(path) == true)
    }

    @Test("each failure of a node has an error of one sentence, and is retried only if that can help")
    func sentences() {
        let cases: [(DeviceError.Reason, PublishingError.Kind, String)] = [
            (.notFound, .lost, "modprobe"), (.busy(by: nil), .lost, "another program"),
            (.noPermission(.notInGroup("video")), .refused, "usermod"), (.disconnected, .lost, "removed"),
            (.formatNotSupported(requested: "a", offered: ["RGB3 640x480"]), .lost, "RGB3 640x480"),
            (.other("it is a camera."), .refused, "it is a camera."), (.system(errno: 12), .lost, "memory"),
        ]
        for (reason, kind, word) in cases {
            let error = VirtualCameraConnection.publishingError(
                for: DeviceError(device: "/dev/video9", operation: "opening", reason: reason), "/dev/video9")
            #expect(error.kind == kind && error.description.contains(word), "\(error)")
            #expect(error.description.contains("/dev/video9") && error.description.hasSuffix("."), "\(error)")
        }
    }

    @Test("a missing sound server is retried, with a hint how to start it; a missing mix is rejected")
    func noServer() throws {
        let request = try request("pulse:Studio mix")
        let error = #expect(throws: PublishingError.self) {
            try VirtualMicrophoneConnection(request, server: "unix:/nonexistent/socket")
        }
        #expect(error?.kind == .lost && error?.description.contains("start") == true)
        let silent = ConnectionRequest(
            name: "mic", address: request.address, token: nil, streams: PublishedStreams(),
            cancellation: Cancellation())
        let refused = #expect(throws: PublishingError.self) {
            try VirtualMicrophoneConnection(silent, server: nil)
        }
        #expect(refused?.kind == .refused)
    }
}
