import MulticamCapture
import MulticamMedia

/// Checks whether microphones are silent or could become silent.
enum MicrophoneCheck {
    static func findings(of machine: Machine) -> [Finding] {
        guard machine.needsMicrophone, case .success(let survey) = machine.audio else { return [] }
        let microphones = survey.sources.filter { !$0.isMonitor }
        return microphones.map { level($0, isDefault: $0.name == survey.defaultSource) }
            + microphones.filter(\.hasFlatVolume).prefix(1).map(flatVolume)
    }

    /// Checks a microphone's level. A silent default microphone is a problem, because it is the most likely one to be
    /// recorded.
    private static func level(_ source: PulseConfiguration.Source, isDefault: Bool) -> Finding {
        func finding(_ level: Finding.Level, _ text: String, repairCommand: String? = nil) -> Finding {
            Finding(
                "sound.level", level, device: source.name, "\(source.description): \(text)",
                repairCommand: repairCommand)
        }
        let name = source.name.shellQuoted()
        let silent: Finding.Level = isDefault ? .problem : .warning
        if source.isMuted {
            return finding(
                silent, "the microphone is muted, so recordings would be silent.",
                repairCommand: "pactl set-source-mute \(name) 0")
        }
        if source.volumePercent == 0 {
            return finding(
                silent, "the volume is 0 %, so recordings would be silent.",
                repairCommand: "pactl set-source-volume \(name) 100%")
        }
        if source.volumePercent < 10 {
            return finding(
                .warning, "the volume is only \(source.volumePercent) %.",
                repairCommand: "pactl set-source-volume \(name) 100%")
        }
        return finding(.ok, "the volume is \(source.volumePercent) %.")
    }

    private static func flatVolume(_ source: PulseConfiguration.Source) -> Finding {
        Finding(
            "sound.flat-volumes", .warning, device: source.name,
            "the sound server uses flat volumes, so any recording program can lower the microphone volume for all programs.",
            repairCommand:
                "mkdir -p ~/.config/pulse && echo 'flat-volumes = no' >> ~/.config/pulse/daemon.conf && pulseaudio -k"
        )
    }
}

/// Checks whether a sound server is running, and whether it delivers unprocessed audio.
enum SoundServerCheck {
    static func findings(of machine: Machine) -> [Finding] {
        guard machine.needsMicrophone else {
            return [
                Finding(
                    "sound.server", .ok,
                    "the profile needs no sound server, because it uses no microphone of this computer.")
            ]
        }
        let survey: PulseConfiguration
        switch machine.audio {
        case .success(let found): survey = found
        case .failure(let error): return [unreachable(error, machine)] + cards(machine)
        }
        return [
            Finding("sound.server", .ok, "\(survey.server) is running."), defaultSource(survey),
            echoCancelling(survey),
        ].compactMap { $0 }
    }

    private static func unreachable(_ error: DeviceError, _ machine: Machine) -> Finding {
        var why = "the server is not responding"
        if case .noSoundServer(let reason) = error.reason { why = reason }
        let asRoot =
            machine.user.id == 0
            ? " The sound server runs in a user's login session and is not available to root." : ""
        return Finding(
            "sound.server", .problem,
            "no sound server (PulseAudio, or PipeWire with pipewire-pulse) is available: \(why). Microphones require a sound server. To record without microphones, "
                + "use `--no-mics`.\(asRoot)",
            repairCommand: SoundServerStart.command(hasPipeWire: machine.exists(SoundServerStart.pipeWire)))
    }

    /// Checks access to the sound cards. A sound server may fail to run because it lacks access to the sound
    /// cards.
    private static func cards(_ machine: Machine) -> [Finding] {
        let closed = machine.access.filter { $0.permissions.node.hasPrefix("/dev/snd/") && !$0.isAllowed }
        guard let first = closed.first else { return [] }
        let obstacle = first.permissions.obstacle(to: machine.user, inContainer: machine.isContainer)
        return [
            Finding(
                "sound.access", .problem, device: first.permissions.node,
                "no access to \(closed.count) sound card \(closed.count == 1 ? "input" : "inputs"): \(obstacle.explanation(node: first.permissions.node))",
                repairCommand: obstacle.fixCommand(node: first.permissions.node))
        ]
    }

    private static func defaultSource(_ survey: PulseConfiguration) -> Finding {
        let microphones = survey.sources.filter { !$0.isMonitor }
        let repairCommand = microphones.first.map { "pactl set-default-source \($0.name.shellQuoted())" }
        guard let chosen = survey.sources.first(where: { $0.name == survey.defaultSource }) else {
            let none = microphones.isEmpty ? "no microphone is available" : "no default microphone is set"
            return Finding(
                "sound.default", .warning, "\(none), so `default` in a profile can't be used.",
                repairCommand: repairCommand)
        }
        if chosen.isMonitor {
            return Finding(
                "sound.default", .warning, device: chosen.name,
                "the default source is the computer's audio output (\(chosen.description)), not a microphone.",
                repairCommand: repairCommand)
        }
        return Finding(
            "sound.default", .ok, device: chosen.name, "the default microphone is \(chosen.description).")
    }

    private static func echoCancelling(_ survey: PulseConfiguration) -> Finding? {
        guard survey.modules.contains("module-echo-cancel") else { return nil }
        let isUsed = survey.defaultSource?.contains("echo-cancel") ?? false
        return Finding(
            "sound.processing", .warning,
            "the sound server's echo cancellation module is loaded\(isUsed ? ", and its output is the default source" : ""). This output is "
                + "processed audio, not the original sound. Select the microphone itself in the profile, or unload the module.",
            repairCommand: "pactl unload-module module-echo-cancel")
    }
}
