package import Media

/// The USB devices that are connected now, from sysfs or from a synthetic tree for tests.
package struct USBTree: Sendable {
    /// Connected devices without root hubs, ordered by the kernel's name.
    package let devices: [USBDevice]
    /// The controllers' root hubs, with or without a free port, ordered by name: `usb1`.
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

    /// The device with this folder, if any.
    package func device(at folder: String?) -> USBDevice? {
        devices.first { $0.folder == folder }
    }

    /// Devices that share bandwidth with a device, without itself.
    package func neighbours(of device: USBDevice) -> [USBDevice] {
        let domains = Set(device.domains)
        return devices.filter { !domains.isDisjoint(with: $0.domains) && $0.folder != device.folder }
    }

    /// Bandwidth that other devices reserve where a device shares it.
    package func load(around device: USBDevice) -> USBLoad {
        var load = USBLoad()
        for neighbour in neighbours(of: device) { load.add(neighbour) }
        return load
    }
}

extension USBBus {
    init(folder: String, in tree: SysfsTree) {
        let name = Paths.name(folder)
        let number = name.dropFirst(3)
        let ports = tree.attribute("maxchild", of: folder).flatMap { Int($0) } ?? 0
        let taken = Set(Paths.entries(of: folder))
        // No controller has more ports; the limit bounds the loop whatever the file says.
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
            promise: USBPromise(controller: Paths.parent(folder), driver: driver, in: tree))
    }
}

extension USBLoad {
    /// Adds the bandwidth that a device reserves now.
    package mutating func add(_ device: USBDevice) {
        guard let speed = device.speed else { return }
        for reservation in device.reservations {
            add(reservation, at: speed, on: device.domains, for: device.product)
        }
    }

    /// Whether there is room for a reservation of a device.
    package func fits(_ reservation: USBReservation, of device: USBDevice) -> Bool {
        guard let speed = device.speed else { return true }
        return fits(reservation, at: speed, on: device.domains)
    }
}

extension USBDevice {
    /// Reads a device; `nil` for one that went away meanwhile, or has no controller.
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
        knowsSuperSpeed = Self.knowsSuperSpeed(
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
        promise = USBPromise(controller: controllerFolder, driver: controllerDriver, in: tree)
    }

    /// Whether a device supports SuperSpeed: versions up to 2.00 do not and those from 3.00 on do; 2.01 and 2.10 have
    /// capabilities (BOS) that tell.
    private static func knowsSuperSpeed(_ description: USBDescription?, capabilities: [UInt8]?) -> Bool? {
        guard let version = description?.version else { return nil }
        if version >= 0x0300 { return true }
        if version <= 0x0200 { return false }
        return capabilities.map { USBCapabilities.includesSuperSpeed($0) }
    }
}

extension USBInterface {
    init?(folder: String, in tree: SysfsTree) {
        // `bInterfaceNumber` and `bInterfaceClass` are hexadecimal, `bAlternateSetting` is padded by a blank.
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
