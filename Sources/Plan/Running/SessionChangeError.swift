/// Why a running session cannot be changed as asked: nothing of it is changed then.
public struct SessionChangeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was asked, why that cannot be, and what can.
    public let description: String

    package init(_ description: String) { self.description = description }
}
