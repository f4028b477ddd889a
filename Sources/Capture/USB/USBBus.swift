package import Media

/// A USB bus: the root hub of a controller.
package struct USBBus: Sendable, Hashable {
    /// The kernel's name of the root hub: `usb1`.
    package let name: String
    /// Name of the controller's folder; a USB 3 controller has one bus for each generation.
    package let controller: String
    /// Speed of the bus; `nil` where it is not known.
    package let speed: USBSpeed?
    /// Number of the root hub's ports.
    package let portCount: Int
    /// Numbers of ports that are free to plug a cable into; ports that the firmware calls built in or not connected
    /// (`connect_type`) are left out.
    package let freePorts: [Int]
    /// The controller's driver: `xhci_hcd`, `ehci-pci`, `vhci_hcd`.
    package let controllerDriver: String?
    /// The bandwidth that the controller's driver may reserve.
    package let promise: USBPromise

    /// The bandwidth that a device at a free port has for itself or shares, as in `USBDevice.domains`; `nil` where no
    /// port is free, its speed is not known, or bandwidth is not limited.
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
