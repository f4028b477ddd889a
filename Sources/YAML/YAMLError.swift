/// Why a file cannot be read as YAML, or uses a part of YAML that is not for people's settings.
public struct YAMLError: Error, Sendable, Equatable {
    public let position: YAMLPosition
    /// The names of the mappings that were open at the place, the outermost first; empty where that is not known.
    public let path: [String]
    /// What stands there, as the object of “found”.
    public let found: String
    /// What should stand there, as the object of “expected”.
    public let expected: String

    public init(position: YAMLPosition, path: [String] = [], found: String, expected: String) {
        self.position = position
        self.path = path
        self.found = found
        self.expected = expected
    }

    public var line: Int { position.line }
    public var column: Int { position.column }

    /// The whole reason, as a sentence.
    public var sentence: String { "found \(found), expected \(expected)." }
}

extension YAMLError: CustomStringConvertible {
    public var description: String {
        let field = path.isEmpty ? "" : path.joined(separator: ".") + ": "
        return "\(position): \(field)\(sentence)"
    }
}
