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
    /// What the word names.
    public let kind: ValueKind

    /// Creates a positional argument from its values. Where `kind` is left out, the name tells.
    public init(
        _ name: String, isOptional: Bool = false, isRepeatable: Bool = false, kind: ValueKind? = nil,
        help: String
    ) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeatable = isRepeatable
        self.kind = kind ?? ValueKind(placeholder: name)
    }
}
