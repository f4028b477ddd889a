/// The options and positional arguments of a parsed command line. Requesting an option that isn't part of the
/// command's specification is a programming error and traps.
package struct ParsedArguments: Sendable {
    /// The specification that was used for parsing.
    package let spec: CommandSpec
    private let values: [String: [String]]
    /// Positional arguments, in order.
    package let positionals: [String]

    init(spec: CommandSpec, values: [String: [String]], positionals: [String]) {
        self.spec = spec
        self.values = values
        self.positionals = positionals
    }

    /// Whether the command line contains `--help` or `-h`.
    package var wantsHelp: Bool { flag("help") }

    /// Returns whether the command line contains a flag.
    package func flag(_ name: String) -> Bool { !all(name).isEmpty }

    /// Returns the last value of an option; `nil` if the option isn't present.
    package func optional(_ name: String) -> String? { all(name).last }

    /// Returns the last value of a required option.
    ///
    /// - Throws: `UsageError` if the option isn't present.
    package func required(_ name: String) throws(UsageError) -> String {
        guard let value = optional(name) else {
            let option = spec.options.first { $0.name == name }
            throw spec.error("`--\(name)` is missing\(option.map { ": \($0.expectation)" } ?? ".")")
        }
        return value
    }

    /// Returns all values of an option, in order. For a flag, returns an empty string for each occurrence.
    package func all(_ name: String) -> [String] {
        precondition(
            spec.options.contains { $0.name == name },
            "`\(spec.name)` does not declare an option `--\(name)`")
        return values[name] ?? []
    }

    /// Returns the values of a repeatable option in the format KEY=VALUE, in order.
    ///
    /// - Throws: `UsageError` if a value doesn't contain `=`, if its key or value is empty, or if a key is
    ///   repeated.
    package func pairs(_ name: String) throws(UsageError) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        for text in all(name) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                let option = spec.options.first { $0.name == name }
                throw spec.error("`--\(name) \(text)`: \(option?.expectation ?? "expected KEY=VALUE.")")
            }
            guard !pairs.contains(where: { $0.key == parts[0] }) else {
                throw spec.error(
                    "`--\(name)` was specified more than once for `\(parts[0])`. Specify it only once.")
            }
            pairs.append((String(parts[0]), String(parts[1])))
        }
        return pairs
    }
}

/// An error in the arguments of a command line.
package struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Description of the problem, as a sentence.
    package let sentence: String
    /// Suggested remedy, as a sentence; empty for none.
    package let hint: String

    /// Creates an error from a problem and an optional remedy.
    package init(_ sentence: String, hint: String = "") {
        self.sentence = sentence
        self.hint = hint
    }

    /// User-readable message with the problem and the remedy.
    package var description: String { hint.isEmpty ? sentence : "\(sentence) \(hint)" }
}
