package import Media

/// A camera or microphone with its place in sysfs.
package struct LocatedDevice: Sendable, Hashable {
    package let device: CaptureDevice
    /// As `CameraCatalog.usbDevice(ofSysfsPath:)` tells; `nil` for what is on no USB.
    package let usbDevice: String?
    /// Another one when the device went away and came back, among devices of one media type.
    package let instance: UInt64

    package init(device: CaptureDevice, usbDevice: String?, instance: UInt64 = 0) {
        self.device = device
        self.usbDevice = usbDevice
        self.instance = instance
    }
}
