package import MulticamMedia

/// Connected USB devices, from sysfs or from a synthetic tree for tests.
package struct USBTree: Sendable {
    /// Connected devices except root hubs, ordered by kernel name.
    package let devices: [USBDevice]
    /// Root hubs of the controllers, such as `usb1`, with or without a free port, ordered by name.
    package let buses: [USBBus]

    /// Reads the devices from sysfs.
    package init(sysfs: String = "/sys") {
        let tree = SysfsTree(root: sysfs)
        let folder = "\(sysfs)/bus/usb/devices"
        let folders = Paths.entries(of: folder).compactMap { name in
            name.contains(":") ? nil : Paths.resolved("\(folder)/\(name)")
        }
        buses = folders.filter { tree.isRootHub(Paths.name($0)) }.map { USBBus(folder: $0, in: tree) }
        devices = folders.filter { !tree.isRootHub(Paths.name($0)) }
            .compactMap { USBDevice(folder: $0, in: tree) }
    }

    /// Returns the device with this directory, if any.
    package func device(at folder: String?) -> USBDevice? {
        devices.first { $0.folder == folder }
    }

    /// Returns the other devices that share bandwidth with a device.
    package func neighbors(of device: USBDevice) -> [USBDevice] {
        let domains = Set(device.domains)
        return devices.filter { !domains.isDisjoint(with: $0.domains) && $0.folder != device.folder }
    }

    /// Returns the bandwidth that other devices reserve in the sections shared with a device.
    package func load(around device: USBDevice) -> USBLoad {
        var load = USBLoad()
        for neighbor in neighbors(of: device) { load.add(neighbor) }
        return load
    }
}

extension USBBus {
    init(folder: String, in tree: SysfsTree) {
        let name = Paths.name(folder)
        let number = name.dropFirst(3)
        let ports = tree.attribute("maxchild", of: folder).flatMap { Int($0) } ?? 0
        let taken = Set(Paths.entries(of: folder))
        // No controller has more than 255 ports. The limit bounds the loop if the file contains an invalid
        // number.
        let free = (1...255).prefix(max(0, ports)).filter { port in
            let kind = tree.attribute(
                "connect_type", of: "\(folder)/\(number)-0:1.0/\(name)-port\(port)")
            return !taken.contains("\(number)-\(port)") && kind != "hardwired" && kind != "not used"
        }
        let driver = Paths.link("\(Paths.parent(folder))/driver").map { Paths.name($0).printable() }
        self.init(
            name: name, controller: Paths.name(Paths.parent(folder)).printable(),
            speed: tree.attribute("speed", of: folder).flatMap { USBSpeed($0) }, portCount: ports,
            freePorts: free, controllerDriver: driver,
            bandwidthLimit: USBBandwidthLimit(controller: Paths.parent(folder), driver: driver, in: tree))
    }
}

extension USBLoad {
    /// Adds the bandwidth that a device currently reserves.
    package mutating func add(_ device: USBDevice) {
        guard let speed = device.speed else { return }
        for reservation in device.reservations {
            add(reservation, at: speed, on: device.domains, for: device.product)
        }
    }

    /// Returns whether a device's reservation fits into the remaining bandwidth.
    package func fits(_ reservation: USBReservation, of device: USBDevice) -> Bool {
        guard let speed = device.speed else { return true }
        return fits(reservation, at: speed, on: device.domains)
    }
}

