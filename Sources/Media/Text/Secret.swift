/// Text that must not be shown, such as a passphrase, a key, or a token. Printing a secret outputs
/// `(secret)`.
package struct Secret: Sendable, Hashable {
    /// The secret text itself.
    package let value: String

    /// Creates a secret from text.
    package init(_ value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the text `(secret)`.
    package var description: String { "(secret)" }
    /// Always the text `(secret)`.
    package var debugDescription: String { description }
    /// A mirror without children, so that reflection can't show the text.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Codable {
    /// Decodes a secret from a single string.
    ///
    /// - Throws: `DecodingError` if the value isn't a string.
    package init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the secret as a single string. Encode secrets only to send them to another multicam process
    /// over a pipe.
    ///
    /// - Throws: Any error thrown by the encoder.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
