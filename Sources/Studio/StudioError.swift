/// Why the studio cannot run, as a sentence for the user.
public struct StudioError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What, where, why, and what to do.
    public let description: String

    /// Creates an error from its sentence.
    public init(_ description: String) { self.description = description }
}
