package import Media

/// A device on a USB bus: where it hangs, how fast it talks, what it may reserve and what it does.
package struct USBDevice: Sendable, Hashable {
    /// In sysfs, without links.
    package let folder: String
    /// The kernel's name: bus, then the ports that lead to it: `1-2.3`.
    package let name: String
    /// As a person reads it, without control characters.
    package let product: String
    /// `046d:082d`.
    package let productID: String
    package let speed: USBSpeed?
    /// Whether it would run at SuperSpeed at a port that has it: `nil` where the system does not tell.
    package let knowsSuperSpeed: Bool?
    /// `nil` where its descriptors cannot be read.
    package let description: USBDescription?
    package let interfaces: [USBInterface]
    /// From the controller's own to the one that it is plugged into; never empty.
    package let hubs: [USBHub]
    /// The folder's name of the controller: `0000:00:14.0`.
    package let controller: String
    /// `xhci_hcd`, `ehci-pci`, `vhci_hcd`.
    package let controllerDriver: String?
    package let promise: USBPromise

    package var bus: USBHub { hubs[0] }
    package var isCamera: Bool { description?.hasVideo ?? false }

    package var accounting: USBAccounting { USBAccounting(driver: controllerDriver) }

    /// The stretches of its way that have a bandwidth of their own, from the controller on; empty where a speed is not known, and
    /// where the controller keeps nothing for anybody.
    ///
    /// An xHCI controller gives each of its ports the whole bandwidth of a bus (`rh_bw` in the kernel's xhci.h); others have
    /// one for all their ports. What a controller can move in all is known to itself alone. A hub that is slower than what it
    /// hangs on is a narrower stretch, and a device of full speed behind a faster hub shares a bus of that speed with its like
    /// (USB 2.0, 11.14): in hubs with a translator for each port less than is assumed here.
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
            // What is plugged into the port sets its speed.
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
    /// What it keeps of the bus now: the isochronous endpoints of the settings that are chosen.
    package var reservations: [USBReservation] {
        guard let speed else { return [] }
        return interfaces.flatMap { interface in
            description?.setting(interface.number, alternate: interface.alternate)?.reservations(at: speed)
                ?? []
        }
    }

    /// Those of `reservations` that are a camera's stream.
    ///
    /// - Parameter control: As of `streamSettings`.
    /// - Returns: Empty while it does not stream, or keeps nothing (bulk).
    package func streams(controlledBy control: Int?) -> [USBReservation] {
        guard let speed else { return [] }
        let streaming = streamingInterfaces(controlledBy: control)
        return interfaces.filter { streaming.contains($0.number) }.flatMap { interface in
            description?.setting(interface.number, alternate: interface.alternate)?.reservations(at: speed)
                ?? []
        }
    }

    /// What the alternate settings of a camera's stream would keep of the bus, the smallest first.
    ///
    /// - Parameter control: The number of the interface that controls it; `nil` for all streams of the device.
    /// - Returns: Empty for cameras that stream without keeping bandwidth (bulk), and where nothing is known.
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
