package import Media

/// How much of each microframe of high speed a controller's driver may promise, where it can be told.
package enum USBPromise: Sendable, Hashable {
    /// As much as its kind does.
    case usual
    /// As it was told.
    case upTo(Nanoseconds)
    /// It keeps nothing for anybody, and refuses nobody.
    case unlimited

    var limit: Nanoseconds? {
        guard case .upTo(let limit) = self else { return nil }
        return limit
    }

    /// EHCI has a file for it, `uframe_periodic_max` of 100…124 µs (the kernel's drivers/usb/host/ehci-sysfs.c). USB/IP's
    /// vhci_hcd sends everything on as it comes and refuses nobody (`vhci_urb_enqueue`), but for the one of the device lab, which
    /// is made to behave as a real controller by a parameter of its module.
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
