internal import Media
internal import YAML

/// Reads the fields of a profile, section by section. What concerns several sections is checked last.
struct ProfileReader {
    private let root: ProfileValue
    private let source: ProfileSource
    private let name: String

    init(_ root: YAMLNode, file: String, name: String) {
        self.root = ProfileValue(file: file, field: "", node: root)
        self.name = name
        source = ProfileSource(file: file, root: root)
    }

    func profile() throws(ProfileError) -> Profile {
        let names = [
            "description", "cameras", "microphones", "program", "tracks", "budget", "limits", "choice",
        ]
        if root.node.isNull {
            throw root.error(found: "an empty file", expected: "cameras or microphones")
        }
        let fields = try root.fields(names)
        let cameras = try fields.read("cameras", else: []) { value throws(ProfileError) in
            try self.cameras(value)
        }
        let microphones = try fields.read("microphones", else: []) { value throws(ProfileError) in
            try self.microphones(value, cameras: cameras)
        }
        guard !cameras.isEmpty || !microphones.isEmpty else {
            throw root.error(found: "no device", expected: "at least one role in cameras or microphones")
        }
        let program = try fields.read("program") { value throws(ProfileError) in
            try ProgramReader(value, cameras: cameras.map(\.role), microphones: microphones.map(\.role))
                .settings()
        }
        let usual = TrackSettings.usual(withProgram: program != nil)
        let profile = Profile(
            name: name,
            description: try fields.read("description", else: "") { value throws(ProfileError) in
                try value.text(limit: 200, expected: "one line of at most 200 characters")
            },
            cameras: cameras, microphones: microphones, program: program,
            tracks: try fields.read("tracks", else: usual) { value throws(ProfileError) in
                try self.tracks(value, usual: usual)
            },
            budget: try fields.read("budget", else: BudgetSettings()) { value throws(ProfileError) in
                try self.budget(value)
            },
            limits: try fields.read("limits", else: RecordingLimits()) { value throws(ProfileError) in
                try self.limits(value)
            },
            choice: try fields.read("choice", else: ChoiceSettings()) { value throws(ProfileError) in
                try ChoiceSettings(value)
            },
            source: source)
        guard profile.writesAnything else {
            throw source.error(
                at: "tracks", found: "nothing to write",
                expected: "a program, or tracks of cameras (copy, encode) or microphones (wav)")
        }
        return profile
    }

    // MARK: Devices

    private func cameras(_ value: ProfileValue) throws(ProfileError) -> [CameraRole] {
        var roles: [CameraRole] = []
        for entry in try value.entries(expected: "one field a camera, for example desk: { device: any }") {
            try checkRole(entry, taken: roles.map(\.role))
            roles.append(try camera(entry))
        }
        for entry in try value.entries(expected: "") { try checkMatch(entry, among: roles) }
        return roles
    }

    private static let cameraFields = [
        "device", "size", "rate", "format", "rotation", "mirrored", "preview", "latency", "crop", "zoom",
        "pan",
        "tilt", "output", "controls", "preset", "match",
    ]

    private func camera(_ entry: ProfileEntry) throws(ProfileError) -> CameraRole {
        let fields = try entry.value.fields(Self.cameraFields)
        var camera = CameraRole(role: entry.name)
        camera.device = try fields.read("device", else: camera.device) { value throws(ProfileError) in
            try device(value, example: "any or /dev/video0")
        }
        camera.size = try fields.read("size") { value throws(ProfileError) in try value.size() }
        camera.rate = try fields.read("rate") { value throws(ProfileError) in try value.rate() }
        camera.format = try fields.read("format", else: .auto) { value throws(ProfileError) in
            try value.choice()
        }
        camera.rotation = try fields.read("rotation") { value throws(ProfileError) in
            try rotation(value)
        }
        camera.isMirrored = try fields.read("mirrored", else: false) { value throws(ProfileError) in
            try value.truth()
        }
        camera.previewMirroring = try fields.read("preview", else: .auto) { value throws(ProfileError) in
            try value.fields(["mirrored"]).read("mirrored", else: .auto) { value throws(ProfileError) in
                try value.choice()
            }
        }
        camera.latency = try fields.read("latency") { value throws(ProfileError) in
            try value.duration(in: .zero ... .seconds(2), example: "40ms")
        }
        camera.crop = try fields.read("crop") { value throws(ProfileError) in try crop(value) }
        camera.zoom = try zoom(fields)
        camera.output = try fields.read("output") { value throws(ProfileError) in try output(value) }
        camera.controls = try fields.read("controls", else: []) { value throws(ProfileError) in
            try controls(value)
        }
        camera.preset = try fields.read("preset") { value throws(ProfileError) in
            try value.text(limit: 64, expected: "a name that `multicam controls CAMERA --save NAME` has kept")
        }
        camera.match = try fields.read("match") { value throws(ProfileError) in try match(value) }
        return camera
    }

