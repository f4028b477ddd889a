/// Why a running session cannot be spoken to.
public enum ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was asked makes no sense, whatever runs.
    case usage(String)
    /// Nothing runs that could be asked.
    case nobody(String)
    /// The system said no.
    case system(String)

    public var description: String {
        switch self {
        case .usage(let sentence), .nobody(let sentence), .system(let sentence): sentence
        }
    }
}
