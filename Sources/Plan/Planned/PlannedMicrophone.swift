public import Media

/// A microphone as an input of a plan.
public struct PlannedMicrophone: Sendable, Equatable, Codable {
    /// The microphone's role, such as `host`.
    public var role: String
    /// The words with which the user asked for the microphone, such as `default`.
    public var selector: String
    /// The microphone that was found for the role.
    public var identity: DeviceIdentity
    /// The sample rate and channels that the microphone is opened with.
    public var format: AudioFormat
    /// Gain in the program's mix in decibels, −60…30. The microphone's own track keeps its level.
    public var gain: Double
    /// Correction that is added to each capture time.
    public var offset: Nanoseconds
    /// Where the offset comes from.
    public var offsetSource: CorrectionSource
    /// The device's channels that the track has, counted from 0; empty for all of them.
    public var pick: [Int]
    /// The processing that removes echo or noise from the audio in the program's mix; `nil` for none.
    public var voice: VoiceSettings?
    /// Role of the camera that shows who speaks into it: the one that the profile names, else the one in which it sits; `nil`
    /// where neither is known.
    public var camera: String? = nil

    /// Creates a microphone of a plan.
    public init(
        role: String, selector: String, identity: DeviceIdentity, format: AudioFormat, gain: Double = 0,
        offset: Nanoseconds = .zero, offsetSource: CorrectionSource = .none, pick: [Int] = [],
        voice: VoiceSettings? = nil
    ) {
        self.role = role
        self.selector = selector
        self.identity = identity
        self.format = format
        self.gain = gain
        self.offset = offset
        self.offsetSource = offsetSource
        self.pick = pick
        self.voice = voice
    }
}
