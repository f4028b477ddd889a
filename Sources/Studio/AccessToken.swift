internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSystem

/// A secret that grants access to anyone who presents it. The token consists of 128 random bits, encoded as 22
/// characters of base64url (RFC 4648, section 5).
package struct AccessToken: Sendable, Equatable, Codable {
    /// The characters of the token.
    package let text: String

    /// Creates a token from the system's random number generator (getrandom(2)).
    package static func random() -> AccessToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return AccessToken(
            text: Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: ""))
    }

    package init(text: String) { self.text = text }

    /// Returns the token stored in a file. If the file doesn't contain a valid token, creates one and stores it. If the
    /// token can't be stored, it is valid until this process ends.
    ///
    /// - Parameter path: Path of the file, readable only by this user. The folder is created if needed.
    /// - Returns: The stored or new token.
    package static func loadOrCreate(at path: String) -> AccessToken {
        let text =
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self).trimmed }
            ?? ""
        let isToken = text.utf8.count == 22 && text.isPlain
        if isToken { return AccessToken(text: text) }
        let token = random()
        do throws(FileError) {
            try FolderCreation.make(
                String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)), permissions: 0o700)
            try FileReplacement.write(Array(token.text.utf8), to: path, permissions: 0o600)
        } catch {
            // The next run of `multicam studio` creates a different token, and phones must scan the QR code again.
        }
        return token
    }

    /// Decodes the token from a JSON string.
    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the token as a JSON string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Compares the token with a text in constant time, so that the duration doesn't reveal how many characters match.
    ///
    /// - Parameter candidate: The text to compare.
    /// - Returns: Whether the text equals the token.
    package func matches(_ candidate: String) -> Bool {
        let (mine, theirs) = (Array(text.utf8), Array(candidate.utf8))
        guard !mine.isEmpty, mine.count == theirs.count else { return false }
        return zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
