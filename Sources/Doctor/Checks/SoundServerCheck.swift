import Capture
import Media

/// Checks whether a sound server runs, and whether it leaves audio unprocessed.
enum SoundServerCheck {
    static func findings(of machine: Machine) -> [Finding] {
        let survey: PulseSurvey
        switch machine.audio {
        case .success(let found): survey = found
        case .failure(let error): return [unreachable(error, machine)] + cards(machine)
        }
        return [
            Finding("sound.server", .ok, "\(survey.server) answers."), defaultSource(survey),
            echoCancelling(survey),
        ].compactMap { $0 }
    }

    private static func unreachable(_ error: DeviceError, _ machine: Machine) -> Finding {
        var why = "it does not answer"
        if case .noSoundServer(let reason) = error.reason { why = reason }
        let asRoot = machine.user.id == 0 ? " It belongs to a user's login; root has none of its own." : ""
        return Finding(
            "sound.server", .problem,
            "no sound server (PulseAudio, or PipeWire with pipewire-pulse) answers: \(why). Without one there are no "
                + "microphones; `--no-mics` records without them.\(asRoot)",
            mend: SoundServerStart.command(hasPipeWire: machine.exists(SoundServerStart.pipeWire)))
    }

    /// Checks the access to sound cards: a server that does not run may lack it.
    private static func cards(_ machine: Machine) -> [Finding] {
        let closed = machine.access.filter { $0.permissions.node.hasPrefix("/dev/snd/") && !$0.isAllowed }
        guard let first = closed.first else { return [] }
        let obstacle = first.permissions.obstacle(to: machine.user, inContainer: machine.isContainer)
        return [
            Finding(
                "sound.access", .problem, device: first.permissions.node,
                "\(closed.count) inputs of sound cards are closed to you: \(obstacle.explanation(node: first.permissions.node))",
                mend: obstacle.mend(node: first.permissions.node))
        ]
    }

    private static func defaultSource(_ survey: PulseSurvey) -> Finding {
        let microphones = survey.sources.filter { !$0.isMonitor }
        let mend = microphones.first.map { "pactl set-default-source \($0.name.shellQuoted())" }
        guard let chosen = survey.sources.first(where: { $0.name == survey.defaultSource }) else {
            let none = microphones.isEmpty ? "there is no microphone" : "no microphone is chosen"
            return Finding(
                "sound.default", .warning, "\(none): `default` in a profile would find nothing.", mend: mend)
        }
        if chosen.isMonitor {
            return Finding(
                "sound.default", .warning, device: chosen.name,
                "the default source is what the computer plays (\(chosen.description)), not a microphone.",
                mend: mend)
        }
        return Finding(
            "sound.default", .ok, device: chosen.name, "the default microphone is \(chosen.description).")
    }

    private static func echoCancelling(_ survey: PulseSurvey) -> Finding? {
        guard survey.modules.contains("module-echo-cancel") else { return nil }
        let isUsed = survey.defaultSource?.contains("echo-cancel") ?? false
        return Finding(
            "sound.processing", .warning,
            "the server cancels echoes\(isUsed ? ", and its processed source is the default" : ""): processed audio is no "
                + "longer as captured. Choose the microphone itself in the profile, or unload the module.",
            mend: "pactl unload-module module-echo-cancel")
    }
}
