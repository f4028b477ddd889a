public import Media
public import Session

/// Why a session cannot be set up: before any device streams.
public enum SetupError: Error, Sendable, Equatable {
    /// A selector or a role that makes no sense.
    case usage(String)
    case profile(ProfileError)
    case device(DeviceError)
    /// The plan needs more than its budget allows, and may not or cannot be reduced far enough.
    case overBudget(PlanReduction)
}

extension SetupError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .usage(let sentence): sentence
        case .profile(let error): error.description
        case .device(let error): error.description
        case .overBudget(let reduction): reduction.refusal
        }
    }
}
