internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamProfiles

/// Generates the documentation of session events from the payload types of the events.
package enum EventReference {
    /// A field of a JSON object.
    struct Field {
        let name: String
        let type: Any.Type
        let isRequired: Bool
    }

    /// Rows of the table in `docs/reference/events.md`: event, meaning, and fields, as Markdown.
    package static var rows: [[String]] {
        SessionEvent.Name.allCases.map { name in
            let fields = fields(of: name.payload)
            let required = fields.filter(\.isRequired).map(text)
            let optional = fields.filter { !$0.isRequired }.map(text)
            let parts =
                [required.joined(separator: ", ")]
                + (optional.isEmpty ? [] : ["optional: \(optional.joined(separator: ", "))"])
            return [
                "`\(name.rawValue)`", name.payload.meaning,
                parts.filter { !$0.isEmpty }.joined(separator: "; "),
            ]
        }
    }

    /// The JSON Schema of one line of `events.ndjson`.
    package static var schema: JSONValue {
        let events = SessionEvent.Name.allCases.map { name in
            object(
                fields(of: name.payload), describedBy: name.payload.meaning,
                with: [
                    "event": .object(["const": .string(name.rawValue)]),
                    "at_ns": .object(["type": "integer"]),
                ])
        }
        return .object([
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "A line of events.ndjson of a multicam session folder",
            "description":
                "`at_ns` is the time since T0 in nanoseconds. Readers should ignore unknown events and fields of later versions.",
            "oneOf": .array(events),
        ])
    }

    private static func text(of field: Field) -> String {
        let name = "`\(field.name)`"
        if let values = values(of: field.type) {
            return "\(name) (\(values.map { "`\($0)`" }.joined(separator: ", ")))"
        }
        guard let list = field.type as? any ListType.Type, !(list.element is String.Type),
            let element = list.element as? any Decodable.Type
        else { return name }
        return "\(name) (each \(fields(of: element).map { "`\($0.name)`" }.joined(separator: ", ")))"
    }

    private static func object(
        _ fields: [Field], describedBy text: String? = nil, with others: [String: JSONValue] = [:]
    ) -> JSONValue {
        var properties = others
        for field in fields { properties[field.name] = schema(of: field.type) }
        var object: [String: JSONValue] = [
            "type": "object", "properties": .object(properties), "additionalProperties": false,
            "required": .array(
                (others.keys.sorted() + fields.filter(\.isRequired).map(\.name)).map { .string($0) }),
        ]
        if let text { object["description"] = .string(text) }
        return .object(object)
    }

    private static func schema(of type: Any.Type) -> JSONValue {
        if let values = values(of: type) { return .object(["enum": .array(values.map { .string($0) })]) }
        if let list = type as? any ListType.Type {
            return .object(["type": "array", "items": schema(of: list.element)])
        }
        return switch type {
        case is String.Type: .object(["type": "string"])
        case is Int64.Type: .object(["type": "integer"])
        case is Double.Type: .object(["type": "number"])
        case is FramePart.Type:
            .object([
                "type": "object", "description": "A part of the upright frame, in fractions of its size.",
                "properties": .object(
                    Dictionary(
                        uniqueKeysWithValues: ["x", "y", "width", "height"].map {
                            ($0, .object(["type": "number"]))
                        })), "required": .array(["x", "y", "width", "height"]),
            ])
        case is SessionEvent.Level.Type: .object(["type": .array(["number", "null"])])
        case is Manifest.Arrangement.Type:
            .object(["type": "object", "description": "Same as `arrangements` in manifest.schema.json."])
        case is FramingMotion.Type:
            .object([
                "type": "object",
                "description": "Same as `motion` of the layers of `arrangements` in manifest.schema.json.",
            ])
        case let type as any Decodable.Type: object(fields(of: type))
        default: preconditionFailure("an event has a field of the unsupported type \(type)")
        }
    }

    /// Returns the values of an enumeration whose raw values are strings; `nil` for any other type.
    private static func values(of type: Any.Type) -> [String]? {
        func texts<Value: CaseIterable>(_ type: Value.Type) -> [String]? {
            let texts = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
            return texts.isEmpty ? nil : texts
        }
        return (type as? any CaseIterable.Type).flatMap { texts($0) }
    }

    /// Returns an event with placeholder values in all fields.
    static func sample(of name: SessionEvent.Name) throws -> SessionEvent.Content {
        try SessionEvent.Content(name, from: FieldRecorder())
    }

    /// Returns the fields of a type, in the order of their declaration.
    static func fields(of type: any Decodable.Type) -> [Field] {
        let recorder = FieldRecorder()
        do {
            _ = try type.init(from: recorder)
        } catch {
            preconditionFailure("the fields of \(type) can't be determined: \(error)")
        }
        return recorder.fields
    }
}

