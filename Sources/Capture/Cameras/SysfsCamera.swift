import Media

/// A video node's place and identity, before it is opened.
struct SysfsCamera: Sendable {
    let node: String
    /// Index among the nodes of one function; the node with index 0 captures. uvcvideo makes two nodes for each stream,
    /// of which the second, with an odd index, is for metadata; a camera of depth and infrared light has several
    /// streams.
    let index: Int
    let identity: DeviceIdentity
    /// The driver's own name, which tells apart two cameras in one device: "Integrated Camera: Integrated I".
    let driversName: String
    /// Manufacturer from the USB device; empty where it gives none.
    let manufacturer: String
    let usbDevice: String?
    let controller: String?
    let busSpeed: Int?
    /// Whether the camera is a part of the computer, by sysfs `removable`; `nil` where the firmware does not say.
    let isBuiltIn: Bool?
    /// Terminal types of the sources of its frames, from the USB descriptors; empty where there are none.
    let inputTerminals: [UInt16]

    /// Reads the facts of sysfs and udev; opens no node.
    ///
    /// - Parameters:
    ///   - folder: The node's folder without links: `/sys/devices/…/video4linux/video0`.
    ///   - tree: The sysfs that `folder` is in.
    ///   - nodes: Folder of the device nodes, `/dev`.
    ///   - property: Asks udev about a property of this node.
    init(folder: String, in tree: SysfsTree, nodes: String, property: (String) -> String?) {
        let file = tree.event("DEVNAME", of: folder) ?? Paths.name(folder)
        node = "\(nodes)/\(file)"
        index = tree.attribute("index", of: folder).flatMap { Int($0) } ?? 0
        driversName = (tree.attribute("name", of: folder) ?? file).printable()
        let usb = tree.usbDevice(of: folder)
        usbDevice = usb
        guard let usb else {
            identity = DeviceIdentity(busPath: "", name: driversName)
            (controller, busSpeed, isBuiltIn) = (nil, nil, nil)
            manufacturer = ""
            inputTerminals = []
            return
        }
        let interface = tree.ancestors(folder).last { $0.hasPrefix("\(usb)/") }
        let place = property("ID_PATH") ?? interface.flatMap { tree.busPath(ofUSBInterface: $0) } ?? ""
        // The suffix is that of udev's links to further nodes of one function, and makes each a device of its own.
        let busPath = index == 0 || place.isEmpty ? place : "\(place)-video-index\(index)"
        let product = [tree.attribute("idVendor", of: usb), tree.attribute("idProduct", of: usb)].compactMap {
            $0
        }
        identity = DeviceIdentity(
            busPath: busPath.printable(), product: product.joined(separator: ":").printable(),
            serial: (tree.attribute("serial", of: usb) ?? property("ID_SERIAL_SHORT") ?? "").printable(),
            name: (tree.attribute("product", of: usb) ?? driversName).printable())
        manufacturer = (tree.attribute("manufacturer", of: usb) ?? "").printable()
        controller = tree.controller(ofUSBDevice: usb).map { Paths.name($0).printable() }
        // `1.5` of the slowest devices, which are no cameras, is rounded down.
        busSpeed = tree.attribute("speed", of: usb).flatMap { Double($0) }
            .flatMap { Int(exactly: $0.rounded(.down)) }
        let description = Paths.bytes("\(usb)/descriptors", atMost: USBDescription.mostBytes)
            .flatMap { USBDescription($0) }
        inputTerminals = description?.settings.flatMap(\.inputTerminals) ?? []
        isBuiltIn =
            switch tree.attribute("removable", of: usb) {
            case "fixed": true
            case "removable": false
            default: nil
            }
    }

    /// Name of the camera. Where one USB device has several cameras, as for visible and infrared light, it is the
    /// driver's name, since only that tells them apart.
    func name(among cameras: [SysfsCamera]) -> String {
        let siblings = cameras.filter { $0.usbDevice == usbDevice && $0.mayCapture }
        return usbDevice != nil && siblings.count > 1 ? driversName : identity.name
    }

    /// Whether the node is the first of a stream's two nodes.
    var mayCapture: Bool { index.isMultiple(of: 2) }

    var selector: String { identity.busPath.isEmpty ? node : "usb:\(identity.busPath)" }
}
