internal import Glibc

/// A sound server card, whose profile determines the available microphones. All strings contain only
/// printable characters.
public struct SoundCard: Sendable, Hashable {
    /// An operating mode of a sound server card.
    public struct Profile: Sendable, Hashable {
        /// The sound server's identifier for the profile: `input:analog-stereo`.
        public let name: String
        /// The sound server's readable name for the profile.
        public let description: String
        /// Whether the profile can be used, according to the sound server. The value is `false`, for example,
        /// while nothing is plugged into the jack.
        public let isAvailable: Bool
        /// Number of microphones that the profile provides.
        public let sourceCount: Int

        /// Creates a profile from values reported by the sound server; the strings must be printable.
        public init(name: String, description: String, isAvailable: Bool, sourceCount: Int) {
            self.name = name
            self.description = description
            self.isAvailable = isAvailable
            self.sourceCount = sourceCount
        }
    }

    /// The sound server's identifier for the card: `alsa_card.usb-046d_0825-02`.
    public let name: String
    /// The sound server's readable name for the card.
    public let description: String
    /// The card's profiles, in the sound server's order.
    public let profiles: [Profile]
    /// Identifier of the active profile; `nil` if none is active.
    public let activeProfile: String?

    /// Creates a card from values reported by the sound server; the strings must be printable.
    public init(name: String, description: String, profiles: [Profile], activeProfile: String?) {
        self.name = name
        self.description = description
        self.profiles = profiles
        self.activeProfile = activeProfile
    }

    /// Whether any profile of the card provides a microphone.
    public var canRecord: Bool { profiles.contains { $0.sourceCount > 0 } }
}

/// A jack or built-in microphone that a sound server source can use as its input. All strings contain only
/// printable characters.
public struct AudioPort: Sendable, Hashable {
    /// The sound server's identifier for the port: `analog-input-linein`.
    public let name: String
    /// The sound server's readable name for the port.
    public let description: String
    /// Whether the source currently uses this port.
    public let isActive: Bool
    /// Whether the sound server reports that nothing is plugged in.
    public let isUnplugged: Bool

    /// Creates a port from values reported by the sound server; the strings must be printable.
    public init(name: String, description: String, isActive: Bool, isUnplugged: Bool = false) {
        self.name = name
        self.description = description
        self.isActive = isActive
        self.isUnplugged = isUnplugged
    }
}

/// The command that starts the user's sound server. All messages that tell the user to start the sound server
/// show this command.
public enum SoundServerStart {
    /// Installation path of PipeWire's PulseAudio replacement.
    public static let pipeWire = "/usr/bin/pipewire-pulse"

    /// Returns the command that starts the sound server on a computer with or without PipeWire's PulseAudio
    /// replacement.
    public static func command(hasPipeWire: Bool) -> String {
        hasPipeWire ? "systemctl --user start pipewire-pulse" : "pulseaudio --start"
    }

    /// The command that starts the sound server on this computer.
    package static var command: String { command(hasPipeWire: access(pipeWire, X_OK) == 0) }
}

/// Voice processing that the sound server applies to a microphone's audio for the program. The microphone's
/// own track stays unprocessed.
public struct VoiceProcessing: Sendable, Hashable, Codable {
    /// Whether to cancel echo. Echo is audio that the computer plays through the echo-cancellation output and
    /// that the microphone picks up.
    public var echoCancellation: Bool
    /// Whether to suppress steady noise such as fans and hum.
    public var noiseSuppression: Bool

    /// Creates voice processing settings; all processing is off by default.
    public init(echoCancellation: Bool = false, noiseSuppression: Bool = false) {
        self.echoCancellation = echoCancellation
        self.noiseSuppression = noiseSuppression
    }

    /// Whether any processing is enabled.
    public var isActive: Bool { echoCancellation || noiseSuppression }
}
