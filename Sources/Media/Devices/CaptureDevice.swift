/// A camera or a microphone that is present, and what it offers.
public struct CaptureDevice: Sendable, Hashable {
    public enum MediaType: String, Sendable, Codable { case video, audio }
    public enum DeviceType: String, Sendable, Codable {
        case builtIn, external, virtual, file, network, screen, microphone
    }
    public enum Position: String, Sendable, Codable { case unspecified, front, back }

    /// Why a device cannot be used now.
    public enum Problem: Sendable, Hashable {
        /// Another program streams from it; its name where the system tells.
        case inUse(by: String?)
        /// The user may not open it; the group that may.
        case noPermission(group: String)
        /// It did not answer as it should.
        case failing(String)
    }

    public let mediaType: MediaType
    public package(set) var deviceType: DeviceType
    /// Whether the system or the user has told `deviceType`. Where neither has, it is `external`, as most are.
    public package(set) var isTypeKnown: Bool
    public package(set) var position: Position
    /// Turns its frames clockwise to be seen upright, by the way it is built in or mounted. Of a camera.
    public package(set) var mounting: Rotation
    public let identity: DeviceIdentity
    /// As a person reads it, without control characters.
    public let name: String
    /// Of a camera: whether it is none itself, but shows what another device sends it by HDMI or another cable.
    public package(set) var isCaptureStick = false
    /// Who made it, as it says; empty where it says nothing.
    public let manufacturer: String
    /// The node for a V4L2 camera (`/dev/video0`), the source's name for a PulseAudio microphone.
    public let node: String
    /// The selector that names exactly this device: `usb:…`, `/dev/video0`, `pulse:…`.
    public let selector: String
    /// The USB controller or other bus it hangs on; its bandwidth is shared.
    public let controller: String?
    /// Megabits per second of the USB connection, where known (sysfs `speed`).
    public let busSpeed: Int?
    /// The identity of the microphone in this camera, or of the camera around this microphone.
    public package(set) var companion: DeviceIdentity?
    /// Of a camera, by increasing size; those of one size as the driver orders them.
    public let formats: [OfferedFormat]
    /// Of a microphone: its native format.
    public let audio: AudioFormat?
    /// Of a microphone: whether it is the sound server's default.
    public package(set) var isDefault = false
    /// Of a microphone: the sound server's card that it is a part of, where it is.
    public package(set) var card: SoundCard?
    /// Of a microphone: what it can listen to, where there is a choice.
    public package(set) var ports: [AudioPort] = []
    /// V4L2 controls by name with their current value.
    public let controls: [DeviceControl]
    public let problem: Problem?

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

    /// Whether all that it offers is without colour, as of a camera of infrared light.
    public var isGrey: Bool { !formats.isEmpty && formats.allSatisfy(\.isGrey) }

    /// The sizes with names that it has.
    public var sizePresets: [SizePreset] { SizePreset.offered(by: formats) }
}