    /// `90`, or `sensor`.
    private func rotation(_ value: ProfileValue) throws(ProfileError) -> CameraRotation {
        if value.plainText == "sensor" { return .sensor }
        guard let degrees = value.plainText.flatMap({ Int($0) }), let rotation = Rotation(rawValue: degrees)
        else {
            throw value.error(expected: "0, 90, 180 or 270 degrees clockwise, or sensor")
        }
        return .fixed(rotation)
    }

    /// `16:9`, or a rectangle.
    private func crop(_ value: ProfileValue) throws(ProfileError) -> CameraCrop {
        let expected =
            "a shape such as 16:9, or a rectangle in pixels of the stored picture: { x: 0, y: 0, width: 1280, height: 720 }"
        guard case .mapping = value.node.content else {
            guard let shape = value.plainText.flatMap({ AspectRatio($0) }) else {
                throw value.error(expected: expected)
            }
            return .shape(shape)
        }
        let fields = try value.fields(["x", "y", "width", "height"])
        func side(_ name: String, _ range: ClosedRange<Int>) throws(ProfileError) -> Int {
            try fields.required(name, expected: expected) { value throws(ProfileError) in
                try value.integer(in: range)
            }
        }
        return .rectangle(
            PixelRectangle(
                x: try side("x", 0...16382), y: try side("y", 0...16382),
                width: try side("width", 2...16384),
                height: try side("height", 2...16384)))
    }

    private func zoom(_ fields: ProfileFields) throws(ProfileError) -> Zoom {
        func position(_ name: String, _ low: String, _ high: String) throws(ProfileError) -> Double {
            try fields.read(name, else: 0) { value throws(ProfileError) in
                try value.decimal(
                    in: Zoom.positions,
                    expected: "a number from -1 (as far \(low) as it goes) to 1 (as far \(high))")
            }
        }
        return Zoom(
            factor: try fields.read("zoom", else: 1) { value throws(ProfileError) in
                try value.decimal(
                    in: Zoom.factors,
                    expected: "how many times larger, from 1 (all is seen) to \(Int(Zoom.factors.upperBound))"
                )
            },
            pan: try position("pan", "left", "right"), tilt: try position("tilt", "down", "up"))
    }

    /// `640x360`, or `{ size: 640x360, rate: 15 }`.
    private func output(_ value: ProfileValue) throws(ProfileError) -> CameraOutput {
        func size(_ value: ProfileValue) throws(ProfileError) -> PictureSize {
            let size = try value.size()
            guard size.width % 2 == 0, size.height % 2 == 0 else {
                throw value.error(expected: "a size of even sides, such as 640x360")
            }
            return size
        }
        guard case .mapping = value.node.content else { return CameraOutput(size: try size(value)) }
        let fields = try value.fields(["size", "rate"])
        return CameraOutput(
            size: try fields.read("size", size),
            rate: try fields.read("rate") { value throws(ProfileError) in try value.rate() })
    }

    /// `desk`, or `{ camera: desk, what: [exposure, size] }`.
    private func match(_ value: ProfileValue) throws(ProfileError) -> CameraMatch {
        let expected = "another camera's role, or { camera: desk, what: [exposure, white-balance, focus] }"
        guard case .mapping = value.node.content else {
            return CameraMatch(camera: try value.text(limit: 32, expected: expected))
        }
        let fields = try value.fields(["camera", "what"])
        var match = CameraMatch(
            camera: try fields.required("camera", expected: expected) { value throws(ProfileError) in
                try value.text(limit: 32, expected: expected)
            })
        match.traits = try fields.read("what", else: match.traits) { value throws(ProfileError) in
            let words = ProfileValue.list(CameraMatch.Trait.allCases.map(\.rawValue))
            var traits: [CameraMatch.Trait] = []
            for item in try value.items(expected: "a list of \(words)") {
                let trait: CameraMatch.Trait = try item.choice()
                if !traits.contains(trait) { traits.append(trait) }
            }
            guard !traits.isEmpty else {
                throw value.error(found: "an empty list", expected: "some of \(words)")
            }
            return traits
        }
        return match
    }

    /// The camera that is followed is another one of the profile, and follows none itself.
    private func checkMatch(_ entry: ProfileEntry, among roles: [CameraRole]) throws(ProfileError) {
        guard let role = roles.first(where: { $0.role == entry.name }), let match = role.match else { return }
        let field = try entry.value.entries(expected: "").first { $0.name == "match" }
        func error(found: String) -> ProfileError {
            let others = roles.filter { $0.role != role.role && $0.match == nil }.map(\.role)
            return (field?.value ?? entry.value).error(
                found: found,
                expected: others.isEmpty
                    ? "no match: no other camera is there that could be followed" : ProfileValue.list(others))
        }
        guard match.camera != role.role else { throw error(found: "the camera itself") }
        guard let other = roles.first(where: { $0.role == match.camera }) else {
            throw error(found: "“\(match.camera.printable())”, which is no camera of this profile")
        }
        if let third = other.match {
            throw error(found: "“\(match.camera)”, which itself follows \(third.camera)")
        }
    }

