public import MulticamMedia

/// A microphone in a profile.
public struct MicrophoneRole: Sendable, Equatable {
    /// The microphone's role, used as the name of the track and its file: `[a-z0-9][a-z0-9_-]{0,31}`.
    public var role: String
    /// Selector of the microphone device: `default`, `pulse:<source>`, `virtual:clap`, …
    public var device: String
    /// Storage location of a network camera's address, which replaces `device` after the address has been
    /// read; `nil` if `device` already contains the selector.
    package var address: SecretSource? = nil
    /// Number of channels of the microphone's track, 1…8. Synthetic microphones and files always deliver all
    /// their channels.
    public var channels: Int
    /// Gain in the program's mix in decibels, -60…30. The microphone's own track isn't affected.
    public var gainDecibels: Double
    /// Correction added to the microphone's capture times, -5…5 s; `nil` for the calibrated correction, or
    /// for zero if the microphone hasn't been calibrated.
    public var offset: Nanoseconds?
    /// Numbers of the device channels that the track contains, starting at 1, one number per channel of the
    /// track. `nil` means that channels aren't selected.
    public var sourceChannels: [Int]?
    /// Whether the sound server removes echo and noise for the program.
    package var voiceProcessing: VoiceProcessing
    /// Filters for the microphone in the program. The track keeps the captured audio.
    public var processing = SoundProcessing.off
    /// Role of the camera that shows the person who speaks into the microphone; `nil` for the camera that
    /// contains the microphone, if any.
    public var camera: String? = nil

    /// Creates a microphone role.
    ///
    /// - Parameters:
    ///   - role: Name of the role.
    ///   - device: Selector of the microphone. By default, the default microphone is used.
    ///   - channels: Number of channels to record.
    ///   - gainDecibels: Gain in the program's mix.
    ///   - offset: Correction of the audio's time; `nil` for the measured correction, if there is one.
    public init(
        role: String, device: String = "default", channels: Int = 1, gainDecibels: Double = 0,
        offset: Nanoseconds? = nil
    ) {
        self.init(
            role: role, device: device, channels: channels, gainDecibels: gainDecibels, offset: offset,
            sourceChannels: nil)
    }

    /// Creates a microphone role. By default, the role uses the default microphone.
    package init(
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
    package mutating func assignDevice(_ selector: String) { (device, address) = (selector, nil) }
}
