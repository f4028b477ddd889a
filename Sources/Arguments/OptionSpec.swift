/// The specification of one `--option` of a command.
public struct OptionSpec: Sendable {
    /// The option's name without its dashes.
    public let name: String
    /// The placeholder of the value in the help, for example `DIR`; `nil` makes the option a flag.
    public let placeholder: String?
    /// The description in the help, as a sentence.
    public let help: String
    /// Whether the option may be given several times.
    public let isRepeatable: Bool
    /// What the value names.
    public let kind: ValueKind

    /// Creates an option from its values. Where `kind` is left out, the placeholder tells.
    public init(
        _ name: String, _ placeholder: String? = nil, isRepeatable: Bool = false, kind: ValueKind? = nil,
        help: String
    ) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.isRepeatable = isRepeatable
        self.kind = kind ?? ValueKind(placeholder: placeholder ?? "")
    }

    static let help = OptionSpec("help", help: "Show this text.")

    /// The end of an error's sentence about a missing or wrong value: `expected --camera ROLE=DEVICE`, with the option's
    /// description.
    var expectation: String { "expected `\(usage)`, \(help.continued)" }

    /// The option with its placeholder: `--camera ROLE=DEVICE`.
    var usage: String { placeholder.map { "--\(name) \($0)" } ?? "--\(name)" }
}
