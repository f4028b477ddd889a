internal import Foundation
public import Plan
public import Session
internal import SessionFolder

/// What a running session answers: a line of JSON.
public struct ControlReply: Sendable, Equatable, Codable {
    /// The files of a still, as absolute paths.
    public struct Still: Sendable, Equatable, Codable {
        public var role: String
        public var file: String
        /// The clip around it; `nil` where none is made.
        public var clip: String?

        public init(role: String, file: String, clip: String?) {
            self.role = role
            self.file = file
            self.clip = clip
        }
    }

    /// Whether it was done.
    public var ok: Bool
    /// A sentence for people: what was done, or why not.
    public var text: String
    /// Whether it was not done because it makes no sense in this session: a role that it does not have, a value out of range.
    public var usage: Bool
    /// Of `status`.
    public var status: ControlStatus?
    /// Of `snapshot`: those that were taken, also where others were not.
    public var stills: [Still]?

    public init(
        ok: Bool, text: String, usage: Bool = false, status: ControlStatus? = nil, stills: [Still]? = nil
    ) {
        self.ok = ok
        self.usage = usage
        self.text = text
        self.status = status
        self.stills = stills
    }
}

extension ControlReply {
    /// The reply as a line of JSON, without its line feed.
    var line: Data { Data(JSONText.line(self).utf8) }

    /// What became of something that was asked of a session.
    ///
    /// - Parameters:
    ///   - outcome: As the session told it.
    ///   - sentence: What was done, where it was.
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

    /// What came of stills.
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
