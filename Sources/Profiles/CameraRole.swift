public import MulticamMedia

/// A camera in a profile, with its device, format, and orientation.
public struct CameraRole: Sendable, Equatable {
    /// The pixel format that a profile requests.
    public enum Format: String, Sendable, CaseIterable {
        /// Selects MJPEG if the camera offers it, otherwise the suitable format that requires the least
        /// processing. H.264 is the last choice because its frames depend on each other.
        case auto
        case mjpeg, yuyv, nv12, h264
        /// Monochrome frames, as delivered by infrared cameras. `auto` selects this format only if the camera
        /// doesn't offer any other format.
        case grey
    }

    /// The camera's role, used as the name of the track and its file: `[a-z0-9][a-z0-9_-]{0,31}`.
    public var role: String
    /// Selector of the camera device: `any`, `/dev/video0`, `virtual:clap`, …
    public var device: String
    /// Storage location of a network camera's address, which replaces `device` after the address has been
    /// read; `nil` if `device` already contains the selector.
    package var address: SecretSource? = nil
    /// Capture size in pixels. `nil` selects the smallest offered size that is sufficient for `output` or,
    /// without an output, the size nearest to 1280×720.
    public var size: FrameSize?
    /// Frame rate of the track, and of the camera if it offers this rate. `nil` selects 30 frames per second
    /// if offered.
    public var rate: FrameRate?
    /// Pixel format to capture.
    public var format: Format
    /// Clockwise rotation that makes the stored frame upright; `nil` to use the rotation given by the
    /// camera's mounting.
    public var rotation: CameraRotation?
    /// Whether the program shows the camera mirrored left to right.
    public var isMirrored: Bool
    /// Whether the camera's preview is mirrored. Files and the program are not affected.
    package var previewMirroring: PreviewMirroring
    /// Delay between an event in front of the camera and the frame's timestamp, 0…2 s. `nil` selects the
    /// calibrated latency, or zero if the camera hasn't been calibrated.
    public var latency: Nanoseconds?
    /// The part of the frame that is shown in the program and in an encoded track; `nil` for the whole frame.
    package var crop: CameraCrop?
    /// Zoom factor, pan, and tilt. The camera itself zooms if it supports zooming; otherwise, frames are
    /// cropped further. Pan and tilt move the camera or the crop accordingly.
    package var zoom: Zoom
    /// People that the program keeps in frame by moving the visible part of the camera's frames.
    package var automaticFraming = AutomaticFraming()
    /// Detection types of the camera.
    package var detection: [DetectionKind] = []
    /// Size and rate of the encoded track; `nil` for the size and rate that the camera delivers.
    public var output: CameraOutput?
    /// Camera controls to set, in the order of the profile's file.
    package var controls: [ControlSetting]
    /// Name of a saved set of controls for the role's camera. Values in `controls` override the preset.
    public var preset: String?
    /// The camera whose exposure, colors, and other traits this camera matches; `nil` if the camera isn't
    /// matched to another camera.
    package var match: CameraMatch?

    /// Creates a camera role.
    ///
    /// - Parameters:
    ///   - role: Name of the role.
    ///   - device: Selector of the camera. By default, any camera can be used.
    ///   - size: Size of the camera's frames; `nil` to choose one.
    ///   - rate: Rate of the camera's frames; `nil` to choose one.
    ///   - format: Pixel format of the camera's frames.
    ///   - rotation: Rotation that makes the frames upright; `nil` for the rotation of the camera's mounting.
    ///   - isMirrored: Whether the camera is mirrored in the program.
    ///   - output: Size and rate of an encoded track; `nil` uses the camera's size and rate.
    public init(
        role: String, device: String = "any", size: FrameSize? = nil, rate: FrameRate? = nil,
        format: Format = .auto, rotation: CameraRotation? = nil, isMirrored: Bool = false,
        output: CameraOutput? = nil
    ) {
        self.init(
            role: role, device: device, size: size, rate: rate, format: format, rotation: rotation,
            isMirrored: isMirrored, previewMirroring: .auto, output: output)
    }

    /// Creates a camera role. By default, any camera can be used.
    package init(
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

    /// Assigns another device to the role.
    package mutating func assignDevice(_ selector: String) { (device, address) = (selector, nil) }
}

extension CameraRole {
    /// Returns the used part of the camera's frame, including any zoom that is done by cropping.
    ///
    /// - Parameter zoom: The part of the zoom that the camera itself doesn't provide.
    /// - Returns: A framing with the requested rectangle, which may extend beyond the frame.
    package func framing(zoom: Zoom) -> Framing {
        switch crop {
        case nil: Framing(zoom: zoom)
        case .rectangle(let area): Framing(area: area, zoom: zoom)
        case .shape(let shape): Framing(shape: shape, zoom: zoom)
        }
    }

