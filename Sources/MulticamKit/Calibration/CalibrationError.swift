public import Session

/// Why nothing could be measured.
public enum CalibrationError: Error, Sendable, Equatable {
    /// What was asked cannot be: there are too few devices, or there is no such microphone.
    case usage(String)
    case recording(RecordingError)
}

extension CalibrationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .usage(let sentence): sentence
        case .recording(let error): error.description
        }
    }
}
