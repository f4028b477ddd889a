import Media

/// A V4L2 node as sysfs shows it, without opening it.
package struct VideoNode: Sendable, Hashable {
    /// Path of the node, such as `/dev/video0`.
    package let node: String
    /// The driver's name for the node, printable.
    package let name: String
    /// Index among the nodes of one function: the node with 0 captures, the others are for metadata.
    package let index: Int
    /// Folder of the USB device, as in `USBDevice.folder`; `nil` for a node that is on no USB bus.
    package let usbDevice: String?
    /// Number of the USB interface that controls the node.
    package let interface: Int?

    /// Returns all video nodes, ordered by number.
    package static func all(sysfs: String = "/sys", nodes: String = "/dev") -> [VideoNode] {
        let tree = SysfsTree(root: sysfs)
        return tree.videoNodes().map { folder in
            let file = tree.event("DEVNAME", of: folder) ?? Paths.name(folder)
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
