internal import YAML

/// The fields of one mapping of a profile whose names are fixed. A null value is the same as a field left out.
struct ProfileFields {
    let owner: ProfileValue
    private let values: [String: ProfileValue]

    /// - Throws: When it is not a mapping or has a field of another name.
    init(_ owner: ProfileValue, _ names: [String]) throws(ProfileError) {
        self.owner = owner
        var values: [String: ProfileValue] = [:]
        for entry in try owner.entries(expected: "the fields \(ProfileValue.list(names))") {
            guard names.contains(entry.name) else {
                throw entry.value.error(
                    at: entry.position, found: "an unknown field",
                    expected: ProfileValue.list(names, nearestTo: entry.name))
            }
            if !entry.value.node.isNull { values[entry.name] = entry.value }
        }
        self.values = values
    }

    func read<Value>(_ name: String, _ read: (ProfileValue) throws(ProfileError) -> Value)
        throws(ProfileError) -> Value?
    {
        guard let value = values[name] else { return nil }
        return try read(value)
    }

    func read<Value>(
        _ name: String, else usual: Value, _ read: (ProfileValue) throws(ProfileError) -> Value
    ) throws(ProfileError) -> Value {
        try self.read(name, read) ?? usual
    }

    /// The value of a field that must be there.
    func required<Value>(
        _ name: String, expected: String, _ read: (ProfileValue) throws(ProfileError) -> Value
    ) throws(ProfileError) -> Value {
        guard let value = try self.read(name, read) else {
            throw owner.error(found: "no \(name)", expected: expected)
        }
        return value
    }
}
