import Capture
import Media

/// Checks whether microphones are silent, or may become so.
enum MicrophoneCheck {
    static func findings(of machine: Machine) -> [Finding] {
        guard case .success(let survey) = machine.audio else { return [] }
        let microphones = survey.sources.filter { !$0.isMonitor }
        return microphones.map { level($0, isDefault: $0.name == survey.defaultSource) }
            + microphones.filter(\.hasFlatVolume).prefix(1).map(flatVolume)
    }

    /// Checks a microphone's level. A silent default microphone is a problem, because it is the likeliest to be recorded.
    private static func level(_ source: PulseSurvey.Source, isDefault: Bool) -> Finding {
        func finding(_ level: Finding.Level, _ text: String, mend: String? = nil) -> Finding {
            Finding("sound.level", level, device: source.name, "\(source.description) \(text)", mend: mend)
        }
        let name = source.name.shellQuoted()
        let silent: Finding.Level = isDefault ? .problem : .warning
        if source.isMuted {
            return finding(
                silent, "is muted: it would record silence.", mend: "pactl set-source-mute \(name) 0")
        }
        if source.volumePercent == 0 {
            return finding(
                silent, "is at 0 %: it would record silence.", mend: "pactl set-source-volume \(name) 100%")
        }
        if source.volumePercent < 10 {
            return finding(
                .warning, "is at \(source.volumePercent) % only.",
                mend: "pactl set-source-volume \(name) 100%")
        }
        return finding(.ok, "is at \(source.volumePercent) %.")
    }

    private static func flatVolume(_ source: PulseSurvey.Source) -> Finding {
        Finding(
            "sound.flat-volumes", .warning, device: source.name,
            "the server's volumes are flat: any program that records may turn down the microphone for all.",
            mend:
                "mkdir -p ~/.config/pulse && echo 'flat-volumes = no' >> ~/.config/pulse/daemon.conf && pulseaudio -k"
        )
    }
}
