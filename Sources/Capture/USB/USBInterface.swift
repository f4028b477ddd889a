/// An interface of a connected device, as the kernel has it now.
package struct USBInterface: Sendable, Hashable {
    package let number: Int
    /// The chosen alternate setting.
    package let alternate: Int
    package let classCode: UInt8
    /// The driver that has it: `uvcvideo`, `snd-usb-audio`, `usbfs` for a program of its own; `nil` for none.
    package let driver: String?
}
