internal import Glibc

/// The command that starts the user's sound server, the same in every message.
public enum SoundServerStart {
    /// The path where PipeWire's stand-in for PulseAudio is installed.
    public static let pipeWire = "/usr/bin/pipewire-pulse"

    /// The command for a computer with or without PipeWire's stand-in for PulseAudio.
    public static func command(hasPipeWire: Bool) -> String {
        hasPipeWire ? "systemctl --user start pipewire-pulse" : "pulseaudio --start"
    }

    /// The command for this computer.
    package static var command: String { command(hasPipeWire: access(pipeWire, X_OK) == 0) }
}
