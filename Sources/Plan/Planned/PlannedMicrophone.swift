public import Media

/// A microphone as an input of a plan.
public struct PlannedMicrophone: Sendable, Equatable, Codable {
    public var role: String
    public var selector: String
    public var identity: DeviceIdentity
    /// What it is opened with.
    public var format: AudioFormat
    /// In decibels, of the program's mix only: −60…30.
    public var gain: Double
    /// Added to its capture times.
    public var offset: Nanoseconds
    public var offsetSource: CorrectionSource
    /// Which of the device's channels the track has, from 0; all of them when empty.
    public var pick: [Int]
    /// What is taken out of it for the program; `nil` for nothing.
    public var voice: VoiceSettings?

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
