public import Media
public import Profiles

/// A camera as an input of a plan.
public struct PlannedCamera: Sendable, Equatable, Codable {
    public var role: String
    /// What the user asked for: `any`, `/dev/video0`, `virtual:clap`.
    public var selector: String
    public var identity: DeviceIdentity
    /// What it is opened with.
    public var format: VideoFormat
    /// Turns the stored frame clockwise to be seen upright.
    public var rotation: Rotation
    public var rotationSource: RotationSource
    public var isMirrored: Bool
    /// How a preview of it is to be shown.
    public var preview: PreviewConnection
    /// The part of its frames that is used, in the program and in an encoded track.
    public var framing: Framing
    /// From the scene to the time stamp: taken off each stamp.
    public var latency: Nanoseconds
    public var latencySource: CorrectionSource
    /// Controls to set and to keep: the profile's in its order, then what was added.
    public var controls: [ControlRequest]
    /// The camera whose exposure and colours it takes over before the recording, and what else; `nil` where none.
    public var match: CameraMatch?
    /// Why this format: a sentence.
    public var reason: String
    /// Where what is known of each frame is written, relative to the session folder; `nil` for nowhere.
    public var metadataFile: String?
    /// Of a synthetic camera that pretends to hang on a USB bus: what it keeps of it. Of a real one the machine knows
    /// (`MachineModel.usb`).
    public var usb: USBCamera?

    public init(
        role: String, selector: String, identity: DeviceIdentity, format: VideoFormat,
        rotation: Rotation = .none, rotationSource: RotationSource = .mounting,
        isMirrored: Bool = false, preview: PreviewConnection? = nil, framing: Framing = .whole,
        latency: Nanoseconds = .zero,
        latencySource: CorrectionSource = .none,
        controls: [ControlRequest] = [], match: CameraMatch? = nil, reason: String = "",
        metadataFile: String? = nil,
        usb: USBCamera? = nil
    ) {
        self.role = role
        self.selector = selector
        self.identity = identity
        self.format = format
        self.rotation = rotation
        self.rotationSource = rotationSource
        self.isMirrored = isMirrored
        self.preview =
            preview
            ?? PreviewConnection(
                role: role, rotation: rotation, isMirrored: false, reason: "nobody asked for it")
        self.framing = framing
        self.latency = latency
        self.latencySource = latencySource
        self.controls = controls
        self.match = match
        self.reason = reason
        self.metadataFile = metadataFile
        self.usb = usb
    }

    /// The part of its stored frames that is used; `nil` for all.
    public var crop: PixelRectangle? { framing.part(of: format.size, rotation: rotation) }
}
