public import Media
public import Plan

/// Why a recording did not begin.
public enum RecordingError: Error, Sendable, Equatable {
    case device(DeviceError)
    case file(FileError)
    case encoding(EncodingError)
    /// The plan cannot be run, for all of these reasons.
    case plan([PlanProblem])
    /// A synchronised output names a role that the session does not record.
    case unknownRole(String, known: [String])
    /// A safety copy is to hold the program alone, and there is none.
    case nothingToCopy
    /// The plan has neither a program nor a track, so there is nothing to record; `MulticamSession.run` runs it.
    case nothingToWrite
    /// It was asked to stop before its first instant.
    case stopped
}

extension RecordingError: CustomStringConvertible {
    /// A sentence for a person: what failed, and what to do about it.
    public var description: String {
        switch self {
        case .device(let error): error.description
        case .file(let error): error.description
        case .encoding(let error): error.description
        case .plan(let problems): problems.map(\.description).joined(separator: " ")
        case .unknownRole(let role, let known):
            "a synchronised output names the role “\(role.printable())”, which this session does not record; it records "
                + known.joined(separator: ", ") + "."
        case .nothingToCopy:
            "the safety copy is to hold the program alone, and this session has none: let it hold all, or leave it out."
        case .nothingToWrite:
            "this session has neither a program nor a track, so there is nothing to record: add one to its plan, or run it "
                + "without recording."
        case .stopped: "the recording was stopped before its devices were ready; nothing was recorded."
        }
    }
}
