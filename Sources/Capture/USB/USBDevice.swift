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

    package var bus: USBHub { hubs[0] }
    package var isCamera: Bool { description?.hasVideo ?? false }

    /// The speed of the slowest part of its way: a camera for 5000 Mbit/s behind a hub of 480 talks at 480.
    package var sharedSpeed: USBSpeed? { hubs.compactMap(\.speed).min() }

    /// Devices with equal domains share bandwidth.
    ///
    /// An xHCI controller gives each of its ports the whole bandwidth of a bus (the kernel's xhci.h); others have one for all
    /// their ports. What a controller can move in all is known to itself alone.
    package var domain: String {
        guard let driver = controllerDriver, driver.contains("xhci") else { return bus.name }
        return "\(bus.name) port \(name.drop { $0 != "-" }.dropFirst().prefix { $0 != "." })"
    }

    /// What it keeps of the bus now: the isochronous endpoints of the settings that are chosen.
    package var reservations: [USBReservation] {
        guard let speed else { return [] }
        return interfaces.flatMap { interface in
            description?.setting(interface.number, alternate: interface.alternate)?.reservations(at: speed)
                .map(cost) ?? []
        }
    }

    /// What the alternate settings of a camera's stream would keep of the bus, the smallest first.
    ///
    /// - Parameter control: The number of the interface that controls it; `nil` for all streams of the device.
    /// - Returns: Empty for cameras that stream without keeping bandwidth (bulk), and where nothing is known.
    package func streamSettings(controlledBy control: Int?) -> [USBReservation] {
        guard let speed, let description else { return [] }
        let streams =
            description.settings.first { $0.isVideoControl && $0.interface == control }?
            .streamingInterfaces ?? []
        return description.settings.filter { setting in
            setting.isVideoStreaming && (streams.isEmpty || streams.contains(setting.interface))
        }.flatMap { $0.reservations(at: speed).map(cost) }.sorted { $0.bytes < $1.bytes }
    }

    /// A full-speed device behind a hub of high speed costs that bus its split transactions, in each microframe.
    private func cost(_ own: USBReservation) -> USBReservation {
        guard let speed, speed <= .full, sharedSpeed ?? speed >= .high else { return own }
        return USBReservation(bytes: own.bytes, microframes: 1, busTime: USBBusTime.ofSplit(bytes: own.bytes))
    }
}
