package import FoundationEssentials
internal import MulticamContainers
public import MulticamMedia

/// A still frame with its metadata and the surrounding frames.
package struct Still: Sendable {
    /// The camera's role.
    package let role: String
    /// The frame as captured. If the camera delivers an H.264 stream, the frame is decoded.
    package let frame: CapturedFrame
    /// Time, orientation and camera settings of the frame.
    package let metadata: StillMetadata
    /// The frames around the still, in order of capture; empty if no clip was requested. The clip contains
    /// JPEG or H.264 frames as delivered by the camera, or JPEG frames encoded from raw frames.
    package let clip: [CapturedFrame]
    /// Number of frames at the start of `clip` that are not shown because they are needed only to decode
    /// later H.264 frames.
    package let leadCount: Int
    /// The audio of the clip, starting at the clip's first visible frame; `nil` if the clip has no audio.
    package let sound: ClipSound?
    /// The camera's nominal rate, used as the grid of the clip.
    package let rate: FrameRate

    /// Creates a still. Each parameter sets the property of the same name.
    package init(
        role: String, frame: CapturedFrame, facts: StillMetadata, clip: [CapturedFrame] = [],
        leadCount: Int = 0, sound: ClipSound? = nil, rate: FrameRate
    ) {
        self.role = role
        self.frame = frame
        self.metadata = facts
        self.clip = clip
        self.leadCount = leadCount
        self.sound = sound
        self.rate = rate
    }
}

extension Still {
    /// Returns the frame with square pixels, because JPEG viewers don't support other pixel aspect ratios. A frame with
    /// non-square pixels is stretched in one direction, so that no detail is lost.
    ///
    /// - Throws: `EncodingError` if the frame is damaged.
    func squarePixelFrame(with codecs: any CodecFactory) throws(EncodingError) -> CapturedFrame {
        guard let pixel = metadata.pixelAspect else { return frame }
        func even(_ length: Int) -> Int { max(2, (length + 1) & ~1) }
        let size = frame.size
        let square =
            pixel.width > pixel.height
            ? FrameSize(width: even(size.width * pixel.width / pixel.height), height: even(size.height))
            : FrameSize(width: even(size.width), height: even(size.height * pixel.height / pixel.width))
        let everything = PixelRectangle(x: 0, y: 0, width: square.width, height: square.height)
        let composer = try codecs.makeComposer(size: square, color: .jpeg, name: "a still")
        return try composer.compose(
            [FrameLayer(frame: frame, LayerShape(everything, fit: .cover, pixelAspect: pixel))],
            at: frame.capturedAt, sequence: frame.sequence)
    }
}

/// Metadata of a still: the time, the camera, and the camera's settings at that time.
package struct StillMetadata: Sendable, Equatable {
    /// Date of the start of the exposure.
    package var date: Date
    /// Clockwise rotation that makes the stored frame upright.
    package var rotation: Rotation
    /// Whether the profile mirrors the camera.
    package var isMirrored: Bool
    /// Pixel aspect ratio of the camera's frames; `nil` for square pixels.
    package var pixelAspect: AspectRatio?
    /// Manufacturer as reported by the camera; empty if the camera doesn't report a manufacturer.
    package var make: String
    /// Model as reported by the camera.
    package var model: String
    /// Exposure time, in nanoseconds. The exposure time is known only if the exposure is manual, or if the
    /// driver reads the control value from the camera each time.
    package var exposureTime: Nanoseconds?
    /// Whether the exposure is automatic; `nil` if the camera doesn't have an exposure control.
    package var isExposureAutomatic: Bool?
    /// Whether the white balance is automatic; `nil` if the camera doesn't have a white balance control.
    package var isWhiteBalanceAutomatic: Bool?

    /// Creates the metadata of a still from a camera's device and controls.
    ///
    /// - Parameters:
    ///   - date: Date of the start of the exposure.
    ///   - device: The camera's device.
    ///   - rotation: Clockwise rotation that makes the stored frame upright.
    ///   - isMirrored: Whether the profile mirrors the camera.
    ///   - controls: The current values of the camera's controls.
    package init(
        date: Date, device: CaptureDevice, rotation: Rotation, isMirrored: Bool, controls: [DeviceControl]
    ) {
        self.date = date
        self.rotation = rotation
        self.isMirrored = isMirrored
        pixelAspect = device.pixelAspect
        make = device.manufacturer
        model = device.name
        func isAutomatic(_ governor: ControlGovernor) -> Bool? {
            controls.first(of: governor.names).map { !governor.isManual(at: $0.value) }
        }
        isExposureAutomatic = isAutomatic(.exposure)
        isWhiteBalanceAutomatic = isAutomatic(.whiteBalance)
        if let time = controls.first(of: ControlGovernor.exposure.governedControls),
            isExposureAutomatic != true || time.isVolatile, time.value > 0, time.value <= 1_000_000
        {
            // The unit of the control is 100 µs (kernel documentation, ext-ctrls-camera).
            exposureTime = .microseconds(100) * time.value
        }
    }

    /// Returns the metadata for the Exif segment of a file that shows the frame.
    func exif(of frame: CapturedFrame, role: String, software: String) -> ExifMetadata {
        ExifMetadata(
            date: date, secondsFromGMT: LocalTime.secondsFromGMT(at: date), size: frame.size,
            rotation: rotation, isMirrored: isMirrored,
            make: make, model: model, software: software, imageDescription: role,
            exposureTime: exposureTime, isExposureAutomatic: isExposureAutomatic,
            isWhiteBalanceAutomatic: isWhiteBalanceAutomatic)
    }
}

/// The reason why a still could not be taken or written.
public enum StillError: Error, Sendable, Equatable {
    /// No complete frame arrived within the given number of seconds.
    case noFrame(role: String, seconds: Double)
    /// No camera has this role. `known` lists the existing roles.
    case unknownRole(String, known: [String])
    /// The session isn't recording, running, or on standby, or its recording is ending.
    case notRunning
    case encoding(EncodingError)
    case file(FileError)
}

extension StillError: CustomStringConvertible {
    /// A message for the user that describes the failure and the solution.
    public var description: String {
        switch self {
        case .noFrame(let role, let seconds):
            "Can't take a still: camera \(role) delivered no complete frame within \(seconds) s. Check the camera and its cable."
        case .unknownRole(let role, let known):
            "There is no camera with the role \(role.printable()). Use one of: \(known.joined(separator: ", "))."
        case .notRunning: "Can't take a still: the session isn't running. Start it first."
        case .encoding(let error): error.description
        case .file(let error): error.description
        }
    }
}
