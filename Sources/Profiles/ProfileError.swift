internal import Media
internal import YAML

/// An error in a profile: its location, the value found, and the value expected. The program exits with status 2, or
/// with 3 if the profile requests a device that doesn't exist.
public struct ProfileError: Error, Sendable, Equatable {
    /// The file as the user named it, or its path if multicam found it.
    public let file: String
    /// The line, counted from 1; 0 if the error isn't in a file's text.
    public let line: Int
    /// The column in characters, counted from 1; 0 if the error isn't in a file's text.
    public let column: Int
    /// Path to the field, for example `cameras.desk.rate`; empty for an error in the file as a whole.
    public let field: String
    /// The words that follow "found" in the message.
    public let found: String
    /// The words that follow "expected" in the message.
    public let expected: String
    /// Whether the profile itself is valid, but this computer lacks a device that it requests.
    public var isMissingDevice = false
    /// Other errors in the same file, in file order.
    public internal(set) var others: [ProfileError] = []

    /// Creates an error at a location in a file.
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
    /// This error and the others, in file order, one per line.
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

/// The locations of a profile's fields in its file, for errors that can be detected only once the devices are
/// known.
public struct ProfileSource: Sendable {
    /// The file as the user named it, or its path if multicam found it; the profile's name if it was created without a
    /// file.
    public let file: String
    private let positions: [String: YAMLPosition]

    /// Creates the source of a profile without a file.
    public init(name: String) {
        file = name
        positions = [:]
    }

    init(file: String, root: YAMLNode) {
        self.file = file
        var positions: [String: YAMLPosition] = [:]
        Self.collect(root, path: "", into: &positions)
        self.positions = positions
    }

    /// Creates an error at a field, or at its nearest enclosing field that exists in the file.
    package func error(at field: String, found: String, expected: String) -> ProfileError {
        var place = field[...]
        while positions[String(place)] == nil, let dot = place.lastIndex(of: ".") { place = place[..<dot] }
        let position = positions[String(place)] ?? positions[""]
        return ProfileError(
            file: file, line: position?.line ?? 0, column: position?.column ?? 0, field: field, found: found,
            expected: expected)
    }

    /// Whether the profile was read from text instead of created by code.
    package var isText: Bool { !positions.isEmpty }

    /// Whether the file contains the field, even if its value is null.
    package func has(_ field: String) -> Bool { positions[field] != nil }

    private static func collect(_ node: YAMLNode, path: String, into positions: inout [String: YAMLPosition])
    {
        positions[path] = node.position
        guard case .mapping(let fields) = node.content else { return }
        for field in fields {
            collect(field.value, path: path.isEmpty ? field.name : "\(path).\(field.name)", into: &positions)
        }
    }
}

extension ProfileSource: Equatable {
    /// Always true, so that the location of a profile doesn't affect its equality.
    public static func == (lhs: Self, rhs: Self) -> Bool { true }
}
