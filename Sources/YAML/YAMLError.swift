/// Why a file cannot be read as YAML, or uses a part of YAML that is not allowed in settings.
public struct YAMLError: Error, Sendable, Equatable {
    /// Where the problem is.
    public let position: YAMLPosition
    /// Names of the mappings that enclose the position, the outermost first; empty where that is not known.
    public let path: [String]
    /// The content at the position, as the object of “found”.
    public let found: String
    /// The content that is allowed at the position, as the object of “expected”.
    public let expected: String

    /// Makes an error; `found` and `expected` become parts of its sentence.
    public init(position: YAMLPosition, path: [String] = [], found: String, expected: String) {
        self.position = position
        self.path = path
        self.found = found
        self.expected = expected
    }

    /// Line of the position, from 1.
    public var line: Int { position.line }
    /// Column of the position in characters (Unicode scalars), from 1.
    public var column: Int { position.column }

    /// The reason as a sentence, without the position.
    public var sentence: String { "found \(found), expected \(expected)." }
}

extension YAMLError: CustomStringConvertible {
    /// The whole message: `line:column: field: found …, expected ….`
    public var description: String {
        let field = path.isEmpty ? "" : path.joined(separator: ".") + ": "
        return "\(position): \(field)\(sentence)"
    }
}
