/// Why the control room cannot be served, as a sentence for the user.
public struct WebError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What, where, why, and what to do.
    public let description: String

    init(_ description: String) { self.description = description }
}