extension USBDevice {
    /// Reads a device; returns `nil` if it has since been disconnected or has no controller.
    init?(folder: String, in tree: SysfsTree) {
        let above = tree.ancestors(folder).dropFirst()
        guard let rootHub = above.first(where: { tree.isRootHub(Paths.name($0)) }),
            let vendor = tree.attribute("idVendor", of: folder)
        else { return nil }
        let controllerFolder = Paths.parent(rootHub)
        self.folder = folder
        name = Paths.name(folder)
        productID = [vendor, tree.attribute("idProduct", of: folder) ?? ""].joined(separator: ":").printable()
        product = (tree.attribute("product", of: folder) ?? productID).printable()
        speed = tree.attribute("speed", of: folder).flatMap { USBSpeed($0) }
        let description = Paths.bytes("\(folder)/descriptors", atMost: USBDescription.mostBytes)
            .flatMap { USBDescription($0) }
        self.description = description
        supportsSuperSpeed = Self.supportsSuperSpeed(
            description, capabilities: Paths.bytes("\(folder)/bos_descriptors", atMost: 65_535))
        interfaces = Paths.entries(of: folder).filter { $0.hasPrefix("\(Paths.name(folder)):") }.compactMap {
            USBInterface(folder: "\(folder)/\($0)", in: tree)
        }
        hubs = above.prefix { $0 != Paths.parent(rootHub) }.reversed().map { hub in
            USBHub(
                name: Paths.name(hub), speed: tree.attribute("speed", of: hub).flatMap { USBSpeed($0) })
        }
        controller = Paths.name(controllerFolder).printable()
        controllerDriver = Paths.link("\(controllerFolder)/driver").map { Paths.name($0).printable() }
        bandwidthLimit = USBBandwidthLimit(controller: controllerFolder, driver: controllerDriver, in: tree)
    }

    /// Returns whether a device supports SuperSpeed. Devices with USB versions up to 2.00 don't support SuperSpeed;
    /// devices with versions from 3.00 do. Devices with versions 2.01 and 2.10 report their capabilities in a BOS
    /// descriptor.
    private static func supportsSuperSpeed(_ description: USBDescription?, capabilities: [UInt8]?) -> Bool? {
        guard let version = description?.version else { return nil }
        if version >= 0x0300 { return true }
        if version <= 0x0200 { return false }
        return capabilities.map { USBCapabilities.includesSuperSpeed($0) }
    }
}

extension USBInterface {
    init?(folder: String, in tree: SysfsTree) {
        // `bInterfaceNumber` and `bInterfaceClass` are hexadecimal; `bAlternateSetting` is padded with a space.
        guard
            let number = tree.attribute("bInterfaceNumber", of: folder).flatMap({ Int($0, radix: 16) }),
            let classCode = tree.attribute("bInterfaceClass", of: folder).flatMap({ UInt8($0, radix: 16) }),
            let alternate = tree.attribute("bAlternateSetting", of: folder)
                .flatMap({ Int(String($0.drop { $0 == " " })) })
        else { return nil }
        self.init(
            number: number, alternate: alternate, classCode: classCode,
            driver: Paths.link("\(folder)/driver").map { Paths.name($0).printable() })
    }
}

/// A USB bus: the root hub of a controller.
package struct USBBus: Sendable, Hashable {
    /// Kernel name of the root hub, such as `usb1`.
    package let name: String
    /// Name of the controller's directory. A USB 3 controller has one bus for USB 2 and one for USB 3.
    package let controller: String
    /// Speed of the bus; `nil` if unknown.
    package let speed: USBSpeed?
    /// Number of ports on the root hub.
    package let portCount: Int
    /// Numbers of the free ports that a cable can be plugged into. Excludes ports that the firmware reports
    /// as built in or not connected (`connect_type`).
    package let freePorts: [Int]
    /// The controller's driver, such as `xhci_hcd`, `ehci-pci`, or `vhci_hcd`.
    package let controllerDriver: String?
    /// Bandwidth that the controller's driver can reserve.
    package let bandwidthLimit: USBBandwidthLimit

    /// Bandwidth available to a device at a free port. The bandwidth is exclusive or shared, as in `USBDevice.domains`.
    /// `nil` if no port is free, its speed is unknown, or bandwidth isn't limited.
    package var freeDomain: USBDomain? {
        guard let port = freePorts.first, let speed, bandwidthLimit != .unlimited else { return nil }
        let accounting = USBAccounting(driver: controllerDriver)
        let number = name.dropFirst(3)
        return USBDomain(
            name: accounting == .xhci ? "\(number)-port\(port)" : String(number),
            place: accounting == .xhci ? "port \(port) of bus \(number)" : "bus \(number)",
            controller: controller, speed: speed, accounting: accounting,
            limit: bandwidthLimit.limit)
    }
}

