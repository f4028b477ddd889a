internal import MulticamMedia
internal import MulticamYAML

/// Reads the `program` section of a profile and checks it against the profile's roles.
struct ProgramReader {
    private let value: ProfileValue
    let cameras: [String]
    let microphones: [String]

    init(_ value: ProfileValue, cameras: [String], microphones: [String]) {
        self.value = value
        self.cameras = cameras
        self.microphones = microphones
    }

    /// The fields of a program's arrangement, which scenes have, too.
    static let arrangementFields =
        ["layout", "main", "inset", "corner"] + InsetStyle.Number.allCases.map(\.rawValue) + ["fit"]

    func settings() throws(ProfileError) -> ProgramSettings {
        let fields = try value.fields(
            Self.arrangementFields + ["size", "rate", "video", "audio", "switching", "min_shot"])
        guard let first = cameras.first else {
            throw value.error(
                found: "a program without cameras", expected: "at least one camera for the program")
        }
        let usual = ProgramSettings(layout: cameras.count > 1 ? .pip : .single, main: first)
        var program = try arrangement(fields, of: value, usual: usual)
        program.size = fields.read("size", else: program.size) { value throws(ProfileError) in
            try size(value)
        }
        program.rate = fields.read("rate", else: program.rate) { value throws(ProfileError) in
            try value.rate()
        }
        program.video = fields.read("video", else: program.video) { value throws(ProfileError) in
            try VideoSettings(value)
        }
        program.audio = fields.read("audio", else: AudioSettings(mix: microphones)) {
            value throws(ProfileError) in
            try audio(value)
        }
        program.switching = fields.read("switching", else: program.switching) { value throws(ProfileError) in
            try value.choice()
        }
        program.minShot = fields.read("min_shot", else: program.minShot) {
            value throws(ProfileError) in
            try value.duration(in: .milliseconds(100) ... .seconds(3600), example: "2s")
        }
        return program
    }

    /// Reads the cameras that the program shows and their positions.
    ///
    /// - Parameters:
    ///   - fields: The fields of `value`, including the fields of an arrangement.
    ///   - value: The value of the program or of a scene.
    ///   - usual: The defaults for missing fields.
    /// - Returns: The defaults, overridden by the fields that were read.
    /// - Throws: `ProfileError` if the arrangement is invalid. Errors in individual fields are collected.
    func arrangement(
        _ fields: ProfileFields, of value: ProfileValue, usual: ProgramSettings
    ) throws(ProfileError) -> ProgramSettings {
        let layout = layout(fields, else: usual.layout)
        let problems = value.problems.count
        let main = fields.read("main", else: usual.main) { value throws(ProfileError) in
            try role(value, of: cameras, kind: "camera")
        }
        var program = usual
        if layout != usual.layout { program.style.fit = layout.defaultFit }
        (program.layout, program.main) = (layout, main)
        // If the main camera is unknown, it is also unknown which roles can be insets.
        if value.problems.count == problems {
            program.insets = insets(fields, layout: layout, main: main)
        }
        readStyle(fields, into: &program.style)
        return program
    }

    private func readStyle(_ fields: ProfileFields, into style: inout InsetStyle) {
        style.corner = fields.read("corner", else: style.corner) { value throws(ProfileError) in
            try value.choice()
        }
        for number in InsetStyle.Number.allCases {
            let (range, expected) = (number.range, number.expected)
            style[number] = fields.read(number.rawValue, else: style[number]) { value throws(ProfileError) in
                guard number.isWhole else { return try value.decimal(in: range, expected: expected) }
                let whole = Int(range.lowerBound)...Int(range.upperBound)
                return Double(try value.integer(in: whole, expected: expected))
            }
        }
        style.fit = fields.read("fit", else: style.fit) { value throws(ProfileError) in
            switch value.plainText {
            case "contain": .contain
            case "cover": .cover
            default:
                throw value.error(expected: "contain (black bars) or cover (cropped edges)")
            }
        }
    }

    func microphones(_ value: ProfileValue, allowingOne: Bool) throws(ProfileError) -> [String] {
        try roles(value, of: microphones, kind: "microphone", allowingOne: allowingOne)
    }

    private func layout(
        _ fields: ProfileFields, else usual: ProgramLayout
    ) -> ProgramLayout {
        fields.read("layout", else: usual) { value throws(ProfileError) in
            let layout: ProgramLayout = try value.choice()
            if cameras.count < layout.minimumCameras {
                throw value.error(
                    found:
                        "“\(layout.rawValue)” with \(cameras.count) camera\(cameras.count == 1 ? "" : "s")",
                    expected: "at least \(layout.minimumCameras) cameras, or \(ProgramLayout.single.rawValue)"
                )
            }
            return layout
        }
    }

