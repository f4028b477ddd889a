package import MulticamMedia

/// A camera or microphone with its location in sysfs.
package struct LocatedDevice: Sendable, Hashable {
    /// The camera or microphone.
    package let device: CaptureDevice
    /// USB device from `CameraCatalog.usbDevice(ofSysfsPath:)`; `nil` for a device that isn't on a USB bus.
    package let usbDevice: String?
    /// Number that changes when the device is disconnected and reconnected. The number is unique among
    /// devices of one media type.
    package let instance: UInt64

    /// Creates a device with its location.
    package init(device: CaptureDevice, usbDevice: String?, instance: UInt64 = 0) {
        self.device = device
        self.usbDevice = usbDevice
        self.instance = instance
    }
}

/// Finds the microphone that is built into a camera.
package enum Companions {
    /// Sets the `companion` of each device: a camera and a microphone are companions if they are parts of one USB
    /// device. The microphone gets the camera's position.
    ///
    /// A USB device can contain several cameras or microphones. In this case, the first camera is the
    /// companion of all microphones, and the first microphone is the companion of all cameras.
    package static func joined(
        cameras: [LocatedDevice], microphones: [LocatedDevice]
    ) -> (cameras: [CaptureDevice], microphones: [CaptureDevice]) {
        (cameras.map { joined($0, to: microphones) }, microphones.map { joined($0, to: cameras) })
    }

    private static func joined(_ located: LocatedDevice, to others: [LocatedDevice]) -> CaptureDevice {
        guard let usbDevice = located.usbDevice,
            let companion = others.first(where: { $0.usbDevice == usbDevice })
        else { return located.device }
        var device = located.device
        device.companion = companion.device.identity
        if device.mediaType == .audio { device.position = companion.device.position }
        return device
    }
}
