import Foundation
import Media
import Testing

@testable import Capture

@Suite("Cameras in sysfs")
struct CameraCatalogTests {
    /// A laptop's own camera, a webcam with a metadata node on the same controller, and a virtual one on none.
    private func tree() throws -> TemporaryFolder {
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

    private func addDevice(
        _ tree: TemporaryFolder, _ folder: String, product: String, serial: String?, removable: String
    ) throws {
        let attributes = [
            "idVendor": "046d", "idProduct": "082d", "product": product, "speed": "480",
            "removable": removable,
        ]
        for (name, value) in attributes { try tree.write(name, in: folder, "\(value)\n") }
        if let serial { try tree.write("serial", in: folder, "\(serial)\n") }
    }

    private func addNode(_ tree: TemporaryFolder, _ parent: String, _ node: String, index: Int, name: String)
        throws
    {
        let folder = "\(parent)/video4linux/\(node)"
        try tree.write("index", in: folder, "\(index)\n")
        try tree.write("name", in: folder, "\(name)\n")
        try tree.write("uevent", in: folder, "MAJOR=81\nMINOR=0\nDEVNAME=\(node)\n")
        try tree.link("class/video4linux/\(node)", to: "../../\(folder)")
    }

    private func cameras(_ tree: TemporaryFolder) throws -> [CaptureDevice] {
        try CameraCatalog(sysfs: tree.path, nodes: "/nonexistent/dev").cameras()
    }

    @Test("every camera once, by number, without metadata nodes")
    func nodes() throws {
        #expect(
            try cameras(tree()).map(\.node) == [
                "/nonexistent/dev/video0", "/nonexistent/dev/video4", "/nonexistent/dev/video10",
            ])
    }

    @Test("identity, place and kind come from sysfs")
    func facts() throws {
        let cameras = try cameras(tree())
        let webcam = try #require(cameras.first { $0.node.hasSuffix("video10") })
        #expect(
            webcam.identity
                == DeviceIdentity(
                    busPath: "pci-0000:00:14.0-usb-0:2:1.0", product: "046d:082d", serial: "LAB0001",
                    name: "Studio? Webcam"))
        #expect(webcam.selector == "usb:pci-0000:00:14.0-usb-0:2:1.0")
        #expect(webcam.controller == "0000:00:14.0")
        #expect(webcam.busSpeed == 480)
        #expect(webcam.deviceType == .external)
        #expect(webcam.name == "Studio? Webcam")
        let own = try #require(cameras.first { $0.node.hasSuffix("video0") })
        #expect(own.deviceType == .builtIn)
        #expect(own.identity.serial.isEmpty)
    }

    @Test("a camera on no USB is named by its node")
    func virtual() throws {
        let camera = try #require(try cameras(tree()).first { $0.node.hasSuffix("video4") })
        #expect(camera.selector == camera.node)
        #expect(camera.controller == nil)
        #expect(camera.deviceType == .external)
        #expect(camera.identity == DeviceIdentity(name: "vivid-000-vid-cap"))
    }

    @Test("a camera whose node does not answer is listed with its problem")
    func problem() throws {
        for camera in try cameras(tree()) {
            guard case .failing(let why) = camera.problem else {
                Issue.record("\(camera.node) has no problem")
                continue
            }
            #expect(why.contains("no such device"))
        }
    }

    @Test("two cameras in one device go by the driver's names")
    func twins() throws {
        let tree = try tree()
        try addNode(
            tree, "devices/pci0000:00/0000:00:14.0/usb1/1-7/1-7:1.2", "video5", index: 0,
            name: "Integrated Camera: Integrated I")
        let names = try cameras(tree).map(\.name)
        #expect(names.contains("Integrated Camera: Integrated C"))
        #expect(names.contains("Integrated Camera: Integrated I"))
    }

    @Test("no sysfs, no cameras")
    func empty() throws {
        #expect(try CameraCatalog(sysfs: "/nonexistent", nodes: "/dev").cameras().isEmpty)
    }

    @Test(
        "a sound card's path leads to the USB device of its camera, with and without sysfs's own place in front"
    )
    func usbDevice() throws {
        let tree = try tree()
        let sysfs = SysfsTree(root: tree.path)
        let device = try #require(Paths.resolved("\(tree.path)/devices/pci0000:00/0000:00:14.0/usb1/1-2"))
        let card = "/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.2/sound/card1"
        #expect(sysfs.usbDevice(of: card) == device)
        #expect(sysfs.usbDevice(of: tree.path + card) == device)
        #expect(sysfs.usbDevice(of: "\(tree.path)/class/video4linux/video10") == device)
        #expect(sysfs.usbDevice(of: "/devices/platform/vivid.0") == nil)
        #expect(sysfs.usbDevice(of: "/devices/nowhere") == nil)
        #expect(sysfs.usbDevice(of: "/devices/pci0000:00/0000:00:14.0/usb1") == nil)
    }
}
