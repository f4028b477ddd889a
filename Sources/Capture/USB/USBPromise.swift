package import Media

/// How much of each high-speed microframe a controller's driver may reserve, where that can be known.
package enum USBPromise: Sendable, Hashable {
    /// As much as is usual for the controller's kind.
    case usual
    /// At most this time of each microframe of 125 µs, as the driver was configured.
    case upTo(Nanoseconds)
    /// The driver reserves no bandwidth and refuses no device.
    case unlimited

    /// The configured limit; `nil` for `usual` and `unlimited`.
    var limit: Nanoseconds? {
        guard case .upTo(let limit) = self else { return nil }
        return limit
    }

    /// Reads the limit of a controller. EHCI has a file for it, `uframe_periodic_max` of 100…124 µs (the kernel's
    /// drivers/usb/host/ehci-sysfs.c). USB/IP's vhci_hcd sends everything on as it comes and refuses nothing
    /// (`vhci_urb_enqueue`), except the one of the device lab, which a parameter of its module makes behave like a real
    /// controller.
    init(controller folder: String, driver: String?, in tree: SysfsTree) {
        let told: String?
        switch USBAccounting(driver: driver) {
        case .ehci: told = tree.attribute("uframe_periodic_max", of: folder)
        case .standard where driver == "vhci_hcd":
            told = tree.attribute("periodic_us", of: "\(tree.root)/module/vhci_hcd/parameters") ?? "0"
        case .standard, .xhci: told = nil
        }
        guard let told, let microseconds = Int64(told), (0...125).contains(microseconds) else {
            self = .usual
            return
        }
        self = microseconds == 0 ? .unlimited : .upTo(.microseconds(microseconds))
    }
}
