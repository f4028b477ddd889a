/// The kind of word that can be completed at the end of an unfinished command line.
package enum CompletionContext: Sendable, Equatable {
    /// The name of an option. The associated value lists the possible options with their descriptions.
    case option([Proposal])
    /// The value of an option. `typed` is the part of the value that the user has entered, and `before` is
    /// the text before the value in the same word, such as `--profile=`.
    case value(ValueKind, before: String, typed: String)
    /// A positional argument. `after` contains the previous positional arguments. An option is also allowed
    /// at this position.
    case word(ValueKind, after: [String], options: [Proposal])
    /// The command doesn't accept any word at this position.
    case nothing

    /// A possible completion.
    package struct Proposal: Sendable, Equatable {
        /// The word that completes the command line.
        package let word: String
        /// Description of the word; empty if the word is self-explanatory.
        package let help: String

        /// Creates a completion from its word and description.
        package init(_ word: String, _ help: String = "") {
            self.word = word
            self.help = help
        }
    }
}

extension CommandSpec {
    /// Determines which kind of word the last word is.
    ///
    /// - Parameter words: The words after the command's name. The last word is the one to complete; it is
    ///   empty if the command line ends with a space.
    /// - Returns: The kind of the last word, with the possible options.
    package func completionContext(in words: [String]) -> CompletionContext {
        guard let last = words.last else { return .nothing }
        var used: Set<String> = []
        var plain: [String] = []
        var awaiting: OptionSpec?
        var onlyPlain = false
        for word in words.dropLast() {
            if awaiting != nil {
                awaiting = nil
            } else if !onlyPlain, word == "--" {
                onlyPlain = true
            } else if !onlyPlain, word.hasPrefix("-"), let (option, value) = optionAndValue(of: word) {
                used.insert(option.name)
                if option.placeholder != nil, value == nil { awaiting = option }
            } else {
                plain.append(word)
            }
        }
        if let awaiting { return .value(awaiting.kind, before: "", typed: last) }
        if !onlyPlain, last.hasPrefix("-") {
            if let (option, given) = optionAndValue(of: last), let value = given, option.placeholder != nil {
                return .value(option.kind, before: "--\(option.name)=", typed: value)
            }
            return .option(proposals(without: used))
        }
        let isOpenEnded = positionals.last?.isRepeatable ?? false
        let options = last.isEmpty && !onlyPlain ? proposals(without: used) : []
        guard
            let next = plain.count < positionals.count || isOpenEnded
                ? positionals[min(plain.count, positionals.count - 1)] : nil
        else { return options.isEmpty ? .nothing : .option(options) }
        return .word(next.kind, after: plain, options: options)
    }

    /// Returns the values of an option in an unfinished command line, in order.
    ///
    /// - Parameters:
    ///   - option: The option's name.
    ///   - words: The words after the command's name, which may be incomplete or invalid.
    /// - Returns: The values of the option; empty if the option isn't present.
    package func values(of option: String, in words: [String]) -> [String] {
        words.indices.compactMap { index in
            guard let (found, value) = optionAndValue(of: words[index]), found.name == option else {
                return nil
            }
            return value ?? (index + 1 < words.count ? words[index + 1] : nil)
        }
    }

    /// Parses a word such as `--profile` or `--profile=pip`. Returns the option and the value after `=`, if
    /// any.
    private func optionAndValue(of word: String) -> (OptionSpec, value: String?)? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0] == "-o" ? "output" : String(parts[0].dropFirst(2))
        guard parts[0].hasPrefix("--") || parts[0] == "-o",
            let option = options.first(where: { $0.name == name })
        else { return nil }
        return (option, parts.count > 1 ? String(parts[1]) : nil)
    }

    private func proposals(without used: Set<String>) -> [CompletionContext.Proposal] {
        options.filter { $0.isRepeatable || !used.contains($0.name) }
            .map { CompletionContext.Proposal("--\($0.name)", $0.help) }
    }
}
