import Foundation
import Media
import Testing

@testable import Capture

@Suite("Nodes that are not to be had")
struct V4L2CameraTests {
    private let format = VideoFormat(
        pixel: .mjpeg, size: PictureSize(width: 640, height: 480), rate: FrameRate(30, per: 1))

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

    @Test("a node's group is told by name")
    func group() {
        #expect(NodeOwners.groupName(of: "/dev/null") == "root")
        #expect(NodeOwners.groupName(of: "/dev/video-none") == nil)
    }

    @Test("who has a node open is found in proc, and we ourselves are not meant")
    func holder() throws {
        let proc = try TemporaryFolder()
        try proc.write("comm", in: "4242", "obs\u{1b}[31m\n")
        try proc.folder("4242/fd")
        try proc.link("4242/fd/17", to: "/dev/video-none")
        try proc.write("comm", in: "\(getpid())", "self\n")
        try proc.folder("\(getpid())/fd")
        try proc.link("\(getpid())/fd/3", to: "/dev/video-other")
        try proc.folder("self")
        #expect(NodeOwners.holder(of: "/dev/video-none", processes: proc.path) == "obs?[31m")
        #expect(NodeOwners.holder(of: "/dev/video-other", processes: proc.path) == nil)
    }

    @Test("errors are explained by what the system can tell")
    func explained() {
        let full = DeviceError(device: "/dev/video-none", operation: "VIDIOC_STREAMON", errno: ENOSPC)
        #expect(
            full.explained(node: "/dev/video-none", controller: "0000:00:14.0").reason
                == .noBandwidth(controller: "0000:00:14.0"))
        let closed = DeviceError(device: "/dev/null", operation: "open", errno: EACCES)
        #expect(closed.explained(node: "/dev/null", controller: nil).reason == .noPermission(group: "root"))
    }
}
