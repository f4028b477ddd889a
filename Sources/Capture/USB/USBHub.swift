package import Media

/// A hub between a device and its controller.
package struct USBHub: Sendable, Hashable {
    /// The kernel's name: `usb1` for the controller's root hub, `1-2`, `1-2.4`.
    package let name: String
    /// Present speed of the hub; `nil` where it is not known.
    package let speed: USBSpeed?
}
