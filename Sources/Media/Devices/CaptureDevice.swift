/// A connected camera or microphone and its capabilities.
public struct CaptureDevice: Sendable, Hashable {
    /// Type of media that a device captures: video or audio.
    public enum MediaType: String, Sendable, Codable { case video, audio }
    /// Type of a device: built-in, wired, synthetic, a file, or other.
    public enum DeviceType: String, Sendable, Codable {
        case builtIn = "built-in"
        case external, virtual, file, network, screen, microphone

        /// Whether frame times are exact. A file stores exact times, and screen captures use this computer's
        /// clock. Timestamps of all other devices jitter, and a clock model smooths them.
        package var hasExactTimes: Bool { self == .file || self == .screen }
    }
    /// Mounting side of a built-in camera: `front` faces the user.
    public enum Position: String, Sendable, Codable { case unspecified, front, back }

    /// Reason why a device can't currently be used.
    public enum Problem: Sendable, Hashable {
        /// Another program is streaming from the device. `by` is the name of the other program, if the system
        /// reports it.
        case inUse(by: String?)
        /// The user lacks permission to open the device. Members of `group` have the required permission.
        case noPermission(group: String)
        /// The device didn't respond correctly; the text describes the problem.
        case failing(String)
    }

    /// Type of media that the device captures.
    public let mediaType: MediaType
    /// Type of the device, such as built-in, wired, or synthetic.
    public package(set) var deviceType: DeviceType
    /// Whether the system or the user specified `deviceType`. If neither specified the type, `deviceType` is
    /// `external`, which is the type of most devices.
    package var isTypeKnown: Bool
    /// Mounting side of a built-in camera, if the camera reports it.
    public package(set) var position: Position
    /// Clockwise rotation that makes the camera's frames upright, given how the camera is built in or
    /// mounted.
    package var mounting: Rotation
    /// Pixel aspect ratio of a camera's stored frames; `nil` for square pixels. Only video files can have
    /// non-square pixels.
    public package(set) var pixelAspect: AspectRatio?
    /// Identity that stays the same across reconnections and reboots.
    public let identity: DeviceIdentity
    /// Readable name of the device, without control characters.
    public let name: String
    /// Whether this camera is a capture stick, which captures the output of another device over HDMI or
    /// another cable.
    package var isCaptureStick = false
    /// Manufacturer name that the device reports; empty if the device doesn't report one.
    package let manufacturer: String
    /// Device node of a V4L2 camera (`/dev/video0`), or source name of a PulseAudio microphone.
    public package(set) var node: String
    /// Selector that matches only this device: `usb:…`, `/dev/video0`, `pulse:…`.
    public let selector: String
    /// USB controller or other bus to which the device is connected. Devices on one bus share its bandwidth.
    /// The value is `nil` if the bus is unknown.
    package let controller: String?
    /// Speed of the USB connection in megabits per second (sysfs `speed`); `nil` if unknown.
    package let busSpeed: Int?
    /// Identity of the microphone in this camera, or of the camera that contains this microphone; `nil` if
    /// the device doesn't have a companion.
    public package(set) var companion: DeviceIdentity?
    /// A camera's formats, in order of increasing size; formats of the same size are in the driver's order.
    /// The array is empty for a microphone.
    public let formats: [OfferedFormat]
    /// Native format of a microphone; `nil` for a camera.
    public package(set) var audio: AudioFormat?
    /// Whether this microphone is the sound server's default.
    public package(set) var isDefault = false
    /// Sound server card of this microphone; `nil` if it isn't part of a card.
    package var card: SoundCard?
    /// Input ports that can be selected for this microphone; empty if the microphone doesn't offer a choice.
    package var ports: [AudioPort] = []
    /// Position of each channel of this microphone; empty if its driver doesn't report positions.
    package var channelPositions: [Position] = []
    /// A camera's V4L2 controls with their current values.
    public let controls: [DeviceControl]
    /// Reason why the device can't currently be used; `nil` if the device can be used.
    public let problem: Problem?

