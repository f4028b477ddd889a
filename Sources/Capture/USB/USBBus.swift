package import Media

/// A controller's own hub.
package struct USBBus: Sendable, Hashable {
    /// The kernel's name: `usb1`.
    package let name: String
    /// The folder's name of its controller; those of a controller for USB 3 have a bus for each generation.
    package let controller: String
    package let speed: USBSpeed?
    package let portCount: Int
    /// Ports that a cable may be plugged into and is not, by number: those that the firmware calls built in or not connected
    /// (`connect_type`) are left out.
    package let freePorts: [Int]
    /// `xhci_hcd`, `ehci-pci`, `vhci_hcd`.
    package let controllerDriver: String?
    package let promise: USBPromise

    /// What a device that is plugged into a free port has for itself or shares, as `USBDevice.domains`; `nil` where there is
    /// none, or its speed is not known.
    package var freeDomain: USBDomain? {
        guard let port = freePorts.first, let speed, promise != .unlimited else { return nil }
        let accounting = USBAccounting(driver: controllerDriver)
        let number = name.dropFirst(3)
        return USBDomain(
            name: accounting == .xhci ? "\(number)-port\(port)" : String(number),
            place: accounting == .xhci ? "port \(port) of bus \(number)" : "bus \(number)",
            controller: controller, speed: speed, accounting: accounting,
            limit: promise.limit)
    }
}
