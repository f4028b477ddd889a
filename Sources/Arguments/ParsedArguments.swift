/// A command's words after parsing. Accessors name options of the command's spec; another name is a bug of ours.
public struct ParsedArguments: Sendable {
    public let spec: CommandSpec
    private let values: [String: [String]]
    public let positionals: [String]

    init(spec: CommandSpec, values: [String: [String]], positionals: [String]) {
        self.spec = spec
        self.values = values
        self.positionals = positionals
    }

    public var wantsHelp: Bool { flag("help") }

    public func flag(_ name: String) -> Bool { !all(name).isEmpty }

    public func optional(_ name: String) -> String? { all(name).last }

    public func required(_ name: String) throws(UsageError) -> String {
        guard let value = optional(name) else {
            let option = spec.options.first { $0.name == name }
            throw spec.error("`--\(name)` is missing\(option.map { ": \($0.expectation)" } ?? ".")")
        }
        return value
    }

    public func all(_ name: String) -> [String] {
        precondition(
            spec.options.contains { $0.name == name }, "`\(spec.name)` declares no option `--\(name)`")
        return values[name] ?? []
    }

    /// Values of the form KEY=VALUE of a repeatable option, in order.
    ///
    /// - Throws: When one has no `=`, an empty side, or a key that was given before.
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
