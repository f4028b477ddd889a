public import Media

/// A microphone of a profile.
public struct MicrophoneRole: Sendable, Equatable {
    /// The name of its track and file: `[a-z0-9][a-z0-9_-]{0,31}`.
    public var role: String
    /// A device selector: `default`, `pulse:<source>`, `virtual:clap`, …
    public var device: String
    /// Of its track, 1 to 8. Synthetic microphones and files deliver all channels that they have, whatever is said here.
    public var channels: Int
    /// Of its audio in the program's mix, −60…30; its own track is never changed.
    public var gainDecibels: Double
    /// Added to its capture times, −5…5 s. `nil`: as it was calibrated, else none.
    public var offset: Nanoseconds?
    /// Which of the device's channels the track has, counted from 1, one a channel of the track; `nil` for no choice.
    public var pick: [Int]?
    /// What the sound server takes out of it for the program.
    public var voice: VoiceSettings

    public init(
        role: String, device: String = "default", channels: Int = 1, gainDecibels: Double = 0,
        offset: Nanoseconds? = nil, pick: [Int]? = nil, voice: VoiceSettings = VoiceSettings()
    ) {
        self.role = role
        self.device = device
        self.channels = channels
        self.gainDecibels = gainDecibels
        self.offset = offset
        self.pick = pick
        self.voice = voice
    }
}
