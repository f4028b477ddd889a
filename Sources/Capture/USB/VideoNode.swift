import Media

/// A node of the V4L2 kind, by sysfs alone: without opening it.
package struct VideoNode: Sendable, Hashable {
    /// `/dev/video0`.
    package let node: String
    /// The driver's name for it, without control characters.
    package let name: String
    /// Of the nodes of one function: the one with 0 captures, the others are for metadata.
    package let index: Int
    /// As `USBDevice.folder`; `nil` for what is on no USB.
    package let usbDevice: String?
    /// The number of the USB interface that controls it.
    package let interface: Int?

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
