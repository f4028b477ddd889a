public import Media

/// A camera of a profile: the device, the format that it delivers, and its orientation.
public struct CameraRole: Sendable, Equatable {
    /// The pixel format that a profile asks for.
    public enum Format: String, Sendable, CaseIterable {
        /// Chooses MJPEG where offered, else the fitting format that needs the least work; H.264 last, as its frames depend on
        /// each other.
        case auto
        case mjpeg, yuyv, nv12, h264
        /// Frames without colour, as infrared cameras deliver them. `auto` chooses it only where there is nothing else.
        case grey
    }

    /// The role, which names the track and its file: `[a-z0-9][a-z0-9_-]{0,31}`.
    public var role: String
    /// A device selector: `any`, `/dev/video0`, `virtual:clap`, …
    public var device: String
    /// Where the address of a network camera is kept that `device` is to be; `nil` where `device` says it.
    public var address: SecretSource? = nil
    /// The size to capture in pixels; `nil` for the smallest offered one from which `output` can be made, or without an output
    /// the one nearest to 1280×720.
    public var size: FrameSize?
    /// The rate of the track, and of the camera where it offers it; `nil` for 30 frames per second where offered.
    public var rate: FrameRate?
    /// The pixel format to capture.
    public var format: Format
    /// The clockwise rotation that makes the stored frame upright; `nil` for the rotation of the camera's mounting.
    public var rotation: CameraRotation?
    /// Whether the program shows the camera mirrored left to right.
    public var isMirrored: Bool
    /// Whether the camera's preview is mirrored. Files and the program are not affected.
    public var previewMirroring: PreviewMirroring
    /// The time from the scene to the time stamp, 0…2 s; `nil` for the calibrated latency, or none.
    public var latency: Nanoseconds?
    /// The part of the frame that the program and an encoded track show; `nil` for the whole frame.
    public var crop: CameraCrop?
    /// The zoom, by the camera itself where it can, else by cropping further. Pan and tilt move the camera, else the crop.
    public var zoom: Zoom
    /// The size and rate of the encoded track; `nil` for those that the camera delivers.
    public var output: CameraOutput?
    /// Controls to set, in the order of the file.
    public var controls: [ControlSetting]
    /// The name of a saved set of controls for the camera that plays the role; `controls` are set on top of it.
    public var preset: String?
    /// The camera whose exposure, colours and other traits this one takes over; `nil` for none.
    public var match: CameraMatch?

    /// Creates a role that by default any camera plays.
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

    /// Gives the role to another device.
    package mutating func play(_ selector: String) { (device, address) = (selector, nil) }
}
