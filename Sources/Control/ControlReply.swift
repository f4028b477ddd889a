internal import FoundationEssentials
package import MulticamPlan
internal import MulticamSessionFolder
package import MulticamStills

/// The reply of a running session, sent as a line of JSON.
package struct ControlReply: Sendable, Equatable, Codable {
    /// The files of one still image, as absolute paths.
    package struct Still: Sendable, Equatable, Codable {
        /// The camera's role.
        package var role: String
        /// Path of the still.
        package var file: String
        /// Path of the video clip around the still; `nil` if no clip was recorded.
        package var clip: String?

        /// Creates an entry for the files of one still image.
        package init(role: String, file: String, clip: String?) {
            self.role = role
            self.file = file
            self.clip = clip
        }
    }

    /// Whether the command succeeded.
    package var ok: Bool
    /// A message for the user: the result, or the reason for a failure.
    package var text: String
    /// Whether the command failed because it is invalid in this session, for example because of an unknown
    /// role or a value out of range.
    package var usage: Bool
    /// `true` if the command was rejected because the plan would exceed its budget; `nil` otherwise.
    package var over_budget: Bool?
    /// The reply to `status`; `nil` for other commands.
    package var status: ControlStatus?
    /// The reply to `snapshot`: the stills that were taken, even if others failed; `nil` for other commands.
    package var stills: [Still]?
    /// The reply to commands about a camera's controls: their state after the command; `nil` for other
    /// commands, or if the camera couldn't be queried.
    package var controls: ControlsReport?

    /// Creates a reply from its values.
    package init(
        ok: Bool, text: String, usage: Bool = false, over_budget: Bool? = nil,
        status: ControlStatus? = nil, stills: [Still]? = nil, controls: ControlsReport? = nil
    ) {
        self.controls = controls
        self.ok = ok
        self.over_budget = over_budget
        self.usage = usage
        self.text = text
        self.status = status
        self.stills = stills
    }
}

extension ControlReply {
    /// The reply as a line of JSON, without the line feed.
    var line: Data { Data(JSONText.line(self).utf8) }

    /// Creates the reply to a change that the session has rejected.
    package init(_ error: SessionChangeError) {
        self.init(
            ok: false, text: error.description, usage: error.reason != .overBudget,
            over_budget: error.reason == .overBudget ? true : nil)
    }

    /// Creates the reply to a command that changes the session.
    ///
    /// - Parameters:
    ///   - outcome: The outcome that the session reported.
    ///   - sentence: Description of the change for the reply, used if the change succeeded.
    package init(_ outcome: ChangeOutcome, did sentence: String) {
        switch outcome {
        case .recorded: self.init(ok: true, text: sentence)
        case .nextRecording:
            self.init(
                ok: true,
                text: "\(sentence); the change applies to the next recording.")
        case .recordingEnded:
            self.init(
                ok: false,
                text: "the recording ended before the change was applied, so the change was discarded.")
        }
    }

    /// Creates the reply to `snapshot`, with the files of each camera, or the error if the camera's still
    /// failed.
    package init(_ taken: [(role: String, files: Result<StillFiles, StillError>)]) {
        var stills: [Still] = []
        var failures: [String] = []
        for (role, result) in taken {
            switch result {
            case .success(let files): stills.append(Still(role: role, file: files.still, clip: files.clip))
            case .failure(let error): failures.append(error.description)
            }
        }
        let roles = stills.map(\.role).joined(separator: ", ")
        self.init(
            ok: failures.isEmpty,
            text: failures.isEmpty ? "stills captured: \(roles)" : failures.joined(separator: " "),
            stills: stills)
    }
}
