public import Media

/// Why nothing was rendered.
public enum RenderError: Error, Sendable, CustomStringConvertible {
    /// Somebody stopped it; nothing is left of it.
    case stopped
    /// There is nothing to render, as a sentence that says what to do.
    case nothing(String)
    /// A file could not be written.
    case file(FileError)
    /// A codec failed.
    case encoding(EncodingError)

    /// Takes an error of the parts that render.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as RenderError: error
            case let error as FileError: .file(error)
            case let error as EncodingError: .encoding(error)
            default: .nothing("\(error)")
            }
    }

    /// The whole message for a user.
    public var description: String {
        switch self {
        case .stopped: "it was stopped; nothing of it is left."
        case .nothing(let text): text
        case .file(let error): error.description
        case .encoding(let error): error.description
        }
    }
}
