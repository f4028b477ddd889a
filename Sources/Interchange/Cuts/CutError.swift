/// Why a cut cannot be made or a file is no cut of a session.
public struct CutError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The whole message: what, where, why, and what to do.
    public let description: String

    /// Creates an error with its message.
    public init(_ description: String) { self.description = description }
}
