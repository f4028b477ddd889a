import MulticamMedia

/// The specification of a command, which is used to parse the command line and to generate help.
package struct CommandSpec: Sendable {
    /// The program's name.
    package let program: String
    /// Name of the command, which is the first word after the program's name.
    package let name: String
    /// Description of the command, as a sentence.
    package let summary: String
    /// Lists that the help text shows between the positional arguments and the options.
    package let sections: [HelpSection]
    /// Paragraphs that the help text shows after the options.
    package let notes: [String]
    /// Positional arguments, in order.
    package let positionals: [PositionalSpec]
    /// Options, in the order in which the help text lists them. The last option is `--help`.
    package let options: [OptionSpec]

    /// Creates a specification, and adds the option `--help`.
    package init(
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

    /// Parses the words of a command line into options and positional arguments.
    ///
    /// The parser supports `--name value`, `--name=value`, `-h` for `--help`, `-o value` for `--output`, and
    /// `--` before positional arguments that begin with a dash. Negative numbers are positional arguments. If
    /// `--help` is present, missing arguments aren't an error.
    /// - Throws: `UsageError` for an unknown option, for a missing or repeated value, or for too few or too
    ///   many positional arguments.
    package func parse(_ words: some Sequence<String>) throws(UsageError) -> ParsedArguments {
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
                    throw error("`--\(option.name)` was specified more than once. Specify it only once.")
                }
                if option.placeholder != nil, value.isEmpty { throw missingValue(of: option) }
                values[option.name, default: []].append(value)
            }
        }
        if values["help"] == nil { try check(plain) }
        return ParsedArguments(spec: self, values: values, positionals: plain)
    }

    /// Creates a usage error that refers to this command's help.
    package func error(_ sentence: String) -> UsageError {
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
            throw error("Unknown option `\(given)`.\(nearest.map { " Did you mean `--\($0)`?" } ?? "")")
        }
        guard option.placeholder != nil else {
            if parts.count > 1 { throw error("`--\(name)` does not accept a value. Remove `=\(parts[1])`.") }
            return (option, "")
        }
        if parts.count > 1 { return (option, String(parts[1])) }
        guard let value = rest.popFirst() else { throw missingValue(of: option) }
        return (option, value)
    }

    private func missingValue(of option: OptionSpec) -> UsageError {
        error("`--\(option.name)` requires a value: \(option.expectation)")
    }

    private func check(_ plain: [String]) throws(UsageError) {
        let required = positionals.filter { !$0.isOptional }
        if plain.count < required.count {
            let word = required[plain.count]
            throw error(
                "\(word.name) is missing: expected `\(program) \(name) \(word.name)` (\(word.help.firstSentence))."
            )
        }
        let isOpenEnded = positionals.last?.isRepeatable ?? false
        if plain.count > positionals.count, !isOpenEnded {
            let word = "Unexpected argument `\(plain[positionals.count])`"
            guard positionals.isEmpty, let option = options.first(where: { $0.placeholder != nil }),
                let placeholder = option.placeholder
            else { throw error("\(word).") }
            throw error(
                "\(word): this command takes only options, such as `--\(option.name) \(placeholder)`.")
        }
    }

    /// Whether a word such as `-6` is a negative number, and therefore not an option.
    private static func isNumber(_ word: String) -> Bool { Double(word) != nil }
}

extension String {
    /// The first sentence of the text without the period, for use inside another sentence. The first letter
    /// is converted to lowercase unless it begins an abbreviation.
    var firstSentence: String {
        let sentence = firstRange(of: ". ").map { self[..<$0.lowerBound] } ?? self[...]
        let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence
        let isAbbreviation = text.dropFirst().first?.isUppercase ?? false
        return isAbbreviation ? String(text) : text.prefix(1).lowercased() + text.dropFirst()
    }
}

/// The specification of a command-line option, such as `--output`.
package struct OptionSpec: Sendable {
    /// Name of the option without the dashes.
    package let name: String
    /// Placeholder for the option's value in the help text, such as `DIR`; `nil` for a flag, which doesn't
    /// have a value.
    package let placeholder: String?
    /// Description for the help text, as a sentence.
    package let help: String
    /// Whether the option may be used several times in a command line.
    package let isRepeatable: Bool
    /// Kind of the option's value, for shell completion.
    package let kind: ValueKind

    /// Creates an option. By default, the kind of the value is derived from the placeholder.
    package init(
        _ name: String, _ placeholder: String? = nil, isRepeatable: Bool = false, kind: ValueKind? = nil,
        help: String
    ) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.isRepeatable = isRepeatable
        self.kind = kind ?? ValueKind(placeholder: placeholder ?? "")
    }

    static let help = OptionSpec("help", help: "Show this help.")

    /// End of the error message for a missing or invalid value, with the option's usage and description:
    /// `expected --camera ROLE=DEVICE (…)`.
    var expectation: String { "expected `\(usage)` (\(help.firstSentence))." }

    /// The option with its placeholder, such as `--camera ROLE=DEVICE`.
    var usage: String { placeholder.map { "--\(name) \($0)" } ?? "--\(name)" }
}

/// The specification of a positional argument: a command-line word that isn't an option.
package struct PositionalSpec: Sendable {
    /// Name of the argument in the help text, in uppercase.
    package let name: String
    /// Description for the help text, as a sentence.
    package let help: String
    /// Whether the argument is optional.
    package let isOptional: Bool
    /// Whether the argument accepts all remaining words. Only the last argument of a command can be
    /// repeatable.
    package let isRepeatable: Bool
    /// Kind of the argument, for shell completion.
    package let kind: ValueKind

    /// Creates a positional argument. By default, the kind of the argument is derived from its name.
    package init(
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

/// A list under a title in a command's help, such as its subcommands or examples.
package struct HelpSection: Sendable {
    /// Title of the section, without a colon.
    package let title: String
    /// Terms of the section with their descriptions, in order.
    package let entries: [(term: String, help: String)]

    /// Creates a section from its title and entries.
    package init(_ title: String, _ entries: [(term: String, help: String)]) {
        self.title = title
        self.entries = entries
    }
}

/// The kind of a command-line word, used for shell completion.
package enum ValueKind: Sendable, Equatable {
    /// Any text. The shell doesn't offer completions.
    case text
    /// One of a fixed set of words, or a file name if `orFile` is `true`.
    case keywords([String], orFile: Bool = false)
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
    /// The name or file of a profile.
    case profile
    /// A camera selector.
    case camera
    /// A camera or microphone selector.
    case device
    /// The path of a session folder.
    case recording
    /// A role of the profile or of the running session.
    case role
    /// A role with a camera selector, such as `desk=usb:…`.
    case cameraOfRole
    /// A role with a microphone selector, such as `host=pulse:…`.
    case microphoneOfRole
    /// A command for a running session, with its arguments.
    case control

    /// Creates the kind that corresponds to a placeholder in the help text, such as `folder` for `DIR`.
    ///
    /// - Parameter placeholder: The placeholder. Lowercase words separated by `|` are the allowed words.
    init(placeholder: String) {
        switch placeholder {
        case "P": self = .profile
        case "FILE", "FILE|DIR": self = .file
        case "DIR": self = .folder
        case "FOLDER", "FOLDER-OR-FILE": self = .recording
        case "CAMERA", "DEVICE": self = .camera
        case "CAMERA|MICROPHONE": self = .device
        case "ROLE": self = .role
        default:
            let words = placeholder.split(separator: "|").map { String($0) }
            self = words.count > 1 && placeholder == placeholder.lowercased() ? .keywords(words) : .text
        }
    }
}
