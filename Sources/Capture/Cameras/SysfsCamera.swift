internal import CMulticamLinux
package import MulticamMedia

/// Location and identity of a video node that hasn't been opened.
struct SysfsCamera: Sendable {
    let node: String
    /// Index among the nodes of one function; the node with index 0 captures video. uvcvideo creates two
    /// nodes per stream. The second node of a stream has an odd index and delivers metadata. A camera with
    /// depth and infrared sensors has several streams.
    let index: Int
    let identity: DeviceIdentity
    /// Name from the driver, which distinguishes two cameras in one device: "Integrated Camera: Integrated I".
    let driversName: String
    /// Manufacturer from the USB device; empty if not provided.
    let manufacturer: String
    let usbDevice: String?
    let controller: String?
    let busSpeed: Int?
    /// Whether the camera is built into the computer, from the sysfs attribute `removable`; `nil` if the firmware
    /// doesn't provide it.
    let isBuiltIn: Bool?
    /// UVC terminal types of the frame sources, from the USB descriptors; empty if none.
    let inputTerminals: [UInt16]

    /// Reads the properties from sysfs and udev. Doesn't open any node.
    ///
    /// - Parameters:
    ///   - folder: Directory of the node, without links: `/sys/devices/…/video4linux/video0`.
    ///   - tree: The sysfs that contains `folder`.
    ///   - nodes: Directory of the device nodes, `/dev`.
    ///   - property: Returns a udev property of this node.
    init(folder: String, in tree: SysfsTree, nodes: String, property: (String) -> String?) {
        let file = tree.ueventValue("DEVNAME", of: folder) ?? Paths.name(folder)
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
        // udev uses the same suffix in its links to additional nodes of one function. Each of these nodes is
        // listed as a separate device.
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
        // The 1.5 Mb/s of low-speed devices are rounded down, which doesn't affect cameras because they
        // always use a higher speed.
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

    /// Returns the name of the camera. If one USB device has several cameras, such as visible light and infrared,
    /// returns the driver's name, because only that name differs.
    func name(among cameras: [SysfsCamera]) -> String {
        let siblings = cameras.filter { $0.usbDevice == usbDevice && $0.isCaptureNode }
        return usbDevice != nil && siblings.count > 1 ? driversName : identity.name
    }

    /// Whether the node is the first of a stream's two nodes.
    var isCaptureNode: Bool { index.isMultiple(of: 2) }

    var selector: String { identity.busPath.isEmpty ? node : "usb:\(identity.busPath)" }
}

/// Reads device properties from the udev database. Owns a libudev context. Must be used from only one thread
/// at a time.
struct UdevProperties: ~Copyable {
    private let context: OpaquePointer?

    init() {
        context = udev_new()
    }

    deinit {
        if let context { udev_unref(context) }
    }

    /// Reads a property of a device.
    ///
    /// - Parameters:
    ///   - name: udev name of the property, such as `ID_PATH`.
    ///   - folder: Directory of the device in `/sys`, without links.
    /// - Returns: The property's value, which is never empty; `nil` if udev isn't running or doesn't have the
    ///   property.
    func value(_ name: String, of folder: String) -> String? {
        guard let context, let device = udev_device_new_from_syspath(context, folder) else { return nil }
        defer { udev_device_unref(device) }
        guard let value = udev_device_get_property_value(device, name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Whether udevd has finished processing a device: its permissions are set and its links exist.
    func isSettled(_ folder: String) -> Bool {
        guard let context, let device = udev_device_new_from_syspath(context, folder) else { return true }
        defer { udev_device_unref(device) }
        return udev_device_get_is_initialized(device) > 0
    }

    /// Whether udevd is running. Checks the control socket, as libudev does.
    static var isDaemonRunning: Bool { Paths.exists("/run/udev/control") }
}

/// Lists the cameras in sysfs without opening their nodes, so streaming cameras aren't disturbed.
package struct PresentCameras: Sendable {
    private let tree: SysfsTree
    private let nodes: String

    /// Creates a list of the cameras in sysfs.
    ///
    /// - Parameters:
    ///   - tree: Location of sysfs. udev is queried only for `/sys`.
    ///   - nodes: Directory of the device nodes.
    package init(tree: SysfsTree = SysfsTree(), nodes: String = "/dev") {
        self.tree = tree
        self.nodes = nodes
    }

    /// Returns one camera for each capture node. The returned devices don't contain formats, controls or
    /// problems, because reading them requires opening the node.
    package func devices() -> [CaptureDevice] {
        let udev = UdevProperties()
        let asksUdev = tree.root == "/sys"
        let found = tree.videoNodes().map { folder in
            SysfsCamera(folder: folder, in: tree, nodes: nodes) {
                asksUdev ? udev.value($0, of: folder) : nil
            }
        }
        return found.filter(\.isCaptureNode).map { camera in
            let name = camera.name(among: found)
            return CaptureDevice(
                mediaType: .video, deviceType: camera.isBuiltIn == true ? .builtIn : .external,
                isTypeKnown: camera.isBuiltIn != nil,
                identity: DeviceIdentity(
                    busPath: camera.identity.busPath, product: camera.identity.product,
                    serial: camera.identity.serial, name: name),
                name: name, node: camera.node, selector: camera.selector, controller: camera.controller,
                busSpeed: camera.busSpeed)
        }
    }
}
