/// A controller's own hub.
package struct USBBus: Sendable, Hashable {
    /// The kernel's name: `usb1`.
    package let name: String
    /// The folder's name of its controller; those of a controller for USB 3 have a bus for each generation.
    package let controller: String
    package let speed: USBSpeed?
    package let portCount: Int
}
