internal import YAML

/// The places of a profile's fields in its file, for errors that only show once the devices are known.
public struct ProfileSource: Sendable {
    /// The file as the user named it, or where it was found; the profile's name when no file holds it.
    public let file: String
    private let positions: [String: YAMLPosition]

    /// Creates the source of a profile that no file holds.
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

    /// Creates an error at a field, or at the nearest enclosing field that the file has.
    package func error(at field: String, found: String, expected: String) -> ProfileError {
        var place = field[...]
        while positions[String(place)] == nil, let dot = place.lastIndex(of: ".") { place = place[..<dot] }
        let position = positions[String(place)] ?? positions[""]
        return ProfileError(
            file: file, line: position?.line ?? 0, column: position?.column ?? 0, field: field, found: found,
            expected: expected)
    }

    /// Whether the profile was read from a text, and not made by a program.
    package var isText: Bool { !positions.isEmpty }

    /// Whether the file has the field, even if it is null.
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
    /// Always true: the place where a profile is written does not make it another profile.
    public static func == (lhs: Self, rhs: Self) -> Bool { true }
}
