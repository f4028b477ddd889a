internal import CYAML

/// A libyaml parser with the bytes it reads. Owns both.
struct YAMLParser: ~Copyable {
    /// One step of the file, copied out of libyaml's memory.
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
        precondition(isReady == 1, "libyaml has memory for its first buffers")
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
    /// - Throws: `YAMLError` when the file is not YAML; its path is empty, as only the caller knows it.
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
            preconditionFailure("libyaml ends with a stream end, after which nobody asks")
        }
    }

    private func syntaxError() -> YAMLError {
        let mark = parser.pointee.problem_mark
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "something that is not YAML"
        let context = parser.pointee.context.map { " " + String(cString: $0) } ?? ""
        let (found, expected) = Self.explanation(of: problem, context)
        return YAMLError(
            position: YAMLPosition(line: mark.line + 1, column: mark.column + 1), found: found,
            expected: expected)
    }

    /// Turns libyaml's message, which speaks of tokens, into words that say what to change.
    private static func explanation(of problem: String, _ context: String) -> (
        found: String, expected: String
    ) {
        let unmet = "did not find expected "
        switch problem {
        case "mapping values are not allowed in this context":
            return (
                "a second “name: value” where one value stands", "one field a line, or the value in quotes"
            )
        case "could not find expected ':'":
            return ("a line without a colon", "“name: value”")
        case "found character that cannot start any token":
            return ("a character that cannot begin a value", "the value in quotes")
        case "did not find expected key":
            return ("something else\(context)", "the next field, as far to the right as its neighbours")
        case _ where problem.hasPrefix(unmet):
            return ("something else\(context)", String(problem.dropFirst(unmet.count)))
        case _ where problem.hasPrefix("found "):
            return (problem.dropFirst("found ".count) + context, "YAML")
        default:
            return ("“\(problem)”\(context)", "YAML")
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
