import MulticamMedia

@testable import MulticamCapture

/// Tests the sysfs files of a bus with a hub, a camera behind it, and the camera's node. They contain strings
/// chosen by a device and numbers provided by a driver.
final class SysfsText: FuzzTarget {
    static let name = "sysfs"
    static let limit = 2048
    private let files: ScratchFiles

    private static let bus = "sys/devices/pci0000:00/0000:00:14.0/usb1"
    private static let hub = bus + "/1-2"
    private static let camera = hub + "/1-2.3"
    private static let node = camera + "/1-2.3:1.0/video4linux/video0"

    /// The files for the parts of an input, in order.
    private static let parts = [
        camera + "/product", camera + "/speed", camera + "/serial", camera + "/idVendor",
        camera + "/idProduct",
        camera + "/removable", node + "/name", node + "/index", node + "/uevent", bus + "/speed",
        bus + "/maxchild", hub + "/speed", camera + "/1-2.3:1.0/bInterfaceNumber",
        camera + "/1-2.3:1.0/bInterfaceClass", camera + "/1-2.3:1.0/bAlternateSetting",
        camera + "/1-2.3:1.1/bInterfaceNumber", camera + "/1-2.3:1.1/bInterfaceClass",
        camera + "/1-2.3:1.1/bAlternateSetting", "sys/devices/pci0000:00/0000:00:14.0/uframe_periodic_max",
        bus + "/1-0:1.0/usb1-port3/connect_type", camera + "/bos_descriptors", camera + "/descriptors",
    ]

    init(folder: String) {
        files = ScratchFiles(folder: folder)
        for part in Self.parts {
            files.makeFolder(part.split(separator: "/").dropLast().joined(separator: "/"))
        }
        for folder in ["sys/bus/usb/devices", "sys/class/video4linux", "sys/bus/pci/drivers/ehci-pci", "dev"]
        {
            files.makeFolder(folder)
        }
        for device in [Self.bus, Self.hub, Self.camera] {
            let name = device.split(separator: "/").last.map { String($0) } ?? ""
            files.link("sys/bus/usb/devices/\(name)", to: device)
        }
        files.link("sys/class/video4linux/video0", to: Self.node)
        files.link("sys/devices/pci0000:00/0000:00:14.0/driver", to: "sys/bus/pci/drivers/ehci-pci")
        files.write(Self.bus + "/idVendor", Array("1d6b\n".utf8))
        files.write(Self.hub + "/idVendor", Array("05e3\n".utf8))
    }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let parts = InputParts(bytes, count: Self.parts.count)
        for (index, path) in Self.parts.enumerated() { files.set(path, parts[index]) }
        let sysfs = files.path("sys")
        let tree = USBTree(sysfs: sysfs)
        for bus in tree.buses {
            try require(bus.freePorts.count <= 255, "a bus with \(bus.freePorts.count) free ports")
            _ = bus.freeDomain
        }
        for device in tree.devices {
            try requireDisplayable(device.product)
            try requireDisplayable(device.productID)
            for domain in device.domains {
                try require(domain.budget > .zero, "\(domain.place) has no room at all")
            }
            let load = tree.load(around: device)
            for reservation in device.streamSettings(controlledBy: 0) {
                _ = load.fits(reservation, of: device)
            }
        }
        let nodes = VideoNode.all(sysfs: sysfs, nodes: files.path("dev"))
        let sysfsTree = SysfsTree(root: sysfs)
        var cameras: [CaptureDevice] = []
        for folder in sysfsTree.videoNodes() {
            let camera = SysfsCamera(folder: folder, in: sysfsTree, nodes: "/dev") { _ in nil }
            try requireDisplayable(camera.name(among: [camera]))
            try requireDisplayable(camera.identity.description)
            try requireDisplayable(camera.selector)
            cameras.append(
                CaptureDevice(
                    mediaType: .video, deviceType: .external, identity: camera.identity,
                    name: camera.identity.name, node: camera.node, selector: camera.selector))
        }
        let topology = USBTopology(tree, nodes: nodes, cameras: cameras, processes: files.path("proc"))
        for claim in topology.claims { try requireDisplayable(claim.device) }
        _ = topology.load()
    }
}
