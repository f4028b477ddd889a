package import Media

/// Finds the microphone that is built into a camera.
package enum Companions {
    /// Fills the `companion` of each device: a camera and a microphone belong together when they are parts of one USB
    /// device. The microphone listens to where the camera looks.
    ///
    /// Where one USB device has several of a kind, the first is the companion of all of the other kind.
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
