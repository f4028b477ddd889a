/// Why a running session cannot be asked. Each case has a sentence for the user.
public enum ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The words are invalid, or do not say which session is meant.
    case usage(String)
    /// No session of this user runs that could be asked.
    case nobody(String)
    /// The system refused, or the session did not answer.
    case system(String)

    /// The error as a sentence for the user.
    public var description: String {
        switch self {
        case .usage(let sentence), .nobody(let sentence), .system(let sentence): sentence
        }
    }
}