    private func controls(_ value: ProfileValue) throws(ProfileError) -> [ControlSetting] {
        var settings: [ControlSetting] = []
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_".utf8)
        for entry in try value.entries(
            expected: "a number, true or false by control, for example { gain: 10 }")
        {
            guard (1...64).contains(entry.name.utf8.count), entry.name.utf8.allSatisfy(allowed.contains)
            else {
                throw entry.value.error(
                    at: entry.position, found: "the control “\(entry.name)”",
                    expected: "a name of small letters, digits and _, as `multicam controls` shows it")
            }
            if let number = entry.value.plainText.flatMap({ Int64($0) }) {
                settings.append(ControlSetting(name: entry.name, value: .number(number)))
            } else if let isOn = entry.value.truthIfAny {
                settings.append(ControlSetting(name: entry.name, value: .flag(isOn)))
            } else {
                let expected = "a whole number, true, false, or the words of a menu's item in quotes"
                guard case .scalar(let scalar) = entry.value.node.content, scalar.isQuoted else {
                    throw entry.value.error(expected: expected)
                }
                let word = try entry.value.text(limit: 64, expected: expected)
                settings.append(ControlSetting(name: entry.name, value: .word(word)))
            }
        }
        return settings
    }

    private func microphones(
        _ value: ProfileValue, cameras: [CameraRole]
    ) throws(ProfileError) -> [MicrophoneRole] {
        var roles: [MicrophoneRole] = []
        for entry in try value.entries(
            expected: "one field a microphone, for example host: { device: default }")
        {
            try checkRole(entry, taken: cameras.map(\.role) + roles.map(\.role))
            roles.append(try microphone(entry))
        }
        return roles
    }

    private func microphone(_ entry: ProfileEntry) throws(ProfileError) -> MicrophoneRole {
        let names = ["device", "channels", "gain", "offset", "pick", "voice"]
        for field in try entry.value.entries(expected: "the fields \(ProfileValue.list(names))")
        where Self.cameraFields.contains(field.name) && !names.contains(field.name) {
            throw field.value.error(
                at: field.position, found: "a field that only cameras have",
                expected: "\(ProfileValue.list(names)) on a microphone")
        }
        let fields = try entry.value.fields(names)
        var microphone = MicrophoneRole(role: entry.name)
        microphone.device = try fields.read("device", else: microphone.device) { value throws(ProfileError) in
            try device(value, example: "default or pulse:alsa_input.usb-1")
        }
        microphone.pick = try fields.read("pick") { value throws(ProfileError) in try pick(value) }
        microphone.channels = try fields.read("channels", else: microphone.pick?.count ?? 1) {
            value throws(ProfileError) in
            let channels = try value.integer(in: 1...2, expected: "1 or 2")
            if let pick = microphone.pick, pick.count != channels {
                throw value.error(expected: "\(pick.count), as many as pick names")
            }
            return channels
        }
        microphone.gainDecibels = try fields.read("gain", else: 0) { value throws(ProfileError) in
            try value.decimal(in: -60...30, expected: "a number of decibels from -60 to 30")
        }
        microphone.offset = try fields.read("offset") { value throws(ProfileError) in
            try value.duration(in: .seconds(-5) ... .seconds(5), example: "-20ms")
        }
        microphone.voice = try fields.read("voice", else: microphone.voice) { value throws(ProfileError) in
            try voice(value)
        }
        return microphone
    }

    private func voice(_ value: ProfileValue) throws(ProfileError) -> VoiceSettings {
        guard case .mapping = value.node.content else {
            throw value.error(expected: "what the program is to be spared: { echo: true, noise: true }")
        }
        let fields = try value.fields(["echo", "noise"])
        return VoiceSettings(
            echo: try fields.read("echo", else: false) { value throws(ProfileError) in try value.truth() },
            noise: try fields.read("noise", else: false) { value throws(ProfileError) in try value.truth() })
    }

    private func pick(_ value: ProfileValue) throws(ProfileError) -> [Int] {
        let expected = "one or two different channels of the device from 1 to 8, for example [1]"
        var channels: [Int] = []
        for item in try value.items(expected: expected) {
            channels.append(try item.integer(in: 1...8, expected: expected))
        }
        guard (1...2).contains(channels.count), Set(channels).count == channels.count else {
            throw value.error(found: channels.isEmpty ? "an empty list" : "\(channels)", expected: expected)
        }
        return channels
    }

