import Foundation
import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Unavailable camera nodes")
struct V4L2CameraTests {
    private let format = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30, per: 1))

    private func camera(_ node: String) -> CaptureDevice {
        CaptureDevice(
            mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "None"), name: "None",
            node: node,
            selector: node)
    }

    @Test("explains what to do if a camera is missing")
    func missing() {
        let error = #expect(throws: DeviceError.self) {
            _ = try V4L2Camera(device: camera("/dev/video-none"), format: format)
        }
        #expect(error?.reason == .notFound)
        #expect(error?.description.contains("Connect it, or choose another device.") == true)
    }

    @Test("reports a node that is not a V4L2 node at its first ioctl")
    func otherNode() {
        let error = #expect(throws: DeviceError.self) {
            let device = try V4L2Device(path: "/dev/null")
            _ = try device.capability()
        }
        #expect(error?.operation == "VIDIOC_QUERYCAP")
        #expect(throws: DeviceError.self) { _ = try V4L2Camera(device: camera("/dev/null"), format: format) }
    }
}
