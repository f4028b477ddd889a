/// A word of a command that is no option.
public struct PositionalSpec: Sendable {
    public let name: String
    public let help: String
    public let isOptional: Bool
    /// Takes all words that remain. Only for the last one.
    public let isRepeatable: Bool

    public init(_ name: String, isOptional: Bool = false, isRepeatable: Bool = false, help: String) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeatable = isRepeatable
    }
}
