public import Media

/// Why a still could not be taken or written.
public enum StillError: Error, Sendable, Equatable {
    /// No whole frame came within `seconds`.
    case noFrame(role: String, seconds: Double)
    /// There is no camera of this role; `known` lists the roles that there are.
    case unknownRole(String, known: [String])
    case encoding(EncodingError)
    case file(FileError)
}

extension StillError: CustomStringConvertible {
    /// A sentence for a person: what failed, and what to do about it.
    public var description: String {
        switch self {
        case .noFrame(let role, let seconds):
            "camera \(role) delivered no whole frame within \(seconds) s, so there is no still of it. Look at its cable."
        case .unknownRole(let role, let known):
            "there is no camera \(role.printable()); there are \(known.joined(separator: ", "))."
        case .encoding(let error): error.description
        case .file(let error): error.description
        }
    }
}
