package import Media

/// A camera or microphone with its place in sysfs.
package struct LocatedDevice: Sendable, Hashable {
    /// The camera or microphone.
    package let device: CaptureDevice
    /// The USB device from `CameraCatalog.usbDevice(ofSysfsPath:)`; `nil` for a device that is on no USB bus.
    package let usbDevice: String?
    /// Number that changes when the device goes away and comes back; unique among devices of one media type.
    package let instance: UInt64

    /// Makes a device with its place.
    package init(device: CaptureDevice, usbDevice: String?, instance: UInt64 = 0) {
        self.device = device
        self.usbDevice = usbDevice
        self.instance = instance
    }
}
