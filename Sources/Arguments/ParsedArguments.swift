/// The words of a command line after parsing. Accessors stop the program when the command's spec lacks the option they name.
public struct ParsedArguments: Sendable {
    /// The specification that the words were parsed by.
    public let spec: CommandSpec
    private let values: [String: [String]]
    /// The positional arguments in their order.
    public let positionals: [String]

    init(spec: CommandSpec, values: [String: [String]], positionals: [String]) {
        self.spec = spec
        self.values = values
        self.positionals = positionals
    }

    /// Whether `--help` or `-h` was given.
    public var wantsHelp: Bool { flag("help") }

    /// Whether a flag was given.
    public func flag(_ name: String) -> Bool { !all(name).isEmpty }

    /// The last value of an option; `nil` when it was not given.
    public func optional(_ name: String) -> String? { all(name).last }

    /// The last value of an option that must be given.
    ///
    /// - Throws: `UsageError` when it was not given.
    public func required(_ name: String) throws(UsageError) -> String {
        guard let value = optional(name) else {
            let option = spec.options.first { $0.name == name }
            throw spec.error("`--\(name)` is missing\(option.map { ": \($0.expectation)" } ?? ".")")
        }
        return value
    }

    /// All values of an option in their order; an empty string for each time that a flag was given.
    public func all(_ name: String) -> [String] {
        precondition(
            spec.options.contains { $0.name == name }, "`\(spec.name)` declares no option `--\(name)`")
        return values[name] ?? []
    }

    /// The values of a repeatable option with the form KEY=VALUE, in their order.
    ///
    /// - Throws: `UsageError` when a value has no `=`, an empty side, or a key that was given before.
    public func pairs(_ name: String) throws(UsageError) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        for text in all(name) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                let option = spec.options.first { $0.name == name }
                throw spec.error("`--\(name) \(text)`: \(option?.expectation ?? "expected KEY=VALUE.")")
            }
            guard !pairs.contains(where: { $0.key == parts[0] }) else {
                throw spec.error("`--\(name)` names `\(parts[0])` twice; name it once.")
            }
            pairs.append((String(parts[0]), String(parts[1])))
        }
        return pairs
    }
}
