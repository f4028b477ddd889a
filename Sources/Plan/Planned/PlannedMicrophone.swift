public import Media

/// A microphone that is an input of a plan.
public struct PlannedMicrophone: Sendable, Equatable, Codable {
    /// The microphone's role, such as `host`.
    public var role: String
    /// The selector that the user entered for the microphone, such as `default`.
    public var selector: String
    /// The microphone that the selector resolved to.
    public var identity: DeviceIdentity
    /// Sample rate and channels that the microphone is opened with.
    public var format: AudioFormat
    /// Gain in the program's mix in decibels, -60…30. The microphone's own track isn't affected.
    public var gain: Double
    /// Correction added to each capture time.
    public var offset: Nanoseconds
    /// Source of the offset.
    public var offsetSource: CorrectionSource
    /// Device channels that the track contains, counted from 0; empty for all channels.
    public var sourceChannels: [Int]
    /// Echo cancellation and noise suppression for the audio in the program's mix; `nil` for none.
    public var voiceProcessing: VoiceProcessing?
    /// Role of the camera that shows the microphone's speaker: the camera named in the profile, otherwise the camera
    /// that contains the microphone; `nil` if neither is known.
    public var camera: String? = nil

    /// Creates a microphone of a plan.
    public init(
        role: String, selector: String, identity: DeviceIdentity, format: AudioFormat, gain: Double = 0,
        offset: Nanoseconds = .zero, offsetSource: CorrectionSource = .none, sourceChannels: [Int] = [],
        voiceProcessing: VoiceProcessing? = nil
    ) {
        self.role = role
        self.selector = selector
        self.identity = identity
        self.format = format
        self.gain = gain
        self.offset = offset
        self.offsetSource = offsetSource
        self.sourceChannels = sourceChannels
        self.voiceProcessing = voiceProcessing
    }
}

/// A microphone's own track: a separate Broadcast Wave file, or AAC in the shared MOV file.
public struct PlannedMicrophoneTrack: Sendable, Equatable, Codable {
    /// Name of the track, unique within the session. The name equals the role, unless the track starts after another
    /// track of the same microphone ended.
    public var name: String
    /// The microphone's role.
    public var role: String
    /// The track's file, relative to the session folder.
    public var file: String

    /// Creates a track of a microphone. The default `name` is the role.
    public init(name: String? = nil, role: String, file: String) {
        self.name = name ?? role
        self.role = role
        self.file = file
    }

    /// Returns the default path of a track with a separate file.
    ///
    /// - Parameter name: The track's name.
    /// - Returns: A path relative to the session folder: `audio/host.wav`.
    public static func wave(_ name: String) -> String { "audio/\(name).wav" }

    /// Whether the track is a separate Broadcast Wave file.
    public var isWave: Bool { file.hasSuffix(".wav") }
}
