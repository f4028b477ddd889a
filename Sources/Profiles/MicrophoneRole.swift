public import Media

/// A microphone of a profile.
public struct MicrophoneRole: Sendable, Equatable {
    /// The role, used as the name of the track and its file: `[a-z0-9][a-z0-9_-]{0,31}`.
    public var role: String
    /// A device selector: `default`, `pulse:<source>`, `virtual:clap`, …
    public var device: String
    /// Storage location of a network camera's address, which then becomes `device`; `nil` if `device` contains the
    /// selector itself.
    public var address: SecretSource? = nil
    /// Number of channels of the microphone's track, 1…8. Synthetic microphones and files always deliver all their
    /// channels.
    public var channels: Int
    /// Gain in the program's mix in decibels, -60…30. The microphone's own track isn't affected.
    public var gainDecibels: Double
    /// Correction added to the microphone's capture times, -5…5 s; `nil` for the calibrated correction, or none.
    public var offset: Nanoseconds?
    /// Device channels that the track contains, counted from 1, one for each channel of the track; `nil` for no
    /// selection.
    public var sourceChannels: [Int]?
    /// Whether the sound server removes echo and noise for the program.
    public var voiceProcessing: VoiceProcessing
    /// Role of the camera that shows the microphone's speaker; `nil` for the camera that contains the microphone, or
    /// none.
    public var camera: String? = nil

    /// Creates a role. By default, the role uses the default microphone.
    public init(
        role: String, device: String = "default", channels: Int = 1, gainDecibels: Double = 0,
        offset: Nanoseconds? = nil, sourceChannels: [Int]? = nil,
        voiceProcessing: VoiceProcessing = VoiceProcessing()
    ) {
        self.role = role
        self.device = device
        self.channels = channels
        self.gainDecibels = gainDecibels
        self.offset = offset
        self.sourceChannels = sourceChannels
        self.voiceProcessing = voiceProcessing
    }

    /// Assigns another device to the role.
    package mutating func play(_ selector: String) { (device, address) = (selector, nil) }
}
