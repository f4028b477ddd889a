import Foundation

/// A sysfs tree in a test's folder, as the kernel would present it.
enum SyntheticSysfs {
    /// A laptop's built-in camera, a webcam with a metadata node on the same controller, and a virtual camera
    /// without a controller.
    static func studio() throws -> TemporaryFolder {
        let tree = try TemporaryFolder()
        let controller = "devices/pci0000:00/0000:00:14.0"
        try tree.folder("class/video4linux")
        try tree.folder("bus/pci")
        try tree.folder(controller)
        try tree.link("\(controller)/subsystem", to: "../../../bus/pci")
        try tree.write("idVendor", in: "\(controller)/usb1", "1d6b\n")
        try addDevice(
            tree, "\(controller)/usb1/1-7", product: "Integrated Camera", serial: nil, removable: "fixed")
        try addNode(
            tree, "\(controller)/usb1/1-7/1-7:1.0", "video0", index: 0,
            name: "Integrated Camera: Integrated C")
        try addDevice(
            tree, "\(controller)/usb1/1-2", product: "Studio\u{7} Webcam", serial: "LAB0001",
            removable: "removable")
        try addNode(tree, "\(controller)/usb1/1-2/1-2:1.0", "video10", index: 0, name: "Studio Webcam")
        try addNode(tree, "\(controller)/usb1/1-2/1-2:1.0", "video3", index: 1, name: "Studio Webcam")
        try tree.folder("\(controller)/usb1/1-2/1-2:1.2/sound/card1")
        try addNode(tree, "devices/platform/vivid.0", "video4", index: 0, name: "vivid-000-vid-cap")
        return tree
    }

    /// Adds a USB device.
    static func addDevice(
        _ tree: TemporaryFolder, _ folder: String, product: String, serial: String?, removable: String
    ) throws {
        let attributes = [
            "idVendor": "046d", "idProduct": "082d", "product": product, "speed": "480",
            "removable": removable,
        ]
        for (name, value) in attributes { try tree.write(name, in: folder, "\(value)\n") }
        if let serial { try tree.write("serial", in: folder, "\(serial)\n") }
    }

    /// Adds a node to the device or interface with the folder `parent`, with its link in the class.
    static func addNode(
        _ tree: TemporaryFolder, _ parent: String, _ node: String, index: Int, name: String
    ) throws {
        try writeNode(tree, parent, node, index: index, name: name)
        try tree.link("class/video4linux/\(node)", to: "../../\(parent)/video4linux/\(node)")
    }

    /// Writes only the node's folder.
    static func writeNode(
        _ tree: TemporaryFolder, _ parent: String, _ node: String, index: Int, name: String
    ) throws {
        let folder = "\(parent)/video4linux/\(node)"
        try tree.write("index", in: folder, "\(index)\n")
        try tree.write("name", in: folder, "\(name)\n")
        try tree.write("uevent", in: folder, "MAJOR=81\nMINOR=0\nDEVNAME=\(node)\n")
    }
}
