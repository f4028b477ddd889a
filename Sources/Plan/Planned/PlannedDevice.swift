public import Media

/// The device that was found for a role, and what it can be opened with.
public struct PlannedDevice: Sendable, Equatable {
    /// The formats that a device can be opened with.
    public enum Offers: Sendable, Equatable {
        /// The formats that a camera lists. The list is empty for a microphone, whose format is in `device.audio`.
        case listed([OfferedFormat])
        /// A synthetic camera, which delivers any format that is asked for, except for the fixed values given here. Where neither
        /// says anything, it delivers 1280×720 MJPEG at 30 frames per second.
        case whatever(pixel: PixelFormat?, size: FrameSize?, rate: FrameRate?)
    }

    /// The words with which the user asked for the device: `any`, `/dev/video0`, `virtual:clap`.
    public var selector: String
    /// The device that was found.
    public var device: CaptureDevice
    /// The formats that the device can be opened with.
    public var offers: Offers
    /// The bandwidth that a synthetic camera on a synthetic USB bus reserves; `nil` for all other devices.
    public var usb: USBCamera?
    /// How the computer was held when its sensor was read, for a camera that turns with it; `nil` where it was not read.
    public var turn: MachineTurn?

    /// Creates a device with the formats that it can be opened with.
    public init(selector: String, device: CaptureDevice, offers: Offers, usb: USBCamera? = nil) {
        self.selector = selector
        self.device = device
        self.offers = offers
        self.usb = usb
    }

    /// Creates a device that offers the formats of its description.
    public init(selector: String, device: CaptureDevice) {
        self.init(selector: selector, device: device, offers: .listed(device.formats))
    }
}
