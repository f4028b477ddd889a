public import Media

/// A camera's own track.
public struct PlannedCameraTrack: Sendable, Equatable, Codable {
    public enum Mode: String, Sendable, Codable { case copy, encode }

    /// Its name among the session's tracks: the role, but of one that is begun while another of the camera was ended.
    public var name: String
    public var role: String
    public var mode: Mode
    /// Relative to the session folder.
    public var file: String
    /// The track's grid.
    public var rate: FrameRate
    /// Of the stored picture; for `encode` what it is encoded with.
    public var settings: PictureEncodingSettings
    public var rotation: Rotation
    /// The part of the camera's stored pictures that it shows; all of them when `nil`, as a copy does.
    public var crop: PixelRectangle?

    public init(
        name: String? = nil, role: String, mode: Mode, file: String, rate: FrameRate,
        settings: PictureEncodingSettings, rotation: Rotation, crop: PixelRectangle? = nil
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

/// A microphone's own track. In a file of its own it is Broadcast Wave; in the one common MOV it is AAC.
public struct PlannedMicrophoneTrack: Sendable, Equatable, Codable {
    /// Its name among the session's tracks: the role, but of one that is begun while another of the microphone was ended.
    public var name: String
    public var role: String
    public var file: String

    public init(name: String? = nil, role: String, file: String) {
        self.name = name ?? role
        self.role = role
        self.file = file
    }

    /// The usual file of a track of its own.
    ///
    /// - Parameter name: The track's.
    /// - Returns: Relative to the session folder.
    public static func wave(_ name: String) -> String { "audio/\(name).wav" }

    /// Whether it has a file of its own.
    public var isWave: Bool { file.hasSuffix(".wav") }
}

/// The explicit edge between an input and an output: roles and output names (`program`, `cameras/desk`, `audio/host`,
/// `metadata/desk`).
public struct PlannedConnection: Sendable, Equatable, Codable {
    public var input: String
    public var output: String

    public init(input: String, output: String) {
        self.input = input
        self.output = output
    }
}

/// Losses beyond these end the recording with exit status 6. `nil` is no limit.
public struct RecordingLimits: Sendable, Equatable, Codable {
    /// Lost ÷ (captured + lost) of each track of frames, 0…1; `nil` for no limit.
    public var lostFrames: Double?
    /// Filled ÷ written samples of each microphone, 0…1; `nil` for no limit.
    public var lostSamples: Double?
    /// How long a microphone may be silent; `nil` for no limit.
    public var silence: Nanoseconds?

    public init(lostFrames: Double? = 0.01, lostSamples: Double? = 0.001, silence: Nanoseconds? = nil) {
        self.lostFrames = lostFrames
        self.lostSamples = lostSamples
        self.silence = silence
    }

    /// No limit at all: `limits: none`.
    public static let none = Self(lostFrames: nil, lostSamples: nil)
}