    private func device(_ value: ProfileValue, example: String) throws(ProfileError) -> String {
        try value.text(limit: 4096, expected: "a device selector, for example \(example)")
    }

    /// Role names become file names and stand in commands, so they are plain, and each names one thing.
    private func checkRole(_ entry: ProfileEntry, taken: [String]) throws(ProfileError) {
        guard Profile.isRole(entry.name) else {
            throw entry.value.error(
                at: entry.position, found: "the role “\(entry.name)”", expected: Profile.roleRule)
        }
        if entry.name == "program" {
            throw entry.value.error(
                at: entry.position, found: "the role “program”",
                expected: "another name: that of the composed picture is taken")
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
            cameras: try fields.read("cameras", else: usual.cameras) { value throws(ProfileError) in
                try value.choice()
            },
            microphones: try fields.read("microphones", else: usual.microphones) {
                value throws(ProfileError) in
                try value.choice()
            },
            files: try fields.read("files", else: .oneEach) { value throws(ProfileError) in try value.choice()
            },
            video: try fields.read("video", else: VideoSettings()) { value throws(ProfileError) in
                try VideoSettings(value)
            },
            metadata: try fields.read("metadata", else: .none) { value throws(ProfileError) in
                try value.choice()
            })
    }

    private func budget(_ value: ProfileValue) throws(ProfileError) -> BudgetSettings {
        let fields = try value.fields(["hardware", "policy", "floors", "governor", "resume"])
        var budget = BudgetSettings()
        budget.hardwareCost = try fields.read("hardware", else: budget.hardwareCost) {
            value throws(ProfileError) in
            try value.decimal(
                in: 0...10, excludingLowest: true,
                expected: "a hardware cost above 0 and at most 10, where 1 is all of the machine")
        }
        budget.policy = try fields.read("policy", else: budget.policy) { value throws(ProfileError) in
            try value.choice()
        }
        budget.governs = try fields.read("governor", else: budget.governs) { value throws(ProfileError) in
            try value.truth()
        }
        budget.resumes = try fields.read("resume", else: budget.resumes) { value throws(ProfileError) in
            try value.truth()
        }
        let floors = try fields.read("floors") { value throws(ProfileError) in
            try value.fields(["size", "rate"])
        }
        if let floors {
            budget.floorSize = try floors.read("size", else: budget.floorSize) { value throws(ProfileError) in
                try value.size()
            }
            budget.floorRate = try floors.read("rate", else: budget.floorRate) { value throws(ProfileError) in
                try value.rate()
            }
        }
        return budget
    }

    private func limits(_ value: ProfileValue) throws(ProfileError) -> RecordingLimits {
        let fields = try value.fields(["lostFrames", "silence"])
        return RecordingLimits(
            lostFrames: try fields.read("lostFrames") { value throws(ProfileError) in
                try value.decimal(in: 0...1, expected: "a share of the frames from 0 to 1, for example 0.05")
            },
            silence: try fields.read("silence") { value throws(ProfileError) in
                try value.duration(in: .milliseconds(1) ... .seconds(86_400), example: "10s")
            })
    }
}

extension ChoiceSettings {
    init(_ value: ProfileValue) throws(ProfileError) {
        let fields = try value.fields(["policy", "prefer"])
        let usual = ChoiceSettings()
        self.init(
            policy: try fields.read("policy", else: usual.policy) { value throws(ProfileError) in
                try value.choice()
            },
            prefer: try fields.read("prefer") { value throws(ProfileError) in
                let expected = "front, back, or what names one camera, for example serial:0123"
                let selector = try value.text(limit: 4096, expected: expected)
                switch selector {
                case "front", "back": return "position:\(selector)"
                case "any", "remembered": throw value.error(expected: expected)
                case _ where selector.hasPrefix("virtual:") || selector.hasPrefix("file:"):
                    throw value.error(
                        expected: "\(expected); made-up cameras and files are named in `device`")
                default: return selector
                }
            })
    }
}

extension VideoSettings {
    init(_ value: ProfileValue) throws(ProfileError) {
        let fields = try value.fields(["codec", "preset", "quality", "encoder"])
        let usual = VideoSettings()
        self.init(
            codec: try fields.read("codec", else: usual.codec) { value throws(ProfileError) in
                try value.choice()
            },
            preset: try fields.read("preset", else: usual.preset) { value throws(ProfileError) in
                try value.choice()
            },
            quality: try fields.read("quality", else: usual.quality) { value throws(ProfileError) in
                try value.integer(in: 0...51, expected: "a whole number from 0 (best) to 51 (smallest)")
            },
            encoder: try fields.read("encoder", else: usual.encoder) { value throws(ProfileError) in
                try value.choice()
            })
    }
}