    /// Reads the cameras other than the main camera. The layout determines how many of these cameras are
    /// shown by default.
    private func insets(
        _ fields: ProfileFields, layout: ProgramLayout, main: String
    ) -> [String] {
        let others = cameras.filter { $0 != main }
        let usual = layout.profileCameras.map { Array(others.prefix($0 - 1)) } ?? others
        return fields.read("inset", else: usual) { value throws(ProfileError) in
            let roles = try roles(value, of: cameras, kind: "camera", allowingOne: true)
            if roles.contains(main) {
                throw value.error(
                    found: "“\(main)”, which is already the main camera", expected: ProfileValue.list(others))
            }
            if roles.count + 1 < layout.minimumCameras {
                let found = roles.isEmpty ? "an empty list" : "too few roles"
                throw value.error(found: found, expected: ProfileValue.list(others))
            }
            return roles
        }
    }

    /// Reads a frame size with even dimensions, as required by H.264 with 4:2:0 chroma subsampling.
    private func size(_ value: ProfileValue) throws(ProfileError) -> FrameSize {
        let size = try value.size()
        guard [size.width, size.height].allSatisfy({ $0 % 2 == 0 && (64...8192).contains($0) }) else {
            throw value.error(
                expected: "a size with even sides from 64 to 8192 pixels, for example 1920x1080")
        }
        return size
    }

    private func audio(_ value: ProfileValue) throws(ProfileError) -> AudioSettings {
        let fields = try value.fields(["codec", "bitrate", "mix", "processing"])
        let usual = AudioSettings(mix: microphones)
        var settings = AudioSettings(
            bitrate: fields.read("bitrate", else: usual.bitrate) { value throws(ProfileError) in
                try value.bitrate(in: 32_000...512_000)
            },
            mix: fields.read("mix", else: usual.mix) { value throws(ProfileError) in
                try microphones(value, allowingOne: false)
            })
        settings.codec = fields.read("codec", else: usual.codec) { value throws(ProfileError) in
            try value.choice()
        }
        settings.processing = fields.read("processing", else: .off) { value throws(ProfileError) in
            try value.soundProcessing()
        }
        return settings
    }

    private func roles(
        _ value: ProfileValue, of known: [String], kind: String, allowingOne: Bool
    ) throws(ProfileError) -> [String] {
        var roles: [String] = []
        for item in try value.items(
            allowingOne: allowingOne, expected: "a list of roles, for example [\(known.first ?? "")]")
        {
            let name = try role(item, of: known, kind: kind)
            if roles.contains(name) {
                throw item.error(found: "“\(name)” more than once", expected: "each \(kind) only once")
            }
            roles.append(name)
        }
        return roles
    }

    private func role(_ value: ProfileValue, of known: [String], kind: String) throws(ProfileError) -> String
    {
        if let name = value.plainText, known.contains(name) { return name }
        let roles =
            known.isEmpty
            ? "no role, because the profile does not have a \(kind)"
            : "the role of a \(kind): \(ProfileValue.list(known, nearestTo: value.plainText))"
        throw value.error(expected: roles)
    }
}

/// Reads the `scenes` section of a profile and checks it against the profile's roles.
struct SceneReader {
    private let program: ProgramReader
    /// Defaults for a scene's missing settings, taken from the profile's program.
    private let defaults: ProgramSettings

    init(_ program: ProgramReader, defaults: ProgramSettings) {
        self.program = program
        self.defaults = defaults
    }

    func scenes(_ value: ProfileValue) throws(ProfileError) -> [SceneSettings] {
        var scenes: [SceneSettings] = []
        for entry in try value.entries(expected: "one field per scene, for example close: { layout: single }")
        {
            value.problems.collecting { () throws(ProfileError) in
                guard SceneSettings.isValidName(entry.name) else {
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
        let fields = try value.fields(
            ProgramReader.arrangementFields + ["zoom", "pan", "tilt", "mix", "gains"])
        let arranged = try program.arrangement(fields, of: value, usual: defaults)
        return SceneSettings(
            name: name, layout: arranged.layout, main: arranged.main, insets: arranged.insets,
            style: arranged.style, zooms: zooms(fields),
            mix: fields.read("mix") { value throws(ProfileError) in
                try program.microphones(value, allowingOne: false)
            },
            gains: fields.read("gains", else: [:]) { value throws(ProfileError) in
                try numbers(
                    value, of: program.microphones, kind: "microphone", in: SceneSettings.gainRange,
                    expected: "a gain in decibels from -60 to 30")
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
        for entry in try value.entries(
            expected: "a number for each role, for example { \(known.first ?? "a"): 1 }")
        {
            guard known.contains(entry.name) else {
                throw entry.value.error(
                    at: entry.position, found: "the role “\(entry.name)”",
                    expected: known.isEmpty
                        ? "no role, because the profile does not have a \(kind)"
                        : "the role of a \(kind): \(ProfileValue.list(known, nearestTo: entry.name))")
            }
            numbers[entry.name] = try entry.value.decimal(in: range, expected: expected)
        }
        return numbers
    }
}
