public import MulticamMedia

/// A microphone that is an input of a plan.
public struct PlannedMicrophone: Sendable, Equatable, Encodable {
    /// The microphone's role, such as `host`.
    public var role: String
    /// The selector that the user entered for the microphone, such as `default`.
    public var selector: String
    /// The microphone that the selector resolved to.
    package var identity: DeviceIdentity
    /// Sample rate and channels that the microphone is opened with.
    public var format: AudioFormat
    /// Gain in the program's mix in decibels, -60…30. The microphone's own track isn't affected.
    package var gain: Double
    /// Time that is added to each capture time of the microphone to correct it.
    package var offset: Nanoseconds
    /// How the time correction `offset` was determined.
    package var offsetSource: CorrectionSource
    /// Channels of the device that the track contains, counted from 0; empty for all channels.
    package var sourceChannels: [Int]
    /// Echo cancellation and noise suppression for this microphone in the program's mix; `nil` for neither.
    package var voiceProcessing: VoiceProcessing?
    /// The filters for this microphone in the program's mix.
    package var processing = SoundProcessing.off
    /// Role of the camera that shows the person speaking into the microphone. The camera is the one named in
    /// the profile, otherwise the one with this built-in microphone; `nil` if neither exists.
    package var camera: String? = nil

    /// Creates a microphone of a plan.
    ///
    /// - Parameters:
    ///   - role: The microphone's role.
    ///   - selector: The selector to list in the manifest.
    ///   - identity: Identity of the device.
    ///   - format: Format of the microphone's track.
    ///   - gain: Gain in the program's mix, in decibels.
    package init(
        role: String, selector: String, identity: DeviceIdentity, format: AudioFormat, gain: Double = 0
    ) {
        self.init(
            role: role, selector: selector, identity: identity, format: format, gain: gain, offset: .zero)
    }

    /// Creates a microphone of a plan.
    package init(
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

/// A microphone's audio track: a separate Broadcast Wave file, or an AAC track in the shared MOV file.
public struct PlannedMicrophoneTrack: Sendable, Equatable, Encodable {
    /// Name of the track, unique within the session. The name is the microphone's role, unless the track is
    /// started after another track of the same microphone ended.
    public var name: String
    /// The microphone's role.
    public var role: String
    /// The track's file, relative to the session folder.
    public var file: String

    /// Creates a track of a microphone. By default, the track's name is the microphone's role.
    public init(name: String? = nil, role: String, file: String) {
        self.name = name ?? role
        self.role = role
        self.file = file
    }

    /// Returns the default path of a microphone track that has a separate file.
    ///
    /// - Parameter name: The track's name.
    /// - Returns: A path relative to the session folder: `audio/host.wav`.
    package static func wave(_ name: String) -> String { "audio/\(name).wav" }

    /// Whether the track is a separate Broadcast Wave file.
    package var isWave: Bool { file.hasSuffix(".wav") }
}
