internal import Media

/// What is wrong with a profile: where, what stands there, what should. Ends the program with exit status 2, or 3 where the
/// profile asks for a device that there is not.
public struct ProfileError: Error, Sendable, Equatable {
    /// As the user named it, or where it was found.
    public let file: String
    /// From 1; 0 when the error is not in the file's text (it is not there, or was made by a program).
    public let line: Int
    /// From 1, in characters; 0 as with `line`.
    public let column: Int
    /// The path to the field, for example `cameras.desk.rate`; empty when the whole file is meant.
    public let field: String
    /// The object of “found”.
    public let found: String
    /// The object of “expected”.
    public let expected: String
    /// Whether nothing is wrong with the profile elsewhere: this computer lacks what it asks for.
    public var isMissingDevice = false
    /// What else is wrong with the same file, further down.
    public internal(set) var others: [ProfileError] = []

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
    /// This error and the others, in the file's order: one line each.
    public var lines: [String] { [description] + others.map(\.description) }
}

extension ProfileError: CustomStringConvertible {
    /// One line: `pip.yaml:4:17: cameras.desk.rate: found “fast”, expected ….`
    public var description: String {
        let place =
            line > 0 ? "\(file.printable(limit: 1000)):\(line):\(column)" : file.printable(limit: 1000)
        let subject = field.isEmpty ? "" : "\(field.printable()): "
        return "\(place): \(subject)found \(found.printable()), expected \(expected.printable(limit: 2000))."
    }
}
