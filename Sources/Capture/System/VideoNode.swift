internal import CMulticamLinux
import MulticamMedia

/// A V4L2 node as described by sysfs. The node isn't opened.
package struct VideoNode: Sendable, Hashable {
    /// Path of the node, such as `/dev/video0`.
    package let node: String
    /// Name from the driver, printable.
    package let name: String
    /// Index among the nodes of one function. Node 0 captures video; the other nodes deliver metadata.
    package let index: Int
    /// Directory of the USB device, as in `USBDevice.folder`; `nil` for a node that isn't on a USB bus.
    package let usbDevice: String?
    /// Number of the USB interface that controls the node.
    package let interface: Int?

    /// Returns all video nodes, ordered by number.
    package static func all(sysfs: String = "/sys", nodes: String = "/dev") -> [VideoNode] {
        let tree = SysfsTree(root: sysfs)
        return tree.videoNodes().map { folder in
            let file = tree.ueventValue("DEVNAME", of: folder) ?? Paths.name(folder)
            let usb = tree.usbDevice(of: folder)
            let interface = tree.ancestors(folder).last { above in
                usb.map { above.hasPrefix("\($0)/") } ?? false
            }
            return VideoNode(
                node: "\(nodes)/\(file)".printable(),
                name: (tree.attribute("name", of: folder) ?? file).printable(),
                index: tree.attribute("index", of: folder).flatMap { Int($0) } ?? 0, usbDevice: usb,
                interface: interface.flatMap { tree.attribute("bInterfaceNumber", of: $0) }
                    .flatMap { Int($0, radix: 16) })
        }
    }
}

/// A V4L2 memory-to-memory node, which accepts frames and returns processed frames. Used by hardware encoders and
/// decoders of SoCs.
package struct CodecNode: Sendable, Hashable {
    /// Path of the node, such as `/dev/video11`.
    package let node: String
    /// Card name, printable.
    package let name: String
    /// Driver name, printable.
    package let driver: String
    /// Whether the node outputs H.264 and is therefore an encoder.
    package let encodesH264: Bool

    /// Creates a node from known values.
    package init(node: String, name: String, driver: String, encodesH264: Bool) {
        self.node = node
        self.name = name
        self.driver = driver
        self.encodesH264 = encodesH264
    }

    /// Returns the codec nodes that this process can open. Doesn't open nodes on a USB bus, because they are cameras.
    package static func all() -> [CodecNode] {
        VideoNode.all().filter { $0.usbDevice == nil }.compactMap { video in
            do throws(DeviceError) {
                return try CodecNode(opening: video.node)
            } catch {
                // A node that this user can't access can't be used for encoding, and a busy camera isn't a
                // codec.
                return nil
            }
        }
    }

    /// Opens a node and queries its capabilities; returns `nil` if the node isn't a codec.
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
