public import Session

/// Why a calibration could not start or failed.
public enum CalibrationError: Error, Sendable, Equatable {
    /// The setup is unsuitable: too few devices, or no such microphone. The sentence says what to do.
    case usage(String)
    /// A device did not start, was silent, or cannot be decoded.
    case recording(RecordingError)
}

extension CalibrationError: CustomStringConvertible {
    /// The error as a sentence for the user.
    public var description: String {
        switch self {
        case .usage(let sentence): sentence
        case .recording(let error): error.description
        }
    }
}
