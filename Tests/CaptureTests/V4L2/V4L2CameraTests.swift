import Foundation
import Media
import Testing

@testable import Capture

@Suite("Nodes that are not to be had")
struct V4L2CameraTests {
    private let format = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30, per: 1))

    private func camera(_ node: String) -> CaptureDevice {
        CaptureDevice(
            mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: "None"), name: "None",
            node: node,
            selector: node)
    }

    @Test("a missing camera says how to list cameras")
    func missing() {
        let error = #expect(throws: DeviceError.self) {
            _ = try V4L2Camera(device: camera("/dev/video-none"), format: format)
        }
        #expect(error?.reason == .notFound)
        #expect(error?.description.contains("multicam devices") == true)
    }

    @Test("what is no V4L2 node is an error of its first ioctl, and no camera")
    func otherNode() {
        let error = #expect(throws: DeviceError.self) {
            let device = try V4L2Device(path: "/dev/null")
            _ = try device.capability()
        }
        #expect(error?.operation == "VIDIOC_QUERYCAP")
        #expect(throws: DeviceError.self) { _ = try V4L2Camera(device: camera("/dev/null"), format: format) }
    }
}
