internal import Media

extension ProfileReader {
    /// Reads `title`, `people` and `edit`.
    func editing(_ fields: ProfileFields, roles: [String]) -> EditingSettings {
        EditingSettings(
            title: fields.read("title") { value throws(ProfileError) in
                try value.text(limit: 200, expected: "a title of at most 200 characters")
            },
            people: fields.read("people", else: [:]) { value throws(ProfileError) in
                try people(value, roles: roles)
            },
            formats: fields.read("edit", else: []) { value throws(ProfileError) -> [EditFormat] in
                let words = EditFormat.allCases.map(\.rawValue)
                var formats: [EditFormat] = []
                for item in try value.items(
                    allowingOne: true, expected: "formats such as [fcpxml, otio]: \(ProfileValue.list(words))"
                ) {
                    let format: EditFormat = try item.choice()
                    if !formats.contains(format) { formats.append(format) }
                }
                return formats
            })
    }

    private func people(_ value: ProfileValue, roles: [String]) throws(ProfileError) -> [String: String] {
        var people: [String: String] = [:]
        for entry in try value.entries(expected: "a name for each role, for example { host: Ada }") {
            guard roles.contains(entry.name) else {
                throw entry.value.error(
                    at: entry.position, found: "the role “\(entry.name.printable())”",
                    expected: ProfileValue.list(roles, nearestTo: entry.name))
            }
            people[entry.name] = try entry.value.text(
                limit: 100, expected: "a name of at most 100 characters")
        }
        return people
    }
}
