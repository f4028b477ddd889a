/// A single value as text, which the caller interprets.
public struct YAMLScalar: Sendable, Equatable {
    /// The text with escapes resolved. It may hold any character, NUL too when it was written `"\0"`.
    public let text: String
    /// Whether the text stood in quotes or in a block (`|`, `>`), so that it is never null, a number or a truth value.
    public let isQuoted: Bool

    /// Makes a scalar.
    public init(text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }
}
