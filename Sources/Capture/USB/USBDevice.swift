package import Media

/// A device on a USB bus: its place, speed, reserved bandwidth and interfaces.
package struct USBDevice: Sendable, Hashable {
    /// The device's folder in sysfs, without links.
    package let folder: String
    /// The kernel's name, from the bus and the ports that lead to it: `1-2.3`.
    package let name: String
    /// The product's name for people, printable.
    package let product: String
    /// Vendor and product number: `046d:082d`.
    package let productID: String
    /// Present speed of the device; `nil` where it is not known.
    package let speed: USBSpeed?
    /// Whether the device would run at SuperSpeed at a port that has it; `nil` where the system does not tell.
    package let knowsSuperSpeed: Bool?
    /// The device's descriptors; `nil` where they cannot be read.
    package let description: USBDescription?
    /// The device's interfaces with their present settings and drivers.
    package let interfaces: [USBInterface]
    /// The hubs from the controller's root hub to the one that the device is plugged into; never empty.
    package let hubs: [USBHub]
    /// Name of the controller's folder: `0000:00:14.0`.
    package let controller: String
    /// The controller's driver: `xhci_hcd`, `ehci-pci`, `vhci_hcd`.
    package let controllerDriver: String?
    /// The bandwidth that the controller's driver may reserve.
    package let promise: USBPromise

    /// The root hub of the device's bus.
    package var bus: USBHub { hubs[0] }
    /// Whether the device has a video interface.
    package var isCamera: Bool { description?.hasVideo ?? false }

    /// How the controller's driver accounts for bandwidth.
    package var accounting: USBAccounting { USBAccounting(driver: controllerDriver) }

    /// The sections of the device's path that have a bandwidth of their own, from the controller on; empty where a
    /// speed is not known, and where the controller reserves no bandwidth.
    ///
    /// An xHCI controller gives each of its ports the whole bandwidth of a bus (`rh_bw` in the kernel's xhci.h); others
    /// have one for all their ports. The total that a controller can move is known to itself alone. A hub that is
    /// slower than its upstream link is a narrower section, and a full-speed device behind a faster hub shares a bus of
    /// that speed with others like it (USB 2.0, 11.14): in hubs with a translator for each port less is shared than is
    /// assumed here.
    package var domains: [USBDomain] {
        guard let speed, let root = bus.speed, promise != .unlimited else { return [] }
        let number = String(bus.name.dropFirst(3))
        func domain(_ name: String, _ place: String, _ speed: USBSpeed) -> USBDomain {
            USBDomain(
                name: name, place: place, controller: controller, speed: speed, accounting: accounting,
                limit: promise.limit)
        }
        var way = [domain(number, "bus \(number)", root)]
        if accounting == .xhci {
            // The device or hub in the port sets the port's speed.
            let port = name.drop { $0 != "-" }.dropFirst().prefix { $0 != "." }
            let first = hubs.count > 1 ? hubs[1].speed ?? root : speed
            way = [domain("\(number)-port\(port)", "port \(port) of bus \(number)", min(root, first))]
        }
        var narrowest = way[0].speed
        for hub in hubs.dropFirst() {
            guard let hubSpeed = hub.speed, hubSpeed < narrowest else { continue }
            way.append(domain(hub.name, "hub \(hub.name)", hubSpeed))
            narrowest = hubSpeed
        }
        if speed <= .full, narrowest >= .high {
            let hub = hubs.count > 1 ? hubs[hubs.count - 1].name : number
            way.append(domain("\(hub)-tt", "the slow side of hub \(hub)", .full))
        }
        return way
    }
    /// Bandwidth that the device reserves now: the isochronous endpoints of its chosen alternate settings.
    package var reservations: [USBReservation] {
        guard let speed else { return [] }
        return interfaces.flatMap { interface in
            description?.setting(interface.number, alternate: interface.alternate)?.reservations(at: speed)
                ?? []
        }
    }

    /// The part of `reservations` that belongs to a camera's stream.
    ///
    /// - Parameter control: Number of the interface that controls the stream; `nil` for all streams of the device.
    /// - Returns: Empty while the camera does not stream, or reserves no bandwidth (bulk).
    package func streams(controlledBy control: Int?) -> [USBReservation] {
        guard let speed else { return [] }
        let streaming = streamingInterfaces(controlledBy: control)
        return interfaces.filter { streaming.contains($0.number) }.flatMap { interface in
            description?.setting(interface.number, alternate: interface.alternate)?.reservations(at: speed)
                ?? []
        }
    }

    /// Bandwidth that each alternate setting of a camera's stream would reserve, the smallest first.
    ///
    /// - Parameter control: Number of the interface that controls the stream; `nil` for all streams of the device.
    /// - Returns: Empty for cameras that stream without reserving bandwidth (bulk), and where nothing is known.
    package func streamSettings(controlledBy control: Int?) -> [USBReservation] {
        guard let speed, let description else { return [] }
        let streaming = streamingInterfaces(controlledBy: control)
        return description.settings.filter { streaming.contains($0.interface) }
            .flatMap { $0.reservations(at: speed) }.sorted { $0.bytes < $1.bytes }
    }

    private func streamingInterfaces(controlledBy control: Int?) -> Set<Int> {
        let settings = description?.settings ?? []
        let named = settings.first { $0.isVideoControl && $0.interface == control }?.streamingInterfaces ?? []
        return Set(
            settings.filter { $0.isVideoStreaming && (named.isEmpty || named.contains($0.interface)) }
                .map(\.interface))
    }
}
