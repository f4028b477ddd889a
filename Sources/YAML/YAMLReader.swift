/// Reads a settings file into a tree that keeps the order and the position of every field.
///
/// It accepts only the part of YAML that settings need: one document of mappings, sequences and scalars. Duplicate
/// names, anchors, aliases, tags, several documents and tabs are refused, because they mislead readers of the file.
public struct YAMLReader: ~Copyable {
    /// Largest size of a file in bytes.
    public static let byteLimit = 1_048_576
    /// Largest number of mappings and sequences inside each other.
    public static let depthLimit = 32

    private let parser: YAMLParser
    /// Names of the open mappings, for errors.
    private var path: [String] = []
    private var depth = 0

    /// Reads a whole file.
    ///
    /// - Parameter bytes: UTF-8 with or without a byte order mark; any content is safe.
    /// - Returns: The root. An empty file is a null scalar at 1:1.
    /// - Throws: `YAMLError` with its position, for anything that is not the accepted part of YAML, not UTF-8 or beyond
    ///   the limits.
    public static func read(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode {
        var reader = Self(parser: YAMLParser(try YAMLBytes(checking: bytes)))
        return try reader.readDocument()
    }

    private init(parser: consuming YAMLParser) {
        self.parser = parser
    }

    private mutating func readDocument() throws(YAMLError) -> YAMLNode {
        _ = try next()  // The stream's start.
        guard case .documentStart = try next().kind else {
            return YAMLNode(position: .start, content: .scalar(YAMLScalar(text: "", isQuoted: false)))
        }
        let root = try readNode(from: next())
        _ = try next()  // The document's end.
        let last = try next()
        guard case .streamEnd = last.kind else {
            throw YAMLError(
                position: last.position, found: "a second document", expected: "one document a file")
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
            preconditionFailure("libyaml begins a node where it announced one")
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
                throw error(at: event, found: "a field whose name is not a word", expected: "“name: value”")
            }
            path.append(name.text)
            if let first = positions.updateValue(event.position, forKey: name.text) {
                throw error(
                    at: event, found: "the field a second time, after line \(first.line)", expected: "it once"
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
                at: event, found: "more than \(Self.depthLimit) levels inside each other",
                expected: "at most \(Self.depthLimit)")
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
        if event.hasAnchor { throw error(at: event, found: "an anchor", expected: "the value without one") }
        if event.hasTag { throw error(at: event, found: "a tag", expected: "the value without one") }
        return event
    }

    private func error(at event: YAMLParser.Event, found: String, expected: String) -> YAMLError {
        YAMLError(position: event.position, path: path, found: found, expected: expected)
    }
}
