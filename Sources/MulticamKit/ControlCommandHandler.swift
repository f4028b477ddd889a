internal import MulticamControl
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSession
internal import MulticamSetup

/// Executes the commands for a camera's controls on a session. Each function waits for the device for at most
/// a few seconds. The function `match` also waits for frames.
struct ControlCommandHandler {
    private let session: MulticamSession

    init(_ session: MulticamSession) { self.session = session }

    /// Sets controls, each given as NAME=VALUE, and returns the camera's controls.
    func set(_ words: [String], of role: String) -> ControlReply {
        catchingErrors {
            let settings = words.compactMap { word -> (name: String, value: String)? in
                guard let mark = word.firstIndex(of: "=") else { return nil }
                return (String(word[..<mark]), String(word[word.index(after: mark)...]))
            }
            let outcomes = settings.isEmpty ? [] : try session.set(settings, of: role)
            return try reply(
                outcomes, of: role,
                confirmation: words.isEmpty
                    ? "controls of \(role)" : "set: \(role) \(words.joined(separator: " "))")
        }
    }

    /// Applies the values of a preset to a camera's controls.
    func load(_ preset: SessionCommand.Preset) -> ControlReply {
        catchingErrors {
            let (role, name) = (preset.role, preset.name)
            let presets = CameraPresets(of: try session.controls(of: role).device)
            let outcomes = try session.set(
                try presets.requests(of: name), of: role, describedAs: "load-preset \(role) \(name)")
            return try reply(outcomes, of: role, confirmation: "preset \(name) was loaded for camera \(role)")
        }
    }

    /// Saves the current values of a camera's controls as a preset.
    func save(_ preset: SessionCommand.Preset) -> ControlReply {
        catchingErrors {
            let (device, controls) = try session.controls(of: preset.role)
            let warning = try CameraPresets(of: device).save(controls, as: preset.name)
            return try reply(
                [], of: preset.role,
                confirmation: Self.sentence(
                    "preset \(preset.name) was saved for camera \(preset.role)", warning: warning))
        }
    }

    /// Deletes a preset of a camera's controls.
    func delete(_ preset: SessionCommand.Preset) -> ControlReply {
        catchingErrors {
            let warning = try CameraPresets(of: try session.controls(of: preset.role).device).delete(
                preset.name)
            return try reply(
                [], of: preset.role,
                confirmation: Self.sentence(
                    "preset \(preset.name) was deleted for camera \(preset.role)", warning: warning))
        }
    }

    /// Matches a camera's exposure and white balance to another camera.
    func match(_ role: String, to leader: String) -> ControlReply {
        catchingErrors {
            var match = try CameraMatcher(role, to: leader, in: session)
            try match.run()
            var reply = try reply(match.outcomes, of: role, confirmation: match.text)
            // Control values that the camera can't reach are reported, but the command itself succeeds.
            reply.ok = true
            return reply
        }
    }

    /// Returns the reply of `body`. If `body` throws an error, returns a reply that contains the error.
    private func catchingErrors(_ body: () throws -> ControlReply) -> ControlReply {
        do {
            return try body()
        } catch let error as SessionChangeError {
            return ControlReply(ok: false, text: error.description, usage: true)
        } catch {
            return ControlReply(ok: false, text: "\(error)".printable(limit: 1000))
        }
    }

    private static func sentence(_ sentence: String, warning: String?) -> String {
        warning.map { "\(sentence). \($0)" } ?? sentence
    }

    /// Returns a reply that contains the current controls and the settings that differ from the request.
    private func reply(
        _ outcomes: [ControlOutcome], of role: String, confirmation sentence: String
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

extension ControlReply {
    /// Returns a refusal to split a recording's files if the process isn't allowed to open the new files;
    /// otherwise `nil`. Without the refusal, the recording would continue in the old files even though the
    /// split was confirmed to the caller.
    static func splitRefusal(_ plan: SessionPlan) -> Self? {
        ProcessLimit.limit(ofOpening: plan.fileCount).map { limit in
            Self(ok: false, text: "The files can't be split: \(limit.explanation)")
        }
    }
}
