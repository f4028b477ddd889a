public import Media
public import Profiles

/// A camera as an input of a plan.
public struct PlannedCamera: Sendable, Equatable, Codable {
    /// The camera's role, such as `desk`.
    public var role: String
    /// The words with which the user asked for the camera: `any`, `/dev/video0`, `virtual:clap`.
    public var selector: String
    /// The camera that was found for the role.
    public var identity: DeviceIdentity
    /// The pixel format, size and rate that the camera is opened with.
    public var format: VideoFormat
    /// The clockwise rotation that makes the stored frame upright.
    public var rotation: Rotation
    /// Where the rotation comes from.
    public var rotationSource: RotationSource
    /// Whether the program shows the camera mirrored left to right.
    public var isMirrored: Bool
    /// How a preview of the camera is to be shown.
    public var preview: PreviewConnection
    /// The part of the camera's frames that is used in the program and in an encoded track.
    public var framing: Framing
    /// The time from the scene to a frame's time stamp, which is subtracted from each stamp.
    public var latency: Nanoseconds
    /// Where the latency comes from.
    public var latencySource: CorrectionSource
    /// Controls to set and to keep: the profile's in its order, then those that were added.
    public var controls: [ControlRequest]
    /// The camera whose exposure and colours this one takes over before the recording, and what else; `nil` for none.
    public var match: CameraMatch?
    /// A sentence that says why this format was chosen.
    public var reason: String
    /// The file with the time and other data of each frame, relative to the session folder; `nil` where none is written.
    public var metadataFile: String?
    /// The bandwidth that a synthetic camera pretends to reserve on a USB bus; `nil` for a real camera, of which the machine
    /// knows (`MachineModel.usb`).
    public var usb: USBCamera?

    /// Creates a camera of a plan. Without a `preview` it is shown with the camera's rotation and is not mirrored.
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

    /// The part of the camera's stored frames that is used, in pixels; `nil` for the whole frame.
    public var crop: PixelRectangle? { framing.part(of: format.size, rotation: rotation) }
}
