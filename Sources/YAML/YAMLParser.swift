internal import CMulticamYAML

/// A libyaml parser together with its input bytes. This value owns the parser and the bytes.
struct YAMLParser: ~Copyable {
    /// One parser event, copied from libyaml's memory.
    struct Event {
        enum Kind {
            case streamStart, streamEnd
            case documentStart, documentEnd
            case scalar(YAMLScalar)
            case sequenceStart, sequenceEnd
            case mappingStart, mappingEnd
            case alias
        }

        let kind: Kind
        let position: YAMLPosition
        let hasAnchor: Bool
        let hasTag: Bool
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    init(_ text: YAMLBytes) {
        parser = .allocate(capacity: 1)
        input = .allocate(capacity: text.bytes.count)
        _ = input.initialize(from: text.bytes)
        let isReady = yaml_parser_initialize(parser)
        precondition(isReady == 1, "libyaml could not allocate its parser buffers")
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// Reads the next event.
    ///
    /// - Throws: `YAMLError` if the file isn't valid YAML. The error's path is empty, because only the caller knows the
    ///   path.
    func next() throws(YAMLError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
        defer { yaml_event_delete(&event) }
        let position = YAMLPosition(line: event.start_mark.line + 1, column: event.start_mark.column + 1)
        let start = event.data
        switch event.type {
        case YAML_STREAM_START_EVENT: return Event(.streamStart, position)
        case YAML_STREAM_END_EVENT: return Event(.streamEnd, position)
        case YAML_DOCUMENT_START_EVENT: return Event(.documentStart, position)
        case YAML_DOCUMENT_END_EVENT: return Event(.documentEnd, position)
        case YAML_ALIAS_EVENT: return Event(.alias, position)
        case YAML_SEQUENCE_END_EVENT: return Event(.sequenceEnd, position)
        case YAML_MAPPING_END_EVENT: return Event(.mappingEnd, position)
        case YAML_SEQUENCE_START_EVENT:
            return Event(
                .sequenceStart, position, anchor: start.sequence_start.anchor, tag: start.sequence_start.tag)
        case YAML_MAPPING_START_EVENT:
            return Event(
                .mappingStart, position, anchor: start.mapping_start.anchor, tag: start.mapping_start.tag)
        case YAML_SCALAR_EVENT:
            let bytes = UnsafeBufferPointer(start: start.scalar.value, count: start.scalar.length)
            let scalar = YAMLScalar(
                text: String(decoding: bytes, as: UTF8.self),
                isQuoted: start.scalar.style != YAML_PLAIN_SCALAR_STYLE)
            return Event(.scalar(scalar), position, anchor: start.scalar.anchor, tag: start.scalar.tag)
        default:
            preconditionFailure("no event may be requested after the end of the stream")
        }
    }

    private func syntaxError() -> YAMLError {
        let mark = parser.pointee.problem_mark
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "invalid YAML"
        let context = parser.pointee.context.map { " " + String(cString: $0) } ?? ""
        let (found, expected) = Self.explanation(of: problem, context)
        return YAMLError(
            position: YAMLPosition(line: mark.line + 1, column: mark.column + 1), found: found,
            expected: expected)
    }

    /// Converts libyaml's token-based message into an instruction for the user.
    private static func explanation(of problem: String, _ context: String) -> (
        found: String, expected: String
    ) {
        let unmet = "did not find expected "
        switch problem {
        case "mapping values are not allowed in this context":
            return (
                "a second “name: value” pair within a value", "one field per line, or the value in quotes"
            )
        case "could not find expected ':'":
            return ("a line without a colon", "“name: value”")
        case "found character that cannot start any token":
            return ("a character that cannot begin a value", "the value in quotes")
        case "did not find expected key":
            return ("an unexpected token\(context)", "the next field, indented like the other fields")
        case _ where problem.hasPrefix(unmet):
            return ("an unexpected token\(context)", String(problem.dropFirst(unmet.count)))
        case _ where problem.hasPrefix("found "):
            return (problem.dropFirst("found ".count) + context, "valid YAML")
        default:
            return ("“\(problem)”\(context)", "valid YAML")
        }
    }
}

extension YAMLParser.Event {
    fileprivate init(
        _ kind: Kind, _ position: YAMLPosition, anchor: UnsafePointer<UInt8>? = nil,
        tag: UnsafePointer<UInt8>? = nil
    ) {
        self.init(kind: kind, position: position, hasAnchor: anchor != nil, hasTag: tag != nil)
    }
}

/// The bytes of a file, checked to be text before they are parsed.
///
/// For input that isn't text, libyaml doesn't report a line. The library also tries to detect UTF-16, and allows tabs
/// only in some places. This check reports the line and column of each error.
struct YAMLBytes {
    /// UTF-8 text without a byte order mark.
    let bytes: [UInt8]

    /// Checks the content of a file.
    ///
    /// - Throws: `YAMLError` if the file is too large, isn't UTF-8, or contains tabs or control characters.
    init(checking bytes: [UInt8]) throws(YAMLError) {
        guard bytes.count <= YAMLReader.byteLimit else {
            throw YAMLError(
                position: .start, found: "a file larger than \(YAMLReader.byteLimit) bytes",
                expected: "at most 1 MB")
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        self.bytes = hasMark ? Array(bytes.dropFirst(3)) : bytes
        try Self.check(self.bytes)
    }

    private static func check(_ bytes: [UInt8]) throws(YAMLError) {
        var position = YAMLPosition.start
        var decoder = Unicode.UTF8()
        var iterator = bytes.makeIterator()
        var previous: Unicode.Scalar?
        while true {
            switch decoder.decode(&iterator) {
            case .emptyInput:
                return
            case .error:
                throw YAMLError(
                    position: position, found: "invalid UTF-8", expected: "text in UTF-8")
            case .scalarValue(let scalar):
                if let problem = Self.problem(with: scalar) {
                    throw YAMLError(position: position, found: problem.found, expected: problem.expected)
                }
                position = Self.position(after: scalar, at: position, following: previous)
                previous = scalar
            }
        }
    }

    private static func problem(with scalar: Unicode.Scalar) -> (found: String, expected: String)? {
        switch scalar.value {
        case 0x09: ("a tab", "spaces")
        case 0x0A, 0x0D, 0x85: nil
        case 0..<0x20, 0x7F..<0xA0, 0xFEFF, 0xFFFE, 0xFFFF:
            ("the control character U+\(Self.hexadecimal(scalar.value))", "text")
        default: nil
        }
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func position(
        after scalar: Unicode.Scalar, at position: YAMLPosition, following previous: Unicode.Scalar?
    ) -> YAMLPosition {
        switch scalar.value {
        case 0x0A where previous?.value == 0x0D: position  // This is the second half of one line break.
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: YAMLPosition(line: position.line + 1, column: 1)
        default: YAMLPosition(line: position.line, column: position.column + 1)
        }
    }
}
