/// The specification of a positional argument: a word of a command that is no option.
public struct PositionalSpec: Sendable {
    /// The name in the help, in capitals.
    public let name: String
    /// The description in the help, as a sentence.
    public let help: String
    /// Whether the word may be left out.
    public let isOptional: Bool
    /// Whether it takes all remaining words; allowed only for the last argument.
    public let isRepeatable: Bool

    /// Creates a positional argument from its values.
    public init(_ name: String, isOptional: Bool = false, isRepeatable: Bool = false, help: String) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeatable = isRepeatable
    }
}
