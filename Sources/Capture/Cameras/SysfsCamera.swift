import Media

/// A video node's place and identity, before it is opened.
struct SysfsCamera: Sendable {
    let node: String
    /// Of the nodes of one function: the one with 0 captures. uvcvideo makes two for each stream, of which the second, with an odd
    /// number, is for metadata; a camera of depth and infrared light has several streams.
    let index: Int
    let identity: DeviceIdentity
    /// The driver's own name, which tells two cameras in one device apart: "Integrated Camera: Integrated I".
    let driversName: String
    /// As the USB device says; empty where it says nothing.
    let manufacturer: String
    let usbDevice: String?
    let controller: String?
    let busSpeed: Int?
    /// Whether it is a part of the computer, by sysfs `removable`; `nil` where the firmware has not told.
    let isBuiltIn: Bool?
    /// What the USB device says its frames come from, by its descriptors; empty where it says nothing.
    let inputTerminals: [UInt16]

    /// Reads what sysfs and udev tell; opens no node.
    ///
    /// - Parameters:
    ///   - folder: Of the node, without links: `/sys/devices/…/video4linux/video0`.
    ///   - tree: The sysfs that `folder` is in.
    ///   - nodes: Where device nodes are, `/dev`.
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
        // As udev names links to further nodes of one function, so that each is a device of its own.
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

    /// One USB device with several cameras, as of visible and of infrared light: only the driver tells them apart.
    func name(among cameras: [SysfsCamera]) -> String {
        let siblings = cameras.filter { $0.usbDevice == usbDevice && $0.mayCapture }
        return usbDevice != nil && siblings.count > 1 ? driversName : identity.name
    }

    /// Whether it is the first of a stream's two nodes.
    var mayCapture: Bool { index.isMultiple(of: 2) }

    var selector: String { identity.busPath.isEmpty ? node : "usb:\(identity.busPath)" }
}
