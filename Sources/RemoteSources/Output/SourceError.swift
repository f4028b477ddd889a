internal import Media

/// Why a network camera does not deliver, as a sentence without secrets.
enum SourceError: Error, Equatable, CustomStringConvertible {
    /// The network, or the camera at the moment. It is tried again soon.
    case lost(String)
    /// The password, the path or the format: nothing changes by itself. It is tried again more rarely.
    case refused(String)
    /// A person: it is not tried again.
    case over(String)

    var description: String {
        switch self {
        case .lost(let text), .refused(let text), .over(let text): text
        }
    }

    /// The same where another try would be another question to a person: it is over, and an accident says what begins it again.
    var withoutFurtherTries: SourceError {
        guard case .lost(let text) = self else { return .over(description) }
        return .over(
            "\(text.trimmingFullStop), and the desktop would ask a person before it shows it: exchange the camera for it, or begin "
                + "another recording.")
    }
}
