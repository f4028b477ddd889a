internal import Media

/// Reads the `scenes` of a profile and checks them against the profile's roles.
struct SceneReader {
    private let program: ProgramReader
    /// What a scene does not say is as in the profile's program.
    private let usual: ProgramSettings

    init(_ program: ProgramReader, usual: ProgramSettings) {
        self.program = program
        self.usual = usual
    }

    func scenes(_ value: ProfileValue) throws(ProfileError) -> [SceneSettings] {
        var scenes: [SceneSettings] = []
        for entry in try value.entries(expected: "one field a scene, for example close: { layout: single }") {
            value.problems.collecting { () throws(ProfileError) in
                guard SceneSettings.isName(entry.name) else {
                    throw entry.value.error(
                        at: entry.position, found: "the scene “\(entry.name)”",
                        expected: SceneSettings.nameRule)
                }
                scenes.append(try scene(named: entry.name, entry.value))
            }
        }
        return scenes
    }

    private func scene(named name: String, _ value: ProfileValue) throws(ProfileError) -> SceneSettings {
        let fields = try value.fields([
            "layout", "main", "inset", "corner", "scale", "margin", "border", "filling", "zoom", "pan",
            "tilt", "mix", "gains",
        ])
        let arranged = try program.arrangement(fields, of: value, usual: usual)
        return SceneSettings(
            name: name, layout: arranged.layout, main: arranged.main, insets: arranged.insets,
            corner: arranged.corner, insetShare: arranged.insetShare, marginShare: arranged.marginShare,
            border: arranged.border, filling: arranged.filling, zooms: zooms(fields),
            mix: fields.read("mix") { value throws(ProfileError) in
                try program.microphones(value, allowingOne: false)
            },
            gains: fields.read("gains", else: [:]) { value throws(ProfileError) in
                try numbers(
                    value, of: program.microphones, kind: "microphone", in: SceneSettings.gainRange,
                    expected: "decibels from -60 to 30")
            })
    }

    private func zooms(_ fields: ProfileFields) -> [String: Zoom] {
        func read(_ field: String, _ range: ClosedRange<Double>, _ expected: String) -> [String: Double] {
            fields.read(field, else: [:]) { value throws(ProfileError) in
                try numbers(value, of: program.cameras, kind: "camera", in: range, expected: expected)
            }
        }
        let factors = read("zoom", Zoom.factors, "a factor from 1 to 8")
        let pans = read("pan", Zoom.positions, "a position from -1 (left) to 1 (right)")
        let tilts = read("tilt", Zoom.positions, "a position from -1 (down) to 1 (up)")
        let roles = Set(factors.keys).union(pans.keys).union(tilts.keys)
        return Dictionary(
            roles.map { role in
                (role, Zoom(factor: factors[role] ?? 1, pan: pans[role] ?? 0, tilt: tilts[role] ?? 0))
            }
        ) { $1 }
    }

    private func numbers(
        _ value: ProfileValue, of known: [String], kind: String, in range: ClosedRange<Double>,
        expected: String
    ) throws(ProfileError) -> [String: Double] {
        var numbers: [String: Double] = [:]
        for entry in try value.entries(expected: "a number by role, for example { \(known.first ?? "a"): 1 }")
        {
            guard known.contains(entry.name) else {
                throw entry.value.error(
                    at: entry.position, found: "the role “\(entry.name)”",
                    expected: known.isEmpty
                        ? "none, as there is no \(kind)"
                        : "the role of a \(kind): \(ProfileValue.list(known, nearestTo: entry.name))")
            }
            numbers[entry.name] = try entry.value.decimal(in: range, expected: expected)
        }
        return numbers
    }
}