    /// Creates a device and sorts its formats by increasing size.
    package init(
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

    /// Whether all of the camera's formats are monochrome, as with an infrared camera.
    package var isGray: Bool { !formats.isEmpty && formats.allSatisfy(\.isGray) }

    /// The named frame sizes that a camera offers, smallest first.
    package var sizePresets: [SizePreset] { SizePreset.offered(by: formats) }
}

/// A stream that a device provides to a session: a camera's frames, or channels of a microphone.
public struct InputPort: Sendable, Hashable {
    /// Media type of the stream.
    public let mediaType: CaptureDevice.MediaType
    /// Direction that the camera or the channels face, if the device or the user specifies a direction.
    public let position: CaptureDevice.Position
    /// Indices of the microphone's channels, starting at 0; empty for a camera.
    public let channels: [Int]

    /// Creates an input port.
    package init(
        mediaType: CaptureDevice.MediaType, position: CaptureDevice.Position = .unspecified,
        channels: [Int] = []
    ) {
        self.mediaType = mediaType
        self.position = position
        self.channels = channels
    }
}

extension CaptureDevice {
    /// Creates the description of a camera that the application provides. Its `deviceType` is `network`, or `builtIn` if it
    /// rotates with the computer.
    ///
    /// - Parameters:
    ///   - name: Name of the camera for the user.
    ///   - position: Side of the computer where the camera is mounted.
    ///   - isBuiltIn: Whether the camera rotates with the computer.
    /// - Returns: The description, without a device node.
    public static func ownCamera(
        named name: String, position: Position = .unspecified, isBuiltIn: Bool = false
    ) -> Self {
        Self(
            mediaType: .video, deviceType: isBuiltIn ? .builtIn : .network, position: position,
            identity: DeviceIdentity(name: name), name: name, node: "", selector: "")
    }

    /// Creates the description of a microphone that the application provides. Its `deviceType` is `network`.
    ///
    /// - Parameter name: Name of the microphone for the user.
    /// - Returns: The description, without a device node.
    public static func ownMicrophone(named name: String) -> Self {
        Self(
            mediaType: .audio, deviceType: .network, identity: DeviceIdentity(name: name), name: name,
            node: "", selector: "")
    }
}

extension CaptureDevice {
    /// Streams that the device can provide to a session.
    ///
    /// A camera has one port. A microphone has one port with all of its channels. If the microphone's driver
    /// reports channel positions, the microphone also has one port with the front channels and one port with
    /// the back channels. A microphone inside a camera faces the same way as the camera.
    public var inputPorts: [InputPort] {
        guard mediaType == .audio else { return [InputPort(mediaType: .video, position: position)] }
        let all = Array(0..<(audio?.channels ?? 0))
        let sides = [Position.front, .back].compactMap { side -> InputPort? in
            let channels = all.filter {
                channelPositions.indices.contains($0) && channelPositions[$0] == side
            }
            return channels.isEmpty || channels == all
                ? nil : InputPort(mediaType: .audio, position: side, channels: channels)
        }
        return [InputPort(mediaType: .audio, position: position, channels: all)] + sides
    }
}

/// A change to the set of connected devices, or to the information about a connected device.
public enum DeviceChange: Sendable, Equatable {
    /// The device was already connected when monitoring started.
    case present(CaptureDevice)
    /// The device was connected while monitoring was active. If the device had been connected before, the new
    /// value has the same identity.
    case connected(CaptureDevice)
    /// The device was disconnected; the value is the device's last state.
    case disconnected(CaptureDevice)
    /// The device is still connected and differs from `before`: for example, a problem was resolved, or its
    /// microphone was found.
    case changed(CaptureDevice, before: CaptureDevice)
    /// Devices of one kind, for example microphones, can't currently be listed. The problem isn't reported
    /// again until listing has succeeded at least once.
    case problem(DeviceError)

    /// The affected device in its current or last state; `nil` for a listing problem.
    public var device: CaptureDevice? {
        switch self {
        case .present(let device), .connected(let device), .disconnected(let device), .changed(let device, _):
            device
        case .problem: nil
        }
    }
}
