public import Media

/// A microphone of a profile.
public struct MicrophoneRole: Sendable, Equatable {
    /// The role, which names the track and its file: `[a-z0-9][a-z0-9_-]{0,31}`.
    public var role: String
    /// A device selector: `default`, `pulse:<source>`, `virtual:clap`, …
    public var device: String
    /// Where the address of a network camera is kept that `device` is to be; `nil` where `device` says it.
    public var address: SecretSource? = nil
    /// Number of channels of its track, 1…8. Synthetic microphones and files deliver all of their channels in any case.
    public var channels: Int
    /// Gain in the program's mix in decibels, −60…30; the microphone's own track keeps its level.
    public var gainDecibels: Double
    /// Correction that is added to its capture times, −5…5 s; `nil` for the calibrated one, or none.
    public var offset: Nanoseconds?
    /// The device's channels that the track has, counted from 1, one for each channel of the track; `nil` for no choice.
    public var pick: [Int]?
    /// The echo or noise that the sound server removes for the program.
    public var voice: VoiceSettings
    /// Role of the camera that shows who speaks into it; `nil` for the camera in which it sits, or none.
    public var camera: String? = nil

    /// Creates a role that by default the default microphone plays.
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

    /// Gives the role to another device.
    package mutating func play(_ selector: String) { (device, address) = (selector, nil) }
}
