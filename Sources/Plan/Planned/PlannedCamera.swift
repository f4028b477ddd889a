public import MulticamMedia
package import MulticamProfiles

/// A camera that is an input of a plan.
public struct PlannedCamera: Sendable, Equatable, Encodable {
    /// The camera's role, such as `desk`.
    public var role: String
    /// The selector that the user entered for the camera: `any`, `/dev/video0`, `virtual:clap`.
    public var selector: String
    /// The camera that the selector resolved to.
    package var identity: DeviceIdentity
    /// Pixel format, size, and rate that the camera is opened with.
    public var format: VideoFormat
    /// The clockwise rotation that makes the stored frame upright.
    public var rotation: Rotation
    /// How the camera's rotation was determined.
    package var rotationSource: RotationSource
    /// Pixel aspect ratio of the stored frame; `nil` for square pixels.
    package var pixelAspect: AspectRatio?
    /// Whether the program shows the camera mirrored left to right.
    package var isMirrored: Bool
    /// How to display a preview of the camera.
    package var preview: PreviewConnection
    /// The part of the camera's frames that is used in the program and in an encoded track.
    package var framing: Framing
    /// People that the program keeps in frame. `ProgramArrangement` contains the user's later choices.
    package var automaticFraming = AutomaticFraming()
    /// Detection types of the camera, besides the faces that automatic framing needs.
    package var detection: [DetectionKind] = []
    /// Delay between an event in front of the camera and the timestamp of the frame that shows it. The delay
    /// is subtracted from each timestamp.
    package var latency: Nanoseconds
    /// How the camera's latency was determined.
    package var latencySource: CorrectionSource
    /// Camera controls to set and maintain: the profile's controls in the order of the file, followed by
    /// automatically added controls.
    package var controls: [ControlRequest]
    /// The camera whose exposure and color this camera matches before the recording, and other traits to
    /// match; `nil` if this camera isn't matched.
    package var match: CameraMatch?
    /// Sentence that explains why this format was chosen.
    package var reason: String
    /// Path of the camera's metadata file, which contains the time and other data of each frame, relative to
    /// the session folder; `nil` if no metadata is written.
    package var metadataFile: String?
    /// Bandwidth that a synthetic camera simulates on a USB bus; `nil` for a physical camera, whose bandwidth is in the
    /// machine model (`MachineModel.usb`).
    package var usb: USBCamera?

    /// Creates a camera of a plan.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - selector: The selector to list in the manifest.
    ///   - identity: Identity of the device.
    ///   - format: Format that the camera delivers.
    ///   - rotation: Clockwise rotation that makes the camera's frames upright.
    package init(
        role: String, selector: String, identity: DeviceIdentity, format: VideoFormat,
        rotation: Rotation = .none
    ) {
        self.init(
            role: role, selector: selector, identity: identity, format: format, rotation: rotation,
            rotationSource: .mounting)
    }

    /// Creates a camera of a plan. By default, the preview uses the camera's rotation and isn't mirrored.
    package init(
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
                role: role, rotation: rotation, isMirrored: false, reason: "mirroring is not requested")
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
    package var crop: PixelRectangle? { framing.part(of: format.size, rotation: rotation) }
}

/// A camera track (ISO track), which contains the recording of one camera.
public struct PlannedCameraTrack: Sendable, Equatable, Encodable {
    /// How a track stores the camera's frames: `copy` stores the frames byte for byte, `encode` re-encodes
    /// them.
    public enum Mode: String, Sendable, Codable { case copy, encode }

    /// Name of the track, unique within the session. The name is the camera's role, unless the track is
    /// started after another track of the same camera was stopped.
    public var name: String
    /// The camera's role.
    public var role: String
    /// Whether the camera's frames are copied or encoded.
    public var mode: Mode
    /// The track's file, relative to the session folder.
    public var file: String
    /// Frame rate of the track's frame grid.
    public var rate: FrameRate
    /// Size and rate of the stored frames, and the encoder settings if frames are encoded.
    public var settings: VideoEncodingSettings
    /// Clockwise rotation that makes the stored frames upright. The rotation is stored in the file's
    /// metadata; the pixels aren't rotated.
    package var rotation: Rotation
    /// Pixel aspect ratio of the stored frames, stored in the file's metadata; `nil` for square pixels.
    package var pixelAspect: AspectRatio?
    /// The part of the camera's stored frames that the track shows, in pixels; `nil` for the whole frame. A
    /// copied track always stores the whole frame.
    package var crop: PixelRectangle?

    /// Creates a track of a camera. By default, the track's name is the camera's role.
    public init(
        name: String? = nil, role: String, mode: Mode, file: String, rate: FrameRate,
        settings: VideoEncodingSettings, rotation: Rotation, crop: PixelRectangle? = nil
    ) {
        self.name = name ?? role
        self.role = role
        self.mode = mode
        self.file = file
        self.rate = rate
        self.settings = settings
        self.rotation = rotation
        self.crop = crop
    }
}
