/// What the last word of an unfinished command line is.
public enum CompletionPlace: Sendable, Equatable {
    /// An option: one of these, with their descriptions.
    case option([Proposal])
    /// A value of this kind. `typed` is what stands there already, `before` what stands before it in the same word: `--profile=`.
    case value(ValueKind, before: String, typed: String)
    /// A plain word of this kind, after the plain words before it; options may stand there, too.
    case word(ValueKind, after: [String], options: [Proposal])
    /// Nothing that the command knows.
    case nothing

    /// A word that could stand there.
    public struct Proposal: Sendable, Equatable {
        /// The whole word.
        public let word: String
        /// What it means; empty where the word says it.
        public let help: String

        /// Creates a proposal from its texts.
        public init(_ word: String, _ help: String = "") {
            self.word = word
            self.help = help
        }
    }
}

extension CommandSpec {
    /// Tells what could stand in the place of the last word.
    ///
    /// - Parameter words: The words after the command's name, the last as far as it is typed; an empty one after a blank.
    /// - Returns: The place.
    public func place(in words: [String]) -> CompletionPlace {
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

    /// The values that were given to an option, in their order.
    ///
    /// - Parameters:
    ///   - option: The option's name.
    ///   - words: The words after the command's name, which may be unfinished or wrong.
    /// - Returns: The values; none where the option was not given.
    public func values(of option: String, in words: [String]) -> [String] {
        words.indices.compactMap { index in
            guard let (found, value) = optionAndValue(of: words[index]), found.name == option else {
                return nil
            }
            return value ?? (index + 1 < words.count ? words[index + 1] : nil)
        }
    }

    /// The option that a word such as `--profile` or `--profile=pip` names, with the value behind `=`.
    private func optionAndValue(of word: String) -> (OptionSpec, value: String?)? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0] == "-o" ? "output" : String(parts[0].dropFirst(2))
        guard parts[0].hasPrefix("--") || parts[0] == "-o",
            let option = options.first(where: { $0.name == name })
        else { return nil }
        return (option, parts.count > 1 ? String(parts[1]) : nil)
    }

    private func proposals(without used: Set<String>) -> [CompletionPlace.Proposal] {
        options.filter { $0.isRepeatable || !used.contains($0.name) }
            .map { CompletionPlace.Proposal("--\($0.name)", $0.help) }
    }
}
