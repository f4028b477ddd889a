internal import CLinux
import Media

/// A V4L2 node that takes frames and returns them changed (memory to memory), as encoders and decoders of chips do.
package struct CodecNode: Sendable, Hashable {
    /// Path of the node, such as `/dev/video11`.
    package let node: String
    /// The card's name, printable.
    package let name: String
    /// The driver's name, printable.
    package let driver: String
    /// Whether the node outputs H.264, which makes it an encoder.
    package let encodesH264: Bool

    /// Makes a node from known facts.
    package init(node: String, name: String, driver: String, encodesH264: Bool) {
        self.node = node
        self.name = name
        self.driver = driver
        self.encodesH264 = encodesH264
    }

    /// Returns the nodes that exist and may be opened. Nodes on a USB bus are cameras and are not opened.
    package static func all() -> [CodecNode] {
        VideoNode.all().filter { $0.usbDevice == nil }.compactMap { video in
            do throws(DeviceError) {
                return try CodecNode(opening: video.node)
            } catch {
                // A node that may not be opened cannot encode for this user; a busy camera is no codec.
                return nil
            }
        }
    }

    /// Opens a node and asks what it is; `nil` for a node that is no codec.
    private init?(opening node: String) throws(DeviceError) {
        let device = try V4L2Device(path: node)
        let capability = try device.capability()
        guard capability.isCodec else { return nil }
        self.init(
            node: node, name: capability.name, driver: capability.driver,
            encodesH264: device.codes(of: V4L2_BUF_TYPE_VIDEO_CAPTURE).contains(FourCC("H264"))
                || device.codes(of: V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE).contains(FourCC("H264")))
    }
}