/// An array type that exposes the type of its elements.
private protocol ListType {
    static var element: Any.Type { get }
    static var empty: Self { get }
}

extension Array: ListType {
    fileprivate static var element: Any.Type { Element.self }
    fileprivate static var empty: Self { [] }
}

/// A decoder that records which fields a type decodes. The decoded values are placeholders.
private final class FieldRecorder: Decoder {
    var fields: [EventReference.Field] = []
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    struct Unsupported: Error {}

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container(recorder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unsupported() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unsupported() }

    /// Records whether a field is optional. A type that decodes an optional field first checks whether the
    /// field is present.
    private final class Presence {
        var isChecked = false
    }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let recorder: FieldRecorder
        private let presence = Presence()
        let codingPath: [any CodingKey] = []
        let allKeys: [Key] = []

        init(recorder: FieldRecorder) { self.recorder = recorder }

        func contains(_ key: Key) -> Bool {
            presence.isChecked = true
            return true
        }

        func decodeNil(forKey key: Key) -> Bool { false }

        private func value<Value>(_ value: Value, _ key: Key) -> Value {
            recorder.fields.append(
                EventReference.Field(
                    name: key.stringValue, type: Value.self, isRequired: !presence.isChecked))
            presence.isChecked = false
            return value
        }

        func decode(_ type: Bool.Type, forKey key: Key) -> Bool { value(false, key) }
        func decode(_ type: String.Type, forKey key: Key) -> String { value("", key) }
        func decode(_ type: Double.Type, forKey key: Key) -> Double { value(0, key) }
        func decode(_ type: Float.Type, forKey key: Key) -> Float { value(0, key) }
        func decode(_ type: Int.Type, forKey key: Key) -> Int { value(0, key) }
        func decode(_ type: Int8.Type, forKey key: Key) -> Int8 { value(0, key) }
        func decode(_ type: Int16.Type, forKey key: Key) -> Int16 { value(0, key) }
        func decode(_ type: Int32.Type, forKey key: Key) -> Int32 { value(0, key) }
        func decode(_ type: Int64.Type, forKey key: Key) -> Int64 { value(0, key) }
        func decode(_ type: UInt.Type, forKey key: Key) -> UInt { value(0, key) }
        func decode(_ type: UInt8.Type, forKey key: Key) -> UInt8 { value(0, key) }
        func decode(_ type: UInt16.Type, forKey key: Key) -> UInt16 { value(0, key) }
        func decode(_ type: UInt32.Type, forKey key: Key) -> UInt32 { value(0, key) }
        func decode(_ type: UInt64.Type, forKey key: Key) -> UInt64 { value(0, key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            func first<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { type.allCases.first }
            let sample: Any? =
                switch type {
                case let type as any CaseIterable.Type: first(type)
                case let type as any ListType.Type: type.empty
                case is SessionEvent.Level.Type: SessionEvent.Level(nil)
                case is FramePart.Type: FramePart.whole
                case is FramingMotion.Type: FramingMotion.wide
                case is Manifest.Arrangement.Type:
                    Manifest.Arrangement(at_ns: 0, layout: .single, layers: [], gains: [:])
                default: nil
                }
            guard let sample = sample as? Value else { throw Unsupported() }
            return value(sample, key)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw Unsupported() }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw Unsupported()
        }

        func superDecoder() throws -> any Decoder { throw Unsupported() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw Unsupported() }
    }
}
