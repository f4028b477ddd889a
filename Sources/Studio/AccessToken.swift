internal import FileSystem
internal import FoundationEssentials
internal import Media

/// A secret of 128 random bits that lets its bearer in, as 22 characters of base64url (RFC 4648, section 5).
public struct AccessToken: Sendable, Equatable, Codable {
    /// The characters of the token.
    public let text: String

    /// Draws a token from the system's random numbers (getrandom(2)).
    public static func random() -> AccessToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return AccessToken(
            text: Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: ""))
    }

    package init(text: String) { self.text = text }

    /// The token that a file keeps, drawn now where it keeps none. Where it cannot be kept, it holds until this process ends.
    ///
    /// - Parameter path: Path of the file, readable by this user alone; its folder is made.
    /// - Returns: The token.
    package static func kept(at path: String) -> AccessToken {
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
            // The next studio draws another one, and phones scan their code again.
        }
        return token
    }

    /// Takes the token as a string of JSON.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the token as a string of JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Compares in a time that does not tell how many characters are right.
    ///
    /// - Parameter candidate: What somebody says is the token.
    /// - Returns: Whether it is.
    package func matches(_ candidate: String) -> Bool {
        let (mine, theirs) = (Array(text.utf8), Array(candidate.utf8))
        guard !mine.isEmpty, mine.count == theirs.count else { return false }
        return zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
