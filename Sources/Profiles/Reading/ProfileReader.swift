internal import Media
internal import YAML

/// Reads the fields of a profile, section by section, and checks at last what concerns several sections.
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
                // A program that cannot be read has been told of.
                guard root.problems.isEmpty else { return [] }
                throw value.error(found: "scenes without a program", expected: "a program, or no scenes")
            }
            let reader = ProgramReader(
                value, cameras: cameras.map(\.role), microphones: microphones.map(\.role))
            return try SceneReader(reader, usual: program).scenes(value)
        }
        let usual = TrackSettings.usual(withProgram: program != nil)
        var profile = Profile(
            name: name,
            description: fields.read("description", else: "") { value throws(ProfileError) in
                try value.text(limit: 200, expected: "one line of at most 200 characters")
            },
            cameras: cameras, microphones: microphones, program: program, scenes: scenes,
            tracks: fields.read("tracks", else: usual) { value throws(ProfileError) in
                try self.tracks(value, usual: usual)
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
        profile.publications = fields.read("publish", else: []) { value throws(ProfileError) in
            try PublicationSettings.read(
                value, cameras: cameras.map(\.role), microphones: microphones.map(\.role), program: program)
        }
        profile.nodes = nodes
        try root.problems.throwAny()
        return profile
    }

    private func nodes(_ value: ProfileValue) throws(ProfileError) -> [NodeSettings] {
        var nodes: [NodeSettings] = []
        for entry in try value.entries(expected: "nodes, such as { left: { profile: tracks } }") {
            guard Profile.isRole(entry.name) else {
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
        do throws(DestinationAddressError) {
            return try SourceAddress(selector).text
        } catch {
            // The value may have a password, so nothing of it is repeated.
            throw value.error(found: error)
        }
    }

    /// Reads `url_from`, in place of `device`; `nil` where it is not there.
    func address(_ fields: ProfileFields, of entry: ProfileEntry) throws(ProfileError) -> SecretSource? {
        let address =
            fields.read("url_from") { value throws(ProfileError) in try SecretSource.read(value) } ?? nil
        guard address != nil, fields.has("device") else { return address }
        throw entry.value.error(found: "device and url_from", expected: "one of them")
    }

    /// Checks a role's name. Role names become file names and are used in commands, so they are plain, and each names one thing.
    func checkRole(_ entry: ProfileEntry, taken: [String]) throws(ProfileError) {
        guard Profile.isRole(entry.name) else {
            throw entry.value.error(
                at: entry.position, found: "the role “\(entry.name)”", expected: Profile.roleRule)
        }
        if entry.name == "program" {
            throw entry.value.error(
                at: entry.position, found: "the role “program”",
                expected: "another name: that of the composed frame is taken")
        }
        if taken.contains(entry.name) {
            throw entry.value.error(
                at: entry.position, found: "a role of this name a second time",
                expected: "a name that no other camera or microphone has")
        }
    }

    // MARK: What is done with them

    private func tracks(_ value: ProfileValue, usual: TrackSettings) throws(ProfileError) -> TrackSettings {
        let fields = try value.fields(["cameras", "microphones", "files", "video", "metadata"])
        return TrackSettings(
            cameras: fields.read("cameras", else: usual.cameras) { value throws(ProfileError) in
                try value.choice()
            },
            microphones: fields.read("microphones", else: usual.microphones) {
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
                expected: "a hardware cost above 0 and at most 10, where 1 is all of the machine")
        }
        budget.policy = fields.read("policy", else: budget.policy) { value throws(ProfileError) in
            try value.choice()
        }
        budget.governs = fields.read("governor", else: budget.governs) { value throws(ProfileError) in
            try value.truth()
        }
        budget.resumes = fields.read("resume", else: budget.resumes) { value throws(ProfileError) in
            try value.truth()
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

    /// Reads `none`, or fields, each of which has its default where it is left out.
    private func limits(_ value: ProfileValue) throws(ProfileError) -> RecordingLimits {
        if value.plainText == "none" { return .none }
        guard case .mapping = value.node.content else {
            throw value.error(expected: "none, or limits such as { lostFrames: 0.01, silence: 10s }")
        }
        let fields = try value.fields(["lostFrames", "lostSamples", "silence"])
        let usual = RecordingLimits()
        func share(_ name: String, else usual: Double?, of what: String) throws(ProfileError) -> Double? {
            fields.read(name, else: usual) { value throws(ProfileError) -> Double? in
                if value.plainText == "none" { return nil }
                return try value.decimal(
                    in: 0...1, expected: "a share of the \(what) from 0 to 1, for example 0.05, or none")
            }
        }
        return RecordingLimits(
            lostFrames: try share("lostFrames", else: usual.lostFrames, of: "frames"),
            lostSamples: try share("lostSamples", else: usual.lostSamples, of: "samples"),
            silence: fields.read("silence") { value throws(ProfileError) in
                try value.duration(in: .milliseconds(1) ... .seconds(86_400), example: "10s")
            })
    }
}
