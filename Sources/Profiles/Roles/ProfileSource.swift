internal import YAML

/// Where the fields of a profile stand, for errors that only show once the devices are known.
public struct ProfileSource: Sendable {
    /// As the user named it, or where it was found; the profile's name when a program made it.
    public let file: String
    private let positions: [String: YAMLPosition]

    /// Of a profile that no file holds.
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

    /// An error at a field, or at the nearest one around it that the file has.
    package func error(at field: String, found: String, expected: String) -> ProfileError {
        var place = field[...]
        while positions[String(place)] == nil, let dot = place.lastIndex(of: ".") { place = place[..<dot] }
        let position = positions[String(place)] ?? positions[""]
        return ProfileError(
            file: file, line: position?.line ?? 0, column: position?.column ?? 0, field: field, found: found,
            expected: expected)
    }

    /// Whether the file has the field, if only as null.
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
    /// Always: where a profile is written is no part of what it says.
    public static func == (lhs: Self, rhs: Self) -> Bool { true }
}
