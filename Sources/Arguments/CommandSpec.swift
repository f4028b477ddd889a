import Media

/// The specification of a command, from which both its parsing and its help follow.
public struct CommandSpec: Sendable {
    /// The program's name.
    public let program: String
    /// The command's name, which is its first word.
    public let name: String
    /// What the command does, in a sentence.
    public let summary: String
    /// Lists between the positional arguments and the options in the help.
    public let sections: [HelpSection]
    /// Paragraphs after the options in the help.
    public let notes: [String]
    /// The positional arguments in their order.
    public let positionals: [PositionalSpec]
    /// The options in the order of the help; `--help` is the last.
    public let options: [OptionSpec]

    /// Creates a specification, and adds the option `--help`.
    public init(
        program: String, name: String, summary: String, sections: [HelpSection] = [], notes: [String] = [],
        positionals: [PositionalSpec] = [],
        options: [OptionSpec] = []
    ) {
        self.program = program
        self.name = name
        self.summary = summary
        self.sections = sections
        self.notes = notes
        self.positionals = positionals
        self.options = options + [.help]
    }

    /// Sorts the words of a command line into options and positional arguments.
    ///
    /// Understands `--name value`, `--name=value`, `-h`, `-o value` for `--output`, and `--` before words that begin with a dash. Negative numbers are
    /// positional arguments. With `--help` missing words are no error.
    /// - Throws: `UsageError` for an unknown option, a missing or repeated value, and too few or too many words.
    public func parse(_ words: some Sequence<String>) throws(UsageError) -> ParsedArguments {
        var values: [String: [String]] = [:]
        var plain: [String] = []
        var rest = Array(words)[...]
        var onlyPlain = false
        while let word = rest.popFirst() {
            if onlyPlain || word == "-" || !word.hasPrefix("-") || Self.isNumber(word) {
                plain.append(word)
            } else if word == "--" {
                onlyPlain = true
            } else {
                let (option, value) = try self.option(word, &rest)
                if values[option.name] != nil, !option.isRepeatable, option.placeholder != nil {
                    throw error("`--\(option.name)` is given twice; give it once.")
                }
                if option.placeholder != nil, value.isEmpty { throw missingValue(of: option) }
                values[option.name, default: []].append(value)
            }
        }
        if values["help"] == nil { try check(plain) }
        return ParsedArguments(spec: self, values: values, positionals: plain)
    }

    /// Creates a usage error that points to this command's help.
    public func error(_ sentence: String) -> UsageError {
        UsageError(sentence, hint: "See `\(program) \(name) --help`.")
    }

    private func option(
        _ word: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> (OptionSpec, String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let given = String(parts[0])
        let short = ["-h": "help", "-o": "output"][given]
        let name = short ?? String(given.drop { $0 == "-" })
        guard given.hasPrefix("--") || short != nil, let option = options.first(where: { $0.name == name })
        else {
            let nearest = name.nearest(among: options.map(\.name))
            throw error("unknown option `\(given)`\(nearest.map { "; did you mean `--\($0)`?" } ?? ".")")
        }
        guard option.placeholder != nil else {
            if parts.count > 1 { throw error("`--\(name)` takes no value: leave out `=\(parts[1])`.") }
            return (option, "")
        }
        if parts.count > 1 { return (option, String(parts[1])) }
        guard let value = rest.popFirst() else { throw missingValue(of: option) }
        return (option, value)
    }

    private func missingValue(of option: OptionSpec) -> UsageError {
        error("`--\(option.name)` needs a value: \(option.expectation)")
    }

    private func check(_ plain: [String]) throws(UsageError) {
        let required = positionals.filter { !$0.isOptional }
        if plain.count < required.count {
            let word = required[plain.count]
            throw error(
                "\(word.name) is missing: expected `\(program) \(name) \(word.name)`, \(word.help.continued)")
        }
        let isOpenEnded = positionals.last?.isRepeatable ?? false
        if plain.count > positionals.count, !isOpenEnded {
            let word = "unexpected word `\(plain[positionals.count])`"
            guard positionals.isEmpty, let option = options.first(where: { $0.placeholder != nil }),
                let placeholder = option.placeholder
            else { throw error("\(word).") }
            throw error(
                "\(word): this command takes only options, such as `--\(option.name) \(placeholder)`.")
        }
    }

    /// Whether a word such as `-6` is a number, and no option.
    private static func isNumber(_ word: String) -> Bool { Double(word) != nil }
}

extension String {
    /// The sentence with a lower-case beginning, to continue another one.
    var continued: String { prefix(1).lowercased() + dropFirst() }
}
