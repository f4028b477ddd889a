internal import MulticamMedia
internal import MulticamYAML

/// Reads the fields of a profile section by section, and then checks the rules that involve several sections.
struct ProfileReader {
    private let root: ProfileValue
    private let source: ProfileSource
    private let name: String

    init(_ root: YAMLNode, file: String, name: String) {
        self.root = ProfileValue(file: file, field: "", node: root, problems: ProfileProblems())
        self.name = name
        source = ProfileSource(file: file, root: root)
    }

    func profile() throws(ProfileError) -> Profile {
        let names = [
            "description", "cameras", "microphones", "program", "scenes", "tracks", "budget", "limits",
            "choice", "edit", "title", "people", "publish", "nodes",
        ]
        if root.node.isNull {
            throw root.error(found: "an empty file", expected: "cameras or microphones")
        }
        let fields = try root.fields(names)
        let cameras = fields.read("cameras", else: []) { value throws(ProfileError) in
            try self.cameras(value)
        }
        let microphones = fields.read("microphones", else: []) { value throws(ProfileError) in
            try self.microphones(value, cameras: cameras)
        }
        let nodes = fields.read("nodes", else: []) { value throws(ProfileError) in try self.nodes(value) }
        guard !cameras.isEmpty || !microphones.isEmpty || !nodes.isEmpty || !root.problems.isEmpty else {
            throw root.error(found: "no device", expected: "at least one role in cameras or microphones")
        }
        let program = fields.read("program") { value throws(ProfileError) in
            try ProgramReader(value, cameras: cameras.map(\.role), microphones: microphones.map(\.role))
                .settings()
        }
        let scenes = fields.read("scenes", else: []) { value throws(ProfileError) -> [SceneSettings] in
            guard let program else {
                // An error in the program has already been reported.
                guard root.problems.isEmpty else { return [] }
                throw value.error(found: "scenes without a program", expected: "a program for the scenes")
            }
            let reader = ProgramReader(
                value, cameras: cameras.map(\.role), microphones: microphones.map(\.role))
            return try SceneReader(reader, defaults: program).scenes(value)
        }
        let usual = TrackSettings.defaults(withProgram: program != nil)
        var profile = Profile(
            name: name,
            description: fields.read("description", else: "") { value throws(ProfileError) in
                try value.text(limit: 200, expected: "one line of at most 200 characters")
            },
            cameras: cameras, microphones: microphones, program: program, scenes: scenes,
            tracks: fields.read("tracks", else: usual) { value throws(ProfileError) in
                try self.tracks(value, defaults: usual)
            },
            budget: fields.read("budget", else: BudgetSettings()) { value throws(ProfileError) in
                try self.budget(value)
            },
            limits: fields.read("limits", else: RecordingLimits()) { value throws(ProfileError) in
                try self.limits(value)
            },
            choice: fields.read("choice", else: ChoiceSettings()) { value throws(ProfileError) in
                try ChoiceSettings(value)
            },
            source: source)
        profile.editing = editing(fields, roles: cameras.map(\.role) + microphones.map(\.role))
        profile.liveOutputs = fields.read("publish", else: []) { value throws(ProfileError) in
            try LiveOutputSettings.read(
                value, cameras: cameras.map(\.role), microphones: microphones.map(\.role), program: program)
        }
        profile.nodes = nodes
        try root.problems.throwAny()
        return profile
    }

    private func nodes(_ value: ProfileValue) throws(ProfileError) -> [NodeSettings] {
        var nodes: [NodeSettings] = []
        for entry in try value.entries(expected: "nodes, such as { left: { profile: tracks } }") {
            guard Profile.isValidRole(entry.name) else {
                throw entry.value.error(
                    at: entry.position, found: "the node “\(entry.name)”", expected: Profile.roleRule)
            }
            let profile: String?
            if entry.value.node.isNull {
                profile = nil
            } else {
                profile = try entry.value.fields(["profile"]).read("profile") { value throws(ProfileError) in
                    try value.text(limit: 200, expected: "the name of a profile on the node")
                }
            }
            nodes.append(NodeSettings(name: entry.name, profile: profile))
        }
        return nodes
    }

    // MARK: Devices

    func device(_ value: ProfileValue, example: String) throws(ProfileError) -> String {
        let selector = try value.text(limit: 4096, expected: "a device selector, for example \(example)")
        guard SourceAddress.handles(selector) else { return selector }
        do throws(AddressError) {
            return try SourceAddress(selector).text
        } catch {
            // The value may contain a password, so the error message doesn't quote it.
            throw value.error(found: error)
        }
    }

    /// Reads the field `url_from`, which replaces `device`; returns `nil` if `url_from` isn't set.
    func address(_ fields: ProfileFields, of entry: ProfileEntry) throws(ProfileError) -> SecretSource? {
        let address =
            fields.read("url_from") { value throws(ProfileError) in try SecretSource.read(value) } ?? nil
        guard address != nil, fields.has("device") else { return address }
        throw entry.value.error(found: "both device and url_from", expected: "only one of these fields")
    }

