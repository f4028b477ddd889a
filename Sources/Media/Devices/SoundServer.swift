internal import Glibc

/// A sound server card, whose profile determines the available microphones. All strings contain only
/// printable characters.
package struct SoundCard: Sendable, Hashable {
    /// An operating mode of a sound server card.
    package struct Profile: Sendable, Hashable {
        /// The sound server's identifier for the profile: `input:analog-stereo`.
        package let name: String
        /// The sound server's readable name for the profile.
        package let description: String
        /// Whether the profile can be used, according to the sound server. The value is `false`, for example,
        /// while nothing is plugged into the jack.
        package let isAvailable: Bool
        /// Number of microphones that the profile provides.
        package let sourceCount: Int

        /// Creates a profile from values reported by the sound server; the strings must be printable.
        package init(name: String, description: String, isAvailable: Bool, sourceCount: Int) {
            self.name = name
            self.description = description
            self.isAvailable = isAvailable
            self.sourceCount = sourceCount
        }
    }

    /// The sound server's identifier for the card: `alsa_card.usb-046d_0825-02`.
    package let name: String
    /// The sound server's readable name for the card.
    package let description: String
    /// The card's profiles, in the sound server's order.
    package let profiles: [Profile]
    /// Identifier of the active profile; `nil` if none is active.
    package let activeProfile: String?

    /// Creates a card from values reported by the sound server; the strings must be printable.
    package init(name: String, description: String, profiles: [Profile], activeProfile: String?) {
        self.name = name
        self.description = description
        self.profiles = profiles
        self.activeProfile = activeProfile
    }

    /// Whether any profile of the card provides a microphone.
    package var canRecord: Bool { profiles.contains { $0.sourceCount > 0 } }
}

/// A jack or built-in microphone that a sound server source can use as its input. All strings contain only
/// printable characters.
package struct AudioPort: Sendable, Hashable {
    /// The sound server's identifier for the port: `analog-input-linein`.
    package let name: String
    /// The sound server's readable name for the port.
    package let description: String
    /// Whether the source currently uses this port.
    package let isActive: Bool
    /// Whether the sound server reports that nothing is plugged in.
    package let isUnplugged: Bool

    /// Creates a port from values reported by the sound server; the strings must be printable.
    package init(name: String, description: String, isActive: Bool, isUnplugged: Bool = false) {
        self.name = name
        self.description = description
        self.isActive = isActive
        self.isUnplugged = isUnplugged
    }
}

/// The command that starts the user's sound server. All messages that tell the user to start the sound server
/// show this command.
package enum SoundServerStart {
    /// Installation path of PipeWire's PulseAudio replacement.
    package static let pipeWire = "/usr/bin/pipewire-pulse"

    /// Returns the command that starts the sound server on a computer with or without PipeWire's PulseAudio
    /// replacement.
    package static func command(hasPipeWire: Bool) -> String {
        hasPipeWire ? "systemctl --user start pipewire-pulse" : "pulseaudio --start"
    }

    /// The command that starts the sound server on this computer.
    package static var command: String { command(hasPipeWire: access(pipeWire, X_OK) == 0) }
}

/// Voice processing that the sound server applies to a microphone's audio for the program. The microphone's
/// own track stays unprocessed.
package struct VoiceProcessing: Sendable, Hashable, Codable {
    /// Whether to cancel echo. Echo is audio that the computer plays through the echo-cancellation output and
    /// that the microphone picks up.
    package var echoCancellation: Bool
    /// Whether to suppress steady noise such as fans and hum.
    package var noiseSuppression: Bool

    /// Creates voice processing settings; all processing is off by default.
    package init(echoCancellation: Bool = false, noiseSuppression: Bool = false) {
        self.echoCancellation = echoCancellation
        self.noiseSuppression = noiseSuppression
    }

    /// Whether any processing is enabled.
    package var isActive: Bool { echoCancellation || noiseSuppression }
}
