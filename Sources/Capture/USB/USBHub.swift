package import Media

/// A hub between a device and its controller.
package struct USBHub: Sendable, Hashable {
    /// The kernel's name: `usb1` for the controller's own, `1-2`, `1-2.4`.
    package let name: String
    package let speed: USBSpeed?
}