    /// Checks a role's name. Role names are used as file names and in commands, so only lowercase letters,
    /// digits, `-`, and `_` are allowed, and each name must be unique.
    func checkRole(_ entry: ProfileEntry, taken: [String]) throws(ProfileError) {
        guard Profile.isValidRole(entry.name) else {
            throw entry.value.error(
                at: entry.position, found: "the role “\(entry.name)”", expected: Profile.roleRule)
        }
        if entry.name == "program" {
            throw entry.value.error(
                at: entry.position, found: "the role “program”",
                expected: "another name, because “program” is reserved")
        }
        if taken.contains(entry.name) {
            throw entry.value.error(
                at: entry.position, found: "a duplicate role",
                expected: "a unique name among cameras and microphones")
        }
    }

    // MARK: Tracks and limits

    private func tracks(_ value: ProfileValue, defaults: TrackSettings) throws(ProfileError) -> TrackSettings
    {
        let fields = try value.fields(["cameras", "microphones", "files", "video", "metadata"])
        return TrackSettings(
            cameras: fields.read("cameras", else: defaults.cameras) { value throws(ProfileError) in
                try value.choice()
            },
            microphones: fields.read("microphones", else: defaults.microphones) {
                value throws(ProfileError) in
                try value.choice()
            },
            files: fields.read("files", else: .oneEach) { value throws(ProfileError) in try value.choice()
            },
            video: fields.read("video", else: VideoSettings()) { value throws(ProfileError) in
                try VideoSettings(value)
            },
            metadata: fields.read("metadata", else: .none) { value throws(ProfileError) in
                try value.choice()
            })
    }

    private func budget(_ value: ProfileValue) throws(ProfileError) -> BudgetSettings {
        let fields = try value.fields(["hardware", "policy", "floors", "governor", "resume"])
        var budget = BudgetSettings()
        budget.hardwareCost = fields.read("hardware", else: budget.hardwareCost) {
            value throws(ProfileError) in
            try value.decimal(
                in: 0...10, excludingLowest: true,
                expected: "a hardware cost above 0 and at most 10 (1 is the whole computer)")
        }
        budget.policy = fields.read("policy", else: budget.policy) { value throws(ProfileError) in
            try value.choice()
        }
        budget.governs = fields.read("governor", else: budget.governs) { value throws(ProfileError) in
            try value.boolean()
        }
        budget.resumes = fields.read("resume", else: budget.resumes) { value throws(ProfileError) in
            try value.boolean()
        }
        let floors = fields.read("floors") { value throws(ProfileError) in
            try value.fields(["size", "rate"])
        }
        if let floors {
            budget.floorSize = floors.read("size", else: budget.floorSize) { value throws(ProfileError) in
                try value.size()
            }
            budget.floorRate = floors.read("rate", else: budget.floorRate) { value throws(ProfileError) in
                try value.rate()
            }
        }
        return budget
    }

    /// Reads the recording limits: `none`, or a mapping. Fields that are missing in the mapping are set to
    /// their defaults.
    private func limits(_ value: ProfileValue) throws(ProfileError) -> RecordingLimits {
        if value.plainText == "none" { return .none }
        guard case .mapping = value.node.content else {
            throw value.error(expected: "none, or limits such as { lost_frames: 0.01, silence: 10s }")
        }
        let fields = try value.fields(["lost_frames", "lost_samples", "silence"])
        let usual = RecordingLimits()
        func share(_ name: String, else usual: Double?, of what: String) throws(ProfileError) -> Double? {
            fields.read(name, else: usual) { value throws(ProfileError) -> Double? in
                if value.plainText == "none" { return nil }
                return try value.decimal(
                    in: 0...1, expected: "a fraction of the \(what) from 0 to 1, for example 0.05, or none")
            }
        }
        return RecordingLimits(
            lostFrames: try share("lost_frames", else: usual.lostFrames, of: "frames"),
            lostSamples: try share("lost_samples", else: usual.lostSamples, of: "samples"),
            silence: fields.read("silence") { value throws(ProfileError) in
                try value.duration(in: .milliseconds(1) ... .seconds(86_400), example: "10s")
            })
    }
}

extension Profile {
    /// Reads a profile from YAML and validates its content, without checking which devices are connected.
    ///
    /// - Parameters:
    ///   - bytes: The content of the whole file. Arbitrary content can be passed safely.
    ///   - file: The file as specified by the user, for messages. The profile's name is the last path
    ///     component without the extension.
    /// - Throws: `ProfileError` with the location, the field, and the expected value. The error includes all
    ///   other errors in the file.
    package init(yaml bytes: [UInt8], file: String) throws(ProfileError) {
        let root: YAMLNode
        do throws(YAMLError) {
            root = try YAMLReader.read(bytes)
        } catch {
            throw ProfileError(
                file: file, line: error.line, column: error.column, field: error.path.joined(separator: "."),
                found: error.found, expected: error.expected)
        }
        self = try ProfileReader(root, file: file, name: Self.name(ofFile: file)).profile()
    }

    /// Returns the profile name for a file: `pip` for `Profiles/pip.yaml`.
    package static func name(ofFile file: String) -> String {
        let last = file.split(separator: "/").last.map { String($0) } ?? file
        for ending in [".yaml", ".yml"] where last.hasSuffix(ending) && last.count > ending.count {
            return String(last.dropLast(ending.count))
        }
        return last
    }
}

extension ProfileReader {
    /// Reads the fields `title`, `people`, and `edit`.
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
                    allowingOne: true,
                    expected: "one or more of \(ProfileValue.list(words)), for example [fcpxml, otio]"
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
