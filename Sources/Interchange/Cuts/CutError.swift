/// Why a cut cannot be made or a file is no cut of a session.
public struct CutError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The whole message: what, where, why, and what to do.
    public let description: String
    /// Whether a file of the recording cannot be read, which is no mistake of the command line.
    public let isUnreadable: Bool

    /// Creates an error with its message.
    public init(_ description: String, isUnreadable: Bool = false) {
        self.description = description
        self.isUnreadable = isUnreadable
    }
}
