internal import Control
internal import Media
internal import Plan
internal import Session
internal import Setup

/// Carries out the commands about a camera's controls on a session: `set`, `controls`, the presets and `match`. Each waits for the
/// device, and `match` for frames, for some seconds at most.
struct ControlSteering {
    private let session: MulticamSession

    init(_ session: MulticamSession) { self.session = session }

    /// Carries out a command.
    ///
    /// - Parameter command: `set`, `controls`, `preset` or `match`.
    /// - Returns: The answer to who said it.
    func perform(_ command: ControlCommand) -> ControlReply {
        do {
            switch command {
            case .set(let role, let words):
                var reply = try set(words, of: role)
                // Its answer is as short as the question; `controls` tells the values.
                reply.controls = nil
                return reply
            case .controls(let role, let words): return try set(words, of: role)
            case .preset(let action, let role, let name): return try perform(action, name, of: role)
            case .match(let role, let leader): return try match(role, to: leader)
            default: preconditionFailure("`\(command)` is not about controls")
            }
        } catch let error as SessionChangeError {
            return ControlReply(ok: false, text: error.description, usage: true)
        } catch {
            return ControlReply(ok: false, text: "\(error)".printable(limit: 1000))
        }
    }

    private func set(_ words: [String], of role: String) throws(SessionChangeError) -> ControlReply {
        let settings = words.compactMap { word -> (name: String, value: String)? in
            guard let mark = word.firstIndex(of: "=") else { return nil }
            return (String(word[..<mark]), String(word[word.index(after: mark)...]))
        }
        let outcomes = settings.isEmpty ? [] : try session.set(settings, of: role)
        return try reply(
            outcomes, of: role,
            did: words.isEmpty ? "controls of \(role)" : "set: \(role) \(words.joined(separator: " "))")
    }

    private func perform(
        _ action: ControlCommand.PresetAction, _ name: String, of role: String
    ) throws -> ControlReply {
        let (device, controls) = try session.controls(of: role)
        let presets = CameraPresets(of: device)
        switch action {
        case .load:
            let outcomes = try session.set(
                try presets.requests(of: name), of: role, saying: "load-preset \(role) \(name)")
            return try reply(outcomes, of: role, did: "set: \(role) as in preset \(name)")
        case .keep:
            let warning = try presets.save(controls, as: name)
            return try reply([], of: role, did: Self.said("kept: \(name) of \(role)", warning))
        case .forget:
            let warning = try presets.forget(name)
            return try reply([], of: role, did: Self.said("forgotten: \(name) of \(role)", warning))
        }
    }

    private func match(_ role: String, to leader: String) throws(SessionChangeError) -> ControlReply {
        var match = try LookMatching(role, to: leader, in: session)
        try match.run()
        var reply = try reply(match.outcomes, of: role, did: match.text)
        // What a camera cannot follow is told; the step itself is done.
        reply.ok = true
        return reply
    }

    private static func said(_ sentence: String, _ warning: String?) -> String {
        warning.map { "\(sentence). \($0)" } ?? sentence
    }

    /// The answer: the controls as they are now, and what of the settings is not as asked.
    private func reply(
        _ outcomes: [ControlOutcome], of role: String, did sentence: String
    ) throws(SessionChangeError) -> ControlReply {
        let (device, controls) = try session.controls(of: role)
        let remarks = outcomes.compactMap(\.remark)
        return ControlReply(
            ok: remarks.isEmpty,
            text: remarks.isEmpty ? sentence : "camera \(role): \(remarks.joined(separator: " "))",
            controls: ControlsReport(
                device, controls, outcomes, presets: CameraPresets(of: device).names().names))
    }
}
