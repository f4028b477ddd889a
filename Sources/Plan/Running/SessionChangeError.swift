/// The reason why a running session cannot be changed as asked. The session is unchanged then.
public struct SessionChangeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A message for people: what was asked, why it cannot be done, and what can be done instead.
    public let description: String

    /// Whether the change would need more of the machine than the profile's budget allows.
    public let isOverBudget: Bool

    /// Creates an error with its message.
    package init(_ description: String, isOverBudget: Bool = false) {
        self.description = description
        self.isOverBudget = isOverBudget
    }
}
