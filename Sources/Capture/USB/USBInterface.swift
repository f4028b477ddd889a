/// An interface of a connected device, as the kernel has it now.
package struct USBInterface: Sendable, Hashable {
    /// The interface's number.
    package let number: Int
    /// Number of the chosen alternate setting.
    package let alternate: Int
    /// USB class code of the interface.
    package let classCode: UInt8
    /// The interface's driver: `uvcvideo`, `snd-usb-audio`, `usbfs` for a program of its own; `nil` for none.
    package let driver: String?
}
