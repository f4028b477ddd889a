internal import MulticamMedia
internal import MulticamYAML

/// An error in a profile: the location, the value that was found, and the value that was expected. The
/// program exits with status 2, or with 3 if the profile requests a device that doesn't exist.
public struct ProfileError: Error, Sendable, Equatable {
    /// The profile's file as specified by the user, or the path if multicam found the file.
    package let file: String
    /// Line number of the error, starting at 1; 0 if the error isn't in the text of a file.
    package let line: Int
    /// Column of the error in characters, starting at 1; 0 if the error isn't in the text of a file.
    package let column: Int
    /// Path to the field, for example `cameras.desk.rate`; empty for an error in the file as a whole.
    package let field: String
    /// The words that follow "found" in the error message.
    package let found: String
    /// The words that follow "expected" in the error message.
    package let expected: String
    /// Whether the profile itself is valid, but this computer lacks a device that it requests.
    package var isMissingDevice = false
    /// Other errors in the same file, in file order.
    package internal(set) var others: [ProfileError] = []

    /// Creates an error at a location in a profile's file.
    package init(
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
    /// This error and the other errors in the same file, in file order. Each element describes one error.
    package var lines: [String] { [description] + others.map(\.description) }
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

/// The locations of a profile's fields in its file, for errors that can be detected only after the devices
/// are known.
package struct ProfileSource: Sendable {
    /// The profile's file as specified by the user, or the path if multicam found the file; the profile's
    /// name if the profile was created without a file.
    package let file: String
    private let positions: [String: YAMLPosition]

    /// Creates the source of a profile without a file.
    package init(name: String) {
        file = name
        positions = [:]
    }

    init(file: String, root: YAMLNode) {
        self.file = file
        var positions: [String: YAMLPosition] = [:]
        Self.collect(root, path: "", into: &positions)
        self.positions = positions
    }

    /// Creates an error at a field. If the field doesn't exist in the file, the error is at the nearest
    /// enclosing field that exists.
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

    /// Whether the profile's file contains the field, even if the field's value is null.
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
    package static func == (lhs: Self, rhs: Self) -> Bool { true }
}
