public import Media

/// The device that was found for a role, and what it can be opened with.
public struct PlannedDevice: Sendable, Equatable {
    public enum Offers: Sendable, Equatable {
        /// A camera with formats of its own. Of a microphone, whose format is in `device.audio`, there are none.
        case listed([OfferedFormat])
        /// A synthetic camera: it delivers what is asked where nothing is given here, and 1280×720 MJPEG at 30 where
        /// nothing is asked either.
        case whatever(pixel: PixelFormat?, size: FrameSize?, rate: FrameRate?)
    }

    /// What the user asked for: `any`, `/dev/video0`, `virtual:clap`.
    public var selector: String
    public var device: CaptureDevice
    public var offers: Offers
    /// Of a synthetic camera on a synthetic USB bus.
    public var usb: USBCamera?
    /// How the computer was held when it was asked, for a camera that turns with it; `nil` where nobody asked.
    public var turn: MachineTurn?

    public init(selector: String, device: CaptureDevice, offers: Offers, usb: USBCamera? = nil) {
        self.selector = selector
        self.device = device
        self.offers = offers
        self.usb = usb
    }

    /// A device that offers what its description says.
    public init(selector: String, device: CaptureDevice) {
        self.init(selector: selector, device: device, offers: .listed(device.formats))
    }
}
