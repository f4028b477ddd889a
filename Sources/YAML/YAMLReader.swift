/// Reads a settings file into a tree that preserves the order and position of every field.
///
/// The reader accepts only the subset of YAML that settings need: one document of mappings, sequences, and scalars.
/// Duplicate names, anchors, aliases, tags, multiple documents, and tabs are rejected, because they make files hard to
/// read correctly.
package struct YAMLReader: ~Copyable {
    /// Maximum size of a file in bytes.
    package static let byteLimit = 1_048_576
    /// Maximum nesting depth of mappings and sequences.
    package static let depthLimit = 32

    private let parser: YAMLParser
    /// Names of the enclosing mappings, for errors.
    private var path: [String] = []
    private var depth = 0

    /// Reads a whole file.
    ///
    /// - Parameter bytes: The content of a file in UTF-8, with or without a byte order mark. Any content is safe.
    /// - Returns: The root value. The root value of an empty file is a null scalar at 1:1.
    /// - Throws: `YAMLError` with the position of the problem if the input isn't in UTF-8, exceeds the
    ///   limits, or isn't in the accepted subset of YAML.
    package static func read(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode {
        var reader = Self(parser: YAMLParser(try YAMLBytes(checking: bytes)))
        return try reader.readDocument()
    }

    private init(parser: consuming YAMLParser) {
        self.parser = parser
    }

    private mutating func readDocument() throws(YAMLError) -> YAMLNode {
        _ = try next()  // Skip the start of the stream.
        guard case .documentStart = try next().kind else {
            return YAMLNode(position: .start, content: .scalar(YAMLScalar(text: "", isQuoted: false)))
        }
        let root = try readNode(from: next())
        _ = try next()  // Skip the end of the document.
        let last = try next()
        guard case .streamEnd = last.kind else {
            throw YAMLError(
                position: last.position, found: "a second document", expected: "one document per file")
        }
        return root
    }

    private mutating func readNode(from event: YAMLParser.Event) throws(YAMLError) -> YAMLNode {
        switch event.kind {
        case .scalar(let scalar):
            return YAMLNode(position: event.position, content: .scalar(scalar))
        case .sequenceStart:
            return YAMLNode(position: event.position, content: .sequence(try readItems(from: event)))
        case .mappingStart:
            return YAMLNode(position: event.position, content: .mapping(try readFields(from: event)))
        case .alias:
            throw error(at: event, found: "an alias", expected: "the value itself")
        case .streamStart, .streamEnd, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
            preconditionFailure("libyaml reported an event that cannot start a node")
        }
    }

    private mutating func readItems(from start: YAMLParser.Event) throws(YAMLError) -> [YAMLNode] {
        try descend(at: start)
        var items: [YAMLNode] = []
        while true {
            let event = try next()
            if case .sequenceEnd = event.kind { break }
            items.append(try readNode(from: event))
        }
        depth -= 1
        return items
    }

    private mutating func readFields(from start: YAMLParser.Event) throws(YAMLError) -> [YAMLField] {
        try descend(at: start)
        var fields: [YAMLField] = []
        var positions: [String: YAMLPosition] = [:]
        while true {
            let event = try next()
            if case .mappingEnd = event.kind { break }
            guard case .scalar(let name) = event.kind else {
                throw error(
                    at: event, found: "a field name that is not a plain word", expected: "“name: value”")
            }
            path.append(name.text)
            if let first = positions.updateValue(event.position, forKey: name.text) {
                throw error(
                    at: event, found: "a duplicate field, first set on line \(first.line)",
                    expected: "each field only once"
                )
            }
            let value = try readNode(from: next())
            path.removeLast()
            fields.append(YAMLField(name: name.text, position: event.position, value: value))
        }
        depth -= 1
        return fields
    }

    private mutating func descend(at event: YAMLParser.Event) throws(YAMLError) {
        depth += 1
        guard depth <= Self.depthLimit else {
            throw error(
                at: event, found: "more than \(Self.depthLimit) nested levels",
                expected: "at most \(Self.depthLimit) levels")
        }
    }

    private func next() throws(YAMLError) -> YAMLParser.Event {
        let event: YAMLParser.Event
        do throws(YAMLError) {
            event = try parser.next()
        } catch {
            throw YAMLError(
                position: error.position, path: path, found: error.found, expected: error.expected)
        }
        if event.hasAnchor {
            throw error(at: event, found: "an anchor", expected: "a value without an anchor")
        }
        if event.hasTag { throw error(at: event, found: "a tag", expected: "a value without a tag") }
        return event
    }

    private func error(at event: YAMLParser.Event, found: String, expected: String) -> YAMLError {
        YAMLError(position: event.position, path: path, found: found, expected: expected)
    }
}

/// The reason why a file can't be read as YAML, or uses a part of YAML that isn't allowed in settings.
package struct YAMLError: Error, Sendable, Equatable {
    /// Position of the problem.
    package let position: YAMLPosition
    /// Names of the mappings that enclose the position, starting with the outermost one; empty if they are unknown.
    package let path: [String]
    /// Description of the content at the position of the problem. In messages, this text follows the word
    /// "found".
    package let found: String
    /// Description of the content that is allowed at the position. In messages, this text follows the word
    /// "expected".
    package let expected: String

    /// Creates an error. Messages contain `found` and `expected` as parts of a sentence.
    package init(position: YAMLPosition, path: [String] = [], found: String, expected: String) {
        self.position = position
        self.path = path
        self.found = found
        self.expected = expected
    }

    /// Line of the position, starting at 1.
    package var line: Int { position.line }
    /// Column of the position in characters (Unicode scalars), starting at 1.
    package var column: Int { position.column }

    /// The reason as a sentence, without the position.
    package var sentence: String { "found \(found), expected \(expected)." }
}

extension YAMLError: CustomStringConvertible {
    /// The complete message, which has the form `line:column: field: found …, expected ….`
    package var description: String {
        let field = path.isEmpty ? "" : path.joined(separator: ".") + ": "
        return "\(position): \(field)\(sentence)"
    }
}
