/// A JSON value, for messages whose fields differ, or are known only in part.
public enum JSONValue: Sendable, Equatable, Codable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case array([JSONValue])
    case object([String: JSONValue])
    case null

    /// Encodes the value as itself, without the name of its case.
    public func encode(to encoder: any Encoder) throws {
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
    /// Decodes a value of any kind. Whole numbers of 64 bits stay exact; others are numbers of double precision.
    ///
    /// - Throws: `DecodingError` for a number that none of both can be.
    public init(from decoder: any Decoder) throws {
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

    /// A field of an object; `nil` where there is none, and for what is no object.
    public subscript(_ name: String) -> JSONValue? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }

    /// The text, of a string.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The whole number, of one.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The values, of an array.
    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
}
