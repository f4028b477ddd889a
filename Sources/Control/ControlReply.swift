internal import FoundationEssentials
public import Plan
internal import SessionFolder
public import Stills

/// The answer of a running session, sent as a line of JSON.
public struct ControlReply: Sendable, Equatable, Codable {
    /// The files of one still, as absolute paths.
    public struct Still: Sendable, Equatable, Codable {
        /// The camera's role.
        public var role: String
        /// The path of the still.
        public var file: String
        /// The path of the clip around the still; `nil` when there is none.
        public var clip: String?

        /// Creates an entry from its values.
        public init(role: String, file: String, clip: String?) {
            self.role = role
            self.file = file
            self.clip = clip
        }
    }

    /// Whether the command was carried out.
    public var ok: Bool
    /// A sentence for people: what was done, or why it was not.
    public var text: String
    /// Whether the command failed because it is invalid in this session: an unknown role, a value out of range.
    public var usage: Bool
    /// `true` where the command was refused because the plan would be over its budget; `nil` otherwise.
    public var over_budget: Bool?
    /// The answer to `status`; `nil` for other commands.
    public var status: ControlStatus?
    /// The answer to `snapshot`: the stills that were taken, even when others failed; `nil` for other commands.
    public var stills: [Still]?
    /// The answer to commands about a camera's controls: how they are afterwards; `nil` for other commands, and where the camera
    /// could not be asked.
    public var controls: ControlsReport?

    /// Creates an answer from its values.
    public init(
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
    /// The answer as a line of JSON, without its line feed.
    var line: Data { Data(JSONText.line(self).utf8) }

    /// Creates the answer to a change that a session refuses.
    public init(_ error: SessionChangeError) {
        self.init(
            ok: false, text: error.description, usage: !error.isOverBudget,
            over_budget: error.isOverBudget ? true : nil)
    }

    /// Creates the answer to a change of a session.
    ///
    /// - Parameters:
    ///   - outcome: What the session reports of the change.
    ///   - sentence: What was done, for the case of success.
    public init(_ outcome: ChangeOutcome, did sentence: String) {
        switch outcome {
        case .recorded: self.init(ok: true, text: sentence)
        case .next:
            self.init(
                ok: true,
                text: "\(sentence); nothing is being recorded, and the next recording begins with it.")
        case .ended:
            self.init(
                ok: false, text: "the recording ended before it came to that, so nothing of it is kept.")
        }
    }

    /// Creates the answer to `snapshot`, with the files or the error of each camera.
    public init(_ taken: [(role: String, files: Result<StillFolder.Files, StillError>)]) {
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
            text: failures.isEmpty ? "taken: \(roles)" : failures.joined(separator: " "),
            stills: stills)
    }
}
