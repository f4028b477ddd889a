/// A text that must not be shown: a passphrase, a key, a token. Whatever prints it prints `(secret)`.
public struct Secret: Sendable, Hashable {
    /// The text itself.
    public let value: String

    /// Keeps a text.
    public init(_ value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `(secret)`.
    public var description: String { "(secret)" }
    /// `(secret)`.
    public var debugDescription: String { description }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Codable {
    /// Reads a single string.
    ///
    /// - Throws: `DecodingError` when the value is no string.
    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes a single string: only for the pipe to the live process.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
