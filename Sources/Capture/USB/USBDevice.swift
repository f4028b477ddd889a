package import MulticamMedia

/// A device on a USB bus: its location, speed, reserved bandwidth and interfaces.
package struct USBDevice: Sendable, Hashable {
    /// Directory of the device in sysfs, without links.
    package let folder: String
    /// Kernel name of the device, which consists of the bus number and the port chain, such as `1-2.3`.
    package let name: String
    /// Product name for display, printable.
    package let product: String
    /// Vendor and product ID, such as `046d:082d`.
    package let productID: String
    /// Current speed of the device; `nil` if unknown.
    package let speed: USBSpeed?
    /// Whether the device would run at SuperSpeed in a SuperSpeed port; `nil` if unknown.
    package let supportsSuperSpeed: Bool?
    /// Descriptors of the device; `nil` if they can't be read.
    package let description: USBDescription?
    /// Interfaces of the device with their current settings and drivers.
    package let interfaces: [USBInterface]
    /// Hubs from the controller's root hub to the hub that the device is plugged into; never empty.
    package let hubs: [USBHub]
    /// Name of the controller's directory, such as `0000:00:14.0`.
    package let controller: String
    /// The controller's driver, such as `xhci_hcd`, `ehci-pci`, or `vhci_hcd`.
    package let controllerDriver: String?
    /// Bandwidth that the controller's driver can reserve.
    package let bandwidthLimit: USBBandwidthLimit

    /// The root hub of the device's bus.
    package var bus: USBHub { hubs[0] }
    /// Whether the device has a video interface.
    package var isCamera: Bool { description?.hasVideo ?? false }

    /// The controller driver's method of bandwidth accounting.
    package var accounting: USBAccounting { USBAccounting(driver: controllerDriver) }

    /// Sections of the device's path with separate bandwidth, starting at the controller. The list is empty
    /// if a speed is unknown or the controller doesn't reserve bandwidth.
    ///
    /// An xHCI controller provides the full bandwidth of a bus at each port (`rh_bw` in the kernel's xhci.h).
    /// With other controllers, all ports share the bandwidth of the bus. The total throughput of a controller
    /// isn't known. A hub that is slower than its upstream link forms a section with less bandwidth.
    /// Full-speed devices behind a faster hub share one full-speed bus (USB 2.0, 11.14). Hubs with one
    /// transaction translator per port share less than assumed here.
    package var domains: [USBDomain] {
        guard let speed, let root = bus.speed, bandwidthLimit != .unlimited else { return [] }
        let number = String(bus.name.dropFirst(3))
        func domain(_ name: String, _ place: String, _ speed: USBSpeed) -> USBDomain {
            USBDomain(
                name: name, place: place, controller: controller, speed: speed, accounting: accounting,
                limit: bandwidthLimit.limit)
        }
        var way = [domain(number, "bus \(number)", root)]
        if accounting == .xhci {
            // The port runs at the speed of the connected device or hub.
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
            way.append(domain("\(hub)-tt", "the transaction translator of hub \(hub)", .full))
        }
        return way
    }
    /// Bandwidth that the device currently reserves: the isochronous endpoints of its selected alternate settings.
    package var reservations: [USBReservation] {
        guard let speed else { return [] }
        return interfaces.flatMap { interface in
            description?.setting(interface.number, alternate: interface.alternate)?.reservations(at: speed)
                ?? []
        }
    }

    /// Returns the bandwidth that a camera's stream currently reserves, a subset of `reservations`.
    ///
    /// - Parameter control: Number of the interface that controls the stream; `nil` for all streams of the device.
    /// - Returns: The reservations; empty while the camera isn't streaming, or if it streams without reserved
    ///   bandwidth (bulk transfers).
    package func streamReservations(controlledBy control: Int?) -> [USBReservation] {
        guard let speed else { return [] }
        let streaming = streamingInterfaces(controlledBy: control)
        return interfaces.filter { streaming.contains($0.number) }.flatMap { interface in
            description?.setting(interface.number, alternate: interface.alternate)?.reservations(at: speed)
                ?? []
        }
    }

    /// Returns the bandwidth that each alternate setting of a camera's stream would reserve, in ascending order.
    ///
    /// - Parameter control: Number of the interface that controls the stream; `nil` for all streams of the device.
    /// - Returns: The reservations; empty if the camera streams without reserved bandwidth (bulk transfers),
    ///   or if its settings are unknown.
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

/// An interface of a connected device with its current state in the kernel.
package struct USBInterface: Sendable, Hashable {
    /// Interface number.
    package let number: Int
    /// Number of the selected alternate setting.
    package let alternate: Int
    /// USB class code of the interface.
    package let classCode: UInt8
    /// Driver of the interface, such as `uvcvideo` or `snd-usb-audio`, or `usbfs` for a user-space program; `nil` if
    /// none.
    package let driver: String?
}

/// A hub between a device and its controller.
package struct USBHub: Sendable, Hashable {
    /// Kernel name of the hub, such as `usb1` for the controller's root hub, or `1-2` and `1-2.4` for other
    /// hubs.
    package let name: String
    /// Current speed of the hub; `nil` if unknown.
    package let speed: USBSpeed?
}
