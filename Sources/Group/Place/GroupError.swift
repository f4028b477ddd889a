/// Why something about a group cannot be done, as a sentence for the user.
public struct GroupError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What, where, why, and what to do.
    public let description: String
    /// The exit status that the error calls for.
    public let status: Int32

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - description: The sentence.
    ///   - status: The exit status: 1, or 2 for a mistake in what was asked.
    public init(_ description: String, status: Int32 = 1) {
        self.description = description
        self.status = status
    }
}
