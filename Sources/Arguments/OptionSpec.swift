/// One `--option` of a command.
public struct OptionSpec: Sendable {
    public let name: String
    /// What the value stands for in the help, for example `DIR`. `nil` makes the option a flag.
    public let placeholder: String?
    public let help: String
    /// Whether it may be given several times.
    public let isRepeatable: Bool

    public init(_ name: String, _ placeholder: String? = nil, isRepeatable: Bool = false, help: String) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.isRepeatable = isRepeatable
    }

    static let help = OptionSpec("help", help: "Show this text.")

    /// `expected --camera ROLE=DEVICE`, with what the value is: the second half of a sentence about a value that is missing or
    /// wrong.
    var expectation: String { "expected `\(usage)`, \(help.continued)" }

    /// `--camera ROLE=DEVICE`.
    var usage: String { placeholder.map { "--\(name) \($0)" } ?? "--\(name)" }
}
