public import Media

/// A camera of a profile: which one, what it delivers, how it stands.
public struct CameraRole: Sendable, Equatable {
    public enum Format: String, Sendable, CaseIterable {
        /// MJPEG where offered, else what fits; H.264 last, as its frames depend on each other.
        case auto
        case mjpeg, yuyv, nv12, h264
        /// Without colour, as cameras of infrared light have it. Chosen by itself only where there is nothing else.
        case grey
    }

    /// The name of its track and file: `[a-z0-9][a-z0-9_-]{0,31}`.
    public var role: String
    /// A device selector: `any`, `/dev/video0`, `virtual:clap`, …
    public var device: String
    /// `nil`: the smallest offered one from which `output` can be made, without that the one nearest to 1280×720.
    public var size: FrameSize?
    /// Of the track, and of the camera where it can. `nil`: 30 where offered.
    public var rate: FrameRate?
    public var format: Format
    /// Turns the stored frame clockwise to be seen upright. `nil`: as the camera is mounted.
    public var rotation: CameraRotation?
    public var isMirrored: Bool
    /// Of its preview alone.
    public var previewMirroring: PreviewMirroring
    /// From the scene to the time stamp, 0…2 s. `nil`: as it was calibrated, else none.
    public var latency: Nanoseconds?
    /// The part of its frame that the program and an encoded track show; all of it when `nil`.
    public var crop: CameraCrop?
    /// By the camera itself where it can, else by cropping further. Its pan and tilt move the camera, else the crop.
    public var zoom: Zoom
    /// What its encoded track is to be, whatever the camera delivers; `nil`: as that.
    public var output: CameraOutput?
    /// In the order of the file.
    public var controls: [ControlSetting]
    /// The name under which controls were kept of the camera that plays the role; `controls` come on top.
    public var preset: String?
    /// The camera whose exposure, colours and so on it takes over; `nil`: it has its own.
    public var match: CameraMatch?

    public init(
        role: String, device: String = "any", size: FrameSize? = nil, rate: FrameRate? = nil,
        format: Format = .auto, rotation: CameraRotation? = nil, isMirrored: Bool = false,
        previewMirroring: PreviewMirroring = .auto, latency: Nanoseconds? = nil,
        crop: CameraCrop? = nil, zoom: Zoom = .none, output: CameraOutput? = nil,
        controls: [ControlSetting] = [], preset: String? = nil,
        match: CameraMatch? = nil
    ) {
        self.role = role
        self.device = device
        self.size = size
        self.rate = rate
        self.format = format
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.previewMirroring = previewMirroring
        self.latency = latency
        self.crop = crop
        self.zoom = zoom
        self.output = output
        self.controls = controls
        self.preset = preset
        self.match = match
    }
}
