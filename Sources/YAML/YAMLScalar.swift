/// A single value, as text: what it means, its reader decides.
public struct YAMLScalar: Sendable, Equatable {
    /// Escapes are resolved; may hold any character, NUL too when it was written `"\0"`.
    public let text: String
    /// Whether it stood in quotes or in a block (`|`, `>`), so that it is a text and never null, a number or a truth.
    public let isQuoted: Bool

    public init(text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }
}
