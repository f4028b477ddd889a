/// Why a program cannot be started, as a sentence for the user.
public struct ProcessError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What, where and why.
    public let description: String

    /// Creates an error from its sentence.
    public init(_ description: String) { self.description = description }
}
