internal import YAML

/// The fields of one mapping of a profile whose names are fixed. A null value is the same as a field left out.
struct ProfileFields {
    let owner: ProfileValue
    private let values: [String: ProfileValue]

    /// Reads the fields of a mapping. A field that is not among `names` is added to the file's problems.
    ///
    /// - Throws: `ProfileError` when the value is not a mapping.
    init(_ owner: ProfileValue, _ names: [String]) throws(ProfileError) {
        self.owner = owner
        var values: [String: ProfileValue] = [:]
        for entry in try owner.entries(expected: "the fields \(ProfileValue.list(names))") {
            guard names.contains(entry.name) else {
                owner.problems.add(
                    entry.value.error(
                        at: entry.position, found: "an unknown field",
                        expected: ProfileValue.list(names, nearestTo: entry.name)))
                continue
            }
            if !entry.value.node.isNull { values[entry.name] = entry.value }
        }
        self.values = values
    }

    /// Whether a field is there.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// Reads a field; `nil` where it is left out. An error in it is collected, and the field counts as left out.
    func read<Value>(_ name: String, _ read: (ProfileValue) throws(ProfileError) -> Value) -> Value? {
        guard let value = values[name] else { return nil }
        return owner.problems.collecting { () throws(ProfileError) in try read(value) }
    }

    func read<Value>(
        _ name: String, else usual: Value, _ read: (ProfileValue) throws(ProfileError) -> Value
    ) -> Value {
        self.read(name, read) ?? usual
    }

    /// Reads a field that must be there.
    func required<Value>(
        _ name: String, expected: String, _ read: (ProfileValue) throws(ProfileError) -> Value
    ) throws(ProfileError) -> Value {
        guard let value = values[name] else {
            throw owner.error(found: "no \(name)", expected: expected)
        }
        return try read(value)
    }
}