    /// Whether the used part of a frame is large enough for an output without upscaling. Zoom is ignored,
    /// because it isn't yet known whether the camera supports zooming.
    package func covers(_ output: FrameSize, from size: FrameSize, rotation: Rotation) -> Bool {
        let part = framing(zoom: .none).part(of: size, rotation: rotation)?.size ?? size
        let upright = rotation.swapsSides ? part.transposed : part
        return upright.width >= output.width && upright.height >= output.height
    }
}

/// The rotation that a profile requests for a camera's frames.
public enum CameraRotation: Sendable, Equatable {
    case fixed(Rotation)
    /// Rotation derived from the camera's mounting and the computer's accelerometer, for built-in cameras.
    case sensor
}

/// The used part of a camera's frame.
package enum CameraCrop: Sendable, Equatable {
    /// A rectangle in pixels of the stored frame. The profile must also set the frame's size.
    case rectangle(PixelRectangle)
    /// The largest part of the frame that has this aspect ratio when the frame is upright.
    case shape(AspectRatio)
}

/// Automatic framing of a camera in the program.
package struct AutomaticFraming: Sendable, Equatable, Codable {
    /// What moves to keep people in frame.
    package enum Mover: String, Sendable, Codable, CaseIterable {
        /// The visible part of the camera's frames in the program.
        case crop
        /// The camera, with its controls for pan, tilt, and zoom.
        case camera
    }

    /// People that the program keeps in frame.
    package var mode: FramingMode
    /// Largest enlargement of the camera's pixels in the program, 1…4. At 1, a pixel of the program shows at least one
    /// pixel of the camera. For a camera that moves itself, this is its largest zoom factor.
    package var maxEnlargement: Double
    /// What moves to keep people in frame.
    package var mover: Mover

    /// Valid values of `maxEnlargement`.
    package static let enlargements = 1.0...4.0

    /// Creates the settings; by default, framing is off.
    package init(mode: FramingMode = .off, maxEnlargement: Double = 1.5, mover: Mover = .crop) {
        (self.mode, self.maxEnlargement, self.mover) = (mode, maxEnlargement, mover)
    }
}

/// The traits of another camera that a camera matches.
package struct CameraMatch: Sendable, Equatable, Codable {
    /// A trait that can be matched between cameras.
    package enum Trait: String, Sendable, Equatable, Codable, CaseIterable {
        /// Exposure time and gain.
        case exposure
        /// Color temperature.
        case whiteBalance = "white-balance"
        /// A locked focus: each camera locks its own focus after autofocus has settled. The focus distance
        /// isn't copied between cameras.
        case focus
        /// The largest frame size or highest frame rate that all matched cameras offer, up to the requested
        /// value if possible.
        case size, rate
    }

    /// Role of the camera whose traits are matched.
    package var camera: String
    /// Traits to match.
    package var traits: [Trait]

    /// Default traits to match, used if a profile doesn't specify any.
    package static let defaultTraits: [Trait] = [.exposure, .whiteBalance, .focus]

    /// Creates a match with the camera of another role.
    package init(camera: String, traits: [Trait] = Self.defaultTraits) {
        self.camera = camera
        self.traits = traits
    }
}

/// The size and rate of a camera's encoded track. Frames are cropped to the output's aspect ratio, scaled
/// down, and decimated. The camera itself isn't affected.
public struct CameraOutput: Sendable, Equatable {
    /// The track's size as seen upright, with even dimensions and never larger than the camera's size; `nil`
    /// for the camera's size.
    public var size: FrameSize?
    /// The track's frame rate; `nil` for the role's frame rate.
    public var rate: FrameRate?

    /// Creates output settings. By default, the track has the camera's frame size and the role's frame rate.
    public init(size: FrameSize? = nil, rate: FrameRate? = nil) {
        self.size = size
        self.rate = rate
    }
}

/// Whether a camera's preview is mirrored left to right, which helps people who watch themselves. Tracks are
/// never mirrored, and the program shows the camera mirrored only if the camera's `mirrored` field is set.
package enum PreviewMirroring: String, Sendable, Codable, CaseIterable {
    /// Mirroring depends on the kind of camera; see `decision`.
    case auto
    case on = "true"
    case off = "false"

    /// Decides whether a camera's preview is mirrored.
    ///
    /// - Parameter camera: The camera that the preview shows.
    /// - Returns: Whether the preview is mirrored, and the reason, formatted as the end of a sentence.
    package func decision(for camera: CaptureDevice) -> (isMirrored: Bool, reason: String) {
        switch self {
        case .on: return (true, "it is set in the profile")
        case .off: return (false, "it is set in the profile")
        case .auto: break
        }
        if camera.isCaptureStick {
            return (false, "it is a capture card that shows another device")
        }
        switch camera.deviceType {
        case .file, .network, .screen, .microphone:
            return (false, "its source is not a local camera")
        case .builtIn, .external, .virtual: break
        }
        if camera.position == .back { return (false, "it is a back camera") }
        if camera.position == .front { return (true, "it is a front camera") }
        return camera.deviceType == .builtIn
            ? (true, "it is built in, and most built-in cameras face the user")
            : (true, "most external cameras face the user")
    }
}

/// A camera control and the value that a profile assigns to it.
package struct ControlSetting: Sendable, Equatable {
    /// The value of a control, as written in the profile.
    package enum Value: Sendable, Equatable {
        case number(Int64)
        case flag(Bool)
        /// The name of a menu item of the control.
        case word(String)
    }

    /// V4L2 name of the control in snake_case: `focus_automatic_continuous`.
    package var name: String
    /// The control's value to set.
    package var value: Value
    /// Source of the setting: `asked` for the profile itself, `preset` for a saved preset that the profile
    /// names.
    package var origin: ControlRequest.Origin

    /// Creates a setting for a camera control.
    package init(name: String, value: Value, origin: ControlRequest.Origin = .asked) {
        self.name = name
        self.value = value
        self.origin = origin
    }

    /// Returns the number that represents this value for a particular camera control.
    ///
    /// - Throws: `ControlFault` if the control doesn't support the value.
    package func number(for control: DeviceControl) throws(ControlFault) -> Int64 {
        switch value {
        case .word(let word): return try control.value(of: word)
        case .number(let number):
            try control.check(number)
            return number
        case .flag(let isOn):
            let number: Int64 = isOn ? 1 : 0
            try control.check(number)
            return number
        }
    }

    /// The value as a number, for a control that isn't known yet; `nil` for a word, which can be converted to
    /// a number only if the control is known.
    package var plainNumber: Int64? {
        switch value {
        case .number(let number): number
        case .flag(let isOn): isOn ? 1 : 0
        case .word: nil
        }
    }
}
