/// A connected camera or microphone, and what it offers.
public struct CaptureDevice: Sendable, Hashable {
    /// The medium that a device captures: frames or audio.
    public enum MediaType: String, Sendable, Codable { case video, audio }
    /// The kind of a device: built in, on a cable, synthetic, a file, or something else.
    public enum DeviceType: String, Sendable, Codable {
        case builtIn, external, virtual, file, network, screen, microphone

        /// Whether a frame's time is exact as it is told: a file has it, and at a screen this computer looks by its own clock. Any other
        /// device's times jitter, and a model of its clock smooths them.
        package var hasExactTimes: Bool { self == .file || self == .screen }
    }
    /// The side of the computer that a built-in camera is on: `front` looks at the user.
    public enum Position: String, Sendable, Codable { case unspecified, front, back }

    /// Why a device cannot be used now.
    public enum Problem: Sendable, Hashable {
        /// Another program streams from it; `by` is that program's name, where the system tells.
        case inUse(by: String?)
        /// The user may not open it; `group` is the group that may.
        case noPermission(group: String)
        /// It did not answer as it should; the text says how.
        case failing(String)
    }

    /// The medium that the device captures.
    public let mediaType: MediaType
    /// The kind of the device.
    public package(set) var deviceType: DeviceType
    /// Whether the system or the user has told `deviceType`. Where neither has, it is `external`, as most devices are.
    public package(set) var isTypeKnown: Bool
    /// The side of the computer that a built-in camera is on, where the camera says.
    public package(set) var position: Position
    /// The clockwise rotation that brings a camera's frames upright, by the way it is built in or mounted.
    public package(set) var mounting: Rotation
    /// The identity that the device keeps across replugs and reboots.
    public let identity: DeviceIdentity
    /// The device's name as a person reads it, without control characters.
    public let name: String
    /// Whether this camera is a capture stick: it shows what another device sends it by HDMI or another cable.
    public package(set) var isCaptureStick = false
    /// The manufacturer that the device names; empty where it names none.
    public let manufacturer: String
    /// The node of a V4L2 camera (`/dev/video0`), or the source's name of a PulseAudio microphone.
    public package(set) var node: String
    /// The selector that names exactly this device: `usb:…`, `/dev/video0`, `pulse:…`.
    public let selector: String
    /// The USB controller or other bus that the device is connected to, and whose bandwidth it shares; `nil` where unknown.
    public let controller: String?
    /// Megabits per second of the USB connection (sysfs `speed`); `nil` where unknown.
    public let busSpeed: Int?
    /// The identity of the microphone in this camera, or of the camera around this microphone; `nil` without one.
    public package(set) var companion: DeviceIdentity?
    /// A camera's formats by increasing size; those of one size as the driver orders them. Empty for a microphone.
    public let formats: [OfferedFormat]
    /// A microphone's native format; `nil` for a camera.
    public package(set) var audio: AudioFormat?
    /// Whether this microphone is the sound server's default.
    public package(set) var isDefault = false
    /// The sound server's card that this microphone is a part of; `nil` where it is part of none.
    public package(set) var card: SoundCard?
    /// The ports that this microphone can listen to; empty where there is no choice.
    public package(set) var ports: [AudioPort] = []
    /// The side that each channel of this microphone listens to; empty where its driver does not say.
    public package(set) var channelPositions: [Position] = []
    /// A camera's V4L2 controls with their present values.
    public let controls: [DeviceControl]
    /// Why the device cannot be used now; `nil` when it can.
    public let problem: Problem?

    /// Makes a device, and sorts its formats by increasing size.
    public init(
        mediaType: MediaType, deviceType: DeviceType, isTypeKnown: Bool = true,
        position: Position = .unspecified, mounting: Rotation = .none, identity: DeviceIdentity, name: String,
        manufacturer: String = "", node: String, selector: String, controller: String? = nil,
        busSpeed: Int? = nil,
        companion: DeviceIdentity? = nil, formats: [OfferedFormat] = [], audio: AudioFormat? = nil,
        controls: [DeviceControl] = [], problem: Problem? = nil
    ) {
        self.mediaType = mediaType
        self.deviceType = deviceType
        self.isTypeKnown = isTypeKnown
        self.position = position
        self.mounting = mounting
        self.identity = identity
        self.name = name
        self.manufacturer = manufacturer
        self.node = node
        self.selector = selector
        self.controller = controller
        self.busSpeed = busSpeed
        self.companion = companion
        self.formats = formats.byIncreasingSize
        self.audio = audio
        self.controls = controls
        self.problem = problem
    }

    /// Whether all formats that a camera offers are without colour, as of an infrared camera.
    public var isGrey: Bool { !formats.isEmpty && formats.allSatisfy(\.isGrey) }

    /// The named sizes that a camera offers, by increasing size.
    public var sizePresets: [SizePreset] { SizePreset.offered(by: formats) }
}
