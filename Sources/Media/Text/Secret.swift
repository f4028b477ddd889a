/// Text that must not be shown, such as a passphrase, a key, or a token. Printing a secret outputs `(secret)`.
public struct Secret: Sendable, Hashable {
    /// The secret text itself.
    public let value: String

    /// Creates a secret from text.
    public init(_ value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `(secret)`.
    public var description: String { "(secret)" }
    /// Always `(secret)`.
    public var debugDescription: String { description }
    /// A mirror without children, so that reflection can't show the text.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Codable {
    /// Decodes a single string.
    ///
    /// - Throws: `DecodingError` if the value isn't a string.
    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes a single string. Encode secrets only for the pipe to the live process.
    ///
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
