package import MulticamMedia

/// The device that was found for a role, and the formats that it can be opened with.
package struct PlannedDevice: Sendable, Equatable {
    /// The formats that a device can be opened with.
    package enum Offers: Sendable, Equatable {
        /// The formats that a camera lists. The list is empty for a microphone; its format is in `device.audio`.
        case listed([OfferedFormat])
        /// Any format that a synthetic camera can deliver. A pixel format, size, or rate that isn't `nil` is
        /// fixed. The default is 1280×720 MJPEG at 30 frames per second.
        case any(pixel: PixelFormat?, size: FrameSize?, rate: FrameRate?)
    }

    /// The selector that the user entered for the device: `any`, `/dev/video0`, `virtual:clap`.
    package var selector: String
    /// The device that the selector resolved to.
    package var device: CaptureDevice
    /// Formats that the device can be opened with.
    package var offers: Offers
    /// Bandwidth that a synthetic camera on a synthetic USB bus reserves; `nil` for all other devices.
    package var usb: USBCamera?
    /// Orientation of the computer according to its sensor, for a camera that rotates with the computer;
    /// `nil` if the sensor wasn't read.
    package var turn: MachineOrientation?

    /// Creates a device with the formats that it can be opened with.
    package init(selector: String, device: CaptureDevice, offers: Offers, usb: USBCamera? = nil) {
        self.selector = selector
        self.device = device
        self.offers = offers
        self.usb = usb
    }

    /// Creates a device that offers the formats in `device.formats`.
    package init(selector: String, device: CaptureDevice) {
        self.init(selector: selector, device: device, offers: .listed(device.formats))
    }
}

/// How the timestamp correction of a device was determined.
package enum CorrectionSource: String, Sendable, Codable {
    /// No correction is known. Timestamps are used unchanged.
    case none
    /// The profile sets the correction.
    case profile
    /// The correction was measured with `multicam calibrate`.
    case calibration
}
