internal import Media

/// An error in a profile: its place, what was found there and what was expected. The program exits with status 2, or with 3
/// where the profile asks for a device that does not exist.
public struct ProfileError: Error, Sendable, Equatable {
    /// The file as the user named it, or where it was found.
    public let file: String
    /// The line, counted from 1; 0 when the error is not in the text of a file.
    public let line: Int
    /// The column in characters, counted from 1; 0 when the error is not in the text of a file.
    public let column: Int
    /// The path to the field, for example `cameras.desk.rate`; empty for an error of the whole file.
    public let field: String
    /// The words that follow “found” in the message.
    public let found: String
    /// The words that follow “expected” in the message.
    public let expected: String
    /// Whether the profile itself is right, and this computer lacks a device that it asks for.
    public var isMissingDevice = false
    /// Further errors in the same file, in its order.
    public internal(set) var others: [ProfileError] = []

    /// Creates an error at a place of a file.
    public init(
        file: String, line: Int = 0, column: Int = 0, field: String = "", found: String, expected: String
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.field = field
        self.found = found
        self.expected = expected
    }
}

extension ProfileError {
    /// This error and the others, in the file's order, one line each.
    public var lines: [String] { [description] + others.map(\.description) }
}

extension ProfileError: CustomStringConvertible {
    /// The error in one line: `pip.yaml:4:17: cameras.desk.rate: found “fast”, expected ….`
    public var description: String {
        let place =
            line > 0 ? "\(file.printable(limit: 1000)):\(line):\(column)" : file.printable(limit: 1000)
        let subject = field.isEmpty ? "" : "\(field.printable()): "
        return "\(place): \(subject)found \(found.printable()), expected \(expected.printable(limit: 2000))."
    }
}