/// The part of each high-speed microframe that a controller's driver can reserve, if known.
package enum USBBandwidthLimit: Sendable, Hashable {
    /// The driver uses the default limit for the controller's type.
    case driverDefault
    /// The driver reserves at most this time per microframe of 125 µs, according to its configuration.
    case upTo(Nanoseconds)
    /// The driver doesn't reserve bandwidth and never rejects a device.
    case unlimited

    /// The configured limit; `nil` for `driverDefault` and `unlimited`.
    var limit: Nanoseconds? {
        guard case .upTo(let limit) = self else { return nil }
        return limit
    }

    /// Reads the limit of a controller. EHCI provides the limit in the file `uframe_periodic_max`, 100…124 µs
    /// (the kernel's drivers/usb/host/ehci-sysfs.c). USB/IP's vhci_hcd forwards all requests immediately and
    /// never rejects a device (`vhci_urb_enqueue`). In the device lab, a module parameter makes a modified
    /// vhci_hcd behave like a real controller.
    init(controller folder: String, driver: String?, in tree: SysfsTree) {
        let reported: String?
        switch USBAccounting(driver: driver) {
        case .ehci: reported = tree.attribute("uframe_periodic_max", of: folder)
        case .standard where driver == "vhci_hcd":
            reported = tree.attribute("periodic_us", of: "\(tree.root)/module/vhci_hcd/parameters") ?? "0"
        case .standard, .xhci: reported = nil
        }
        guard let reported, let microseconds = Int64(reported), (0...125).contains(microseconds) else {
            self = .driverDefault
            return
        }
        self = microseconds == 0 ? .unlimited : .upTo(.microseconds(microseconds))
    }
}

extension USBTopology {
    /// Combines the information from sysfs about cameras, current streams and free ports.
    ///
    /// - Parameters:
    ///   - tree: The connected devices.
    ///   - nodes: The video nodes of the same sysfs.
    ///   - present: The cameras with their identities.
    ///   - processes: Mount point of proc(5).
    ///   - learned: Returns the known bandwidths of a camera's streams.
    package init(
        _ tree: USBTree, nodes: [VideoNode], cameras present: [CaptureDevice], processes: String = "/proc",
        learned: (CaptureDevice) -> [USBCamera.MeasuredReservation] = { _ in [] }
    ) {
        self.init(freePorts: tree.buses.compactMap(\.freeDomain))
        for device in tree.devices {
            guard let speed = device.speed else { continue }
            var others = device.reservations
            for node in nodes where node.usbDevice == device.folder && node.index == 0 {
                let camera = present.first { $0.node == node.node }
                if let camera {
                    cameras.append(
                        USBCamera(
                            identity: camera.identity, speed: speed, domains: device.domains,
                            settings: device.streamSettings(controlledBy: node.interface),
                            learned: learned(camera)))
                }
                for reservation in device.streamReservations(controlledBy: node.interface) {
                    guard let index = others.firstIndex(of: reservation) else { continue }
                    others.remove(at: index)
                    claims.append(
                        USBClaim(
                            device: "\(device.product) (\(node.node))", camera: camera?.identity,
                            holder: NodeOwners.holder(of: node.node, processes: processes, besides: nil)
                                .map(\.description), reservation: reservation, speed: speed,
                            domains: device.domains))
                }
            }
            claims += others.map {
                USBClaim(device: device.product, reservation: $0, speed: speed, domains: device.domains)
            }
        }
    }
}
