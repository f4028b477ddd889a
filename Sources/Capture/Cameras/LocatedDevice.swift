package import Media

/// A camera or microphone with its place in sysfs.
package struct LocatedDevice: Sendable, Hashable {
    package let device: CaptureDevice
    /// As `CameraCatalog.usbDevice(ofSysfsPath:)` tells; `nil` for what is on no USB.
    package let usbDevice: String?

    package init(device: CaptureDevice, usbDevice: String?) {
        self.device = device
        self.usbDevice = usbDevice
    }
}
