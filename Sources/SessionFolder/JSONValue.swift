package import FoundationEssentials

/// A JSON value, for messages with variable or partly known fields.
package enum JSONValue: Sendable, Equatable, Codable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case array([JSONValue])
    case object([String: JSONValue])
    case null

    /// Encodes the bare value without an enum case name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .boolean(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .null: try container.encodeNil()
        }
    }
}

extension JSONValue {
    /// Decodes any JSON value. Integers that fit in 64 bits stay exact; other numbers become `Double`.
    ///
    /// - Throws: `DecodingError` for a number that neither `Int64` nor `Double` can represent.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = Self.decode(String.self, container) {
            self = .string(value)
        } else if let value = Self.decode(Int64.self, container) {
            self = .integer(value)
        } else if let value = Self.decode(Bool.self, container) {
            self = .boolean(value)
        } else if let value = Self.decode(Double.self, container) {
            self = .number(value)
        } else if let value = Self.decode([JSONValue].self, container) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ container: any SingleValueDecodingContainer
    ) -> Value? {
        do { return try container.decode(type) } catch { return nil }
    }

    /// Returns a field of an object, or `nil` if the field is missing or the value isn't an object.
    package subscript(_ name: String) -> JSONValue? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }

    /// The string value; `nil` for other types.
    package var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The integer value; `nil` for other types.
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The array elements; `nil` for other types.
    package var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
}

/// The JSON encoding conventions of multicam: keys are sorted, so that equal values produce identical bytes, and
/// slashes are not escaped.
///
/// JSON cannot represent infinity or NaN. These values are written as the strings `inf`, `-inf` and `nan`, which
/// `decoder()` accepts. An invalid measurement therefore never prevents a file from being written.
package enum JSONText {
    /// Encodes a value as a single line without a trailing newline.
    package static func line(_ value: some Encodable) -> String {
        String(decoding: data(value, [.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }

    /// Encodes a value with indentation, for human-readable files.
    package static func pretty(_ value: some Encodable) -> Data {
        data(value, [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
    }

    /// Returns a decoder for the output of `line(_:)` and `pretty(_:)`, including `inf`, `-inf` and `nan`.
    package static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
        return decoder
    }

    private static let infinity = "inf"
    private static let notANumber = "nan"

    private static func data(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
        do {
            return try encoder.encode(value)
        } catch {
            preconditionFailure("an internal value cannot be written as JSON: \(error)")
        }
    }
}
