internal import MulticamMedia
internal import MulticamYAML

extension ProfileReader {
    func cameras(_ value: ProfileValue) throws(ProfileError) -> [CameraRole] {
        var roles: [CameraRole] = []
        for entry in try value.entries(expected: "one field per camera, for example desk: { device: any }") {
            value.problems.collecting { () throws(ProfileError) in
                try checkRole(entry, taken: roles.map(\.role))
            }
            // An error in the role is reported here. Other sections may still refer to the role.
            let role = value.problems.collecting { () throws(ProfileError) in try camera(entry) }
            roles.append(role ?? CameraRole(role: entry.name))
        }
        for entry in try value.entries(expected: "") {
            value.problems.collecting { () throws(ProfileError) in try checkMatch(entry, among: roles) }
        }
        return roles
    }

    static let cameraFields = [
        "device", "url_from", "size", "rate", "format", "rotation", "mirrored", "preview", "latency", "crop",
        "zoom",
        "pan",
        "tilt", "framing", "detect", "output", "controls", "preset", "match",
    ]

    private func camera(_ entry: ProfileEntry) throws(ProfileError) -> CameraRole {
        let fields = try entry.value.fields(Self.cameraFields)
        var camera = CameraRole(role: entry.name)
        camera.device = fields.read("device", else: camera.device) { value throws(ProfileError) in
            try device(value, example: "any or /dev/video0")
        }
        if let address = try address(fields, of: entry) {
            (camera.address, camera.device) = (address, SecretSource.placeholderSelector)
        }
        camera.size = fields.read("size") { value throws(ProfileError) in try value.size() }
        camera.rate = fields.read("rate") { value throws(ProfileError) in try value.rate() }
        camera.format = fields.read("format", else: .auto) { value throws(ProfileError) in
            try value.choice()
        }
        camera.rotation = fields.read("rotation") { value throws(ProfileError) in
            try rotation(value)
        }
        camera.isMirrored = fields.read("mirrored", else: false) { value throws(ProfileError) in
            try value.boolean()
        }
        camera.previewMirroring = fields.read("preview", else: .auto) { value throws(ProfileError) in
            try value.fields(["mirrored"]).read("mirrored", else: .auto) { value throws(ProfileError) in
                try value.choice()
            }
        }
        camera.latency = fields.read("latency") { value throws(ProfileError) in
            try value.duration(in: .zero ... .seconds(2), example: "40ms")
        }
        camera.crop = fields.read("crop") { value throws(ProfileError) in try crop(value) }
        camera.zoom = try zoom(fields)
        camera.automaticFraming = fields.read("framing", else: camera.automaticFraming) {
            value throws(ProfileError) in try automaticFraming(value)
        }
        camera.detection = fields.read("detect", else: []) { value throws(ProfileError) in
            try detection(value)
        }
        camera.output = fields.read("output") { value throws(ProfileError) in try output(value) }
        camera.controls = fields.read("controls", else: []) { value throws(ProfileError) in
            try controls(value)
        }
        camera.preset = fields.read("preset") { value throws(ProfileError) in
            try value.text(
                limit: 64,
                expected:
                    "the name of a saved preset\(onCommandLine(" (`multicam controls CAMERA --save NAME`)"))")
        }
        camera.match = fields.read("match") { value throws(ProfileError) in try match(value) }
        return camera
    }

    /// Reads a camera's rotation, such as `90` or `sensor`.
    private func rotation(_ value: ProfileValue) throws(ProfileError) -> CameraRotation {
        if value.plainText == "sensor" { return .sensor }
        guard let degrees = value.plainText.flatMap({ Int($0) }), let rotation = Rotation(rawValue: degrees)
        else {
            throw value.error(expected: "0, 90, 180, or 270 degrees clockwise, or sensor")
        }
        return .fixed(rotation)
    }

    /// Reads a camera's crop: an aspect ratio such as `16:9`, or a rectangle.
    private func crop(_ value: ProfileValue) throws(ProfileError) -> CameraCrop {
        let expected =
            "an aspect ratio such as 16:9, or a rectangle in pixels of the stored frame: { x: 0, y: 0, width: 1280, height: 720 }"
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

    /// Reads automatic framing, such as `people` or `{ follow: people, enlargement: 2 }`.
    private func automaticFraming(_ value: ProfileValue) throws(ProfileError) -> AutomaticFraming {
        guard case .mapping = value.node.content else {
            return AutomaticFraming(mode: try value.choice())
        }
        let fields = try value.fields(["follow", "enlargement", "move"])
        var framing = AutomaticFraming()
        framing.mode = try fields.required("follow", expected: "people, speaker, or off") {
            value throws(ProfileError) in try value.choice()
        }
        framing.maxEnlargement = fields.read("enlargement", else: framing.maxEnlargement) {
            value throws(ProfileError) in
            try value.decimal(
                in: AutomaticFraming.enlargements,
                expected: "an enlargement of the camera's pixels from 1 to 4")
        }
        framing.mover = fields.read("move", else: framing.mover) { value throws(ProfileError) in
            try value.choice()
        }
        return framing
    }

    /// Reads what a camera's frames are searched for, such as `[faces, codes]`.
    private func detection(_ value: ProfileValue) throws(ProfileError) -> [DetectionKind] {
        var kinds: [DetectionKind] = []
        for item in try value.items(expected: "a list of faces and codes, for example [faces]") {
            let kind: DetectionKind = try item.choice()
            if !kinds.contains(kind) { kinds.append(kind) }
        }
        return kinds
    }

    private func zoom(_ fields: ProfileFields) throws(ProfileError) -> Zoom {
        func position(_ name: String, _ low: String, _ high: String) throws(ProfileError) -> Double {
            fields.read(name, else: 0) { value throws(ProfileError) in
                try value.decimal(
                    in: Zoom.positions,
                    expected: "a number from -1 (fully \(low)) to 1 (fully \(high))")
            }
        }
        return Zoom(
            factor: fields.read("zoom", else: 1) { value throws(ProfileError) in
                try value.decimal(
                    in: Zoom.factors,
                    expected: "a zoom factor from 1 (whole frame) to \(Int(Zoom.factors.upperBound))"
                )
            },
            pan: try position("pan", "left", "right"), tilt: try position("tilt", "down", "up"))
    }

    /// Reads a camera's output, such as `640x360` or `{ size: 640x360, rate: 15 }`.
    private func output(_ value: ProfileValue) throws(ProfileError) -> CameraOutput {
        func size(_ value: ProfileValue) throws(ProfileError) -> FrameSize {
            let size = try value.size()
            guard size.width % 2 == 0, size.height % 2 == 0 else {
                throw value.error(expected: "a size with even width and height, such as 640x360")
            }
            return size
        }
        guard case .mapping = value.node.content else { return CameraOutput(size: try size(value)) }
        let fields = try value.fields(["size", "rate"])
        return CameraOutput(
            size: fields.read("size", size),
            rate: fields.read("rate") { value throws(ProfileError) in try value.rate() })
    }

    /// Reads which camera to match, such as `desk` or `{ camera: desk, what: [exposure, size] }`.
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
        match.traits = fields.read("what", else: match.traits) { value throws(ProfileError) in
            let words = ProfileValue.list(CameraMatch.Trait.allCases.map(\.rawValue))
            var traits: [CameraMatch.Trait] = []
            for item in try value.items(expected: "a list of \(words)") {
                let trait: CameraMatch.Trait = try item.choice()
                if !traits.contains(trait) { traits.append(trait) }
            }
            guard !traits.isEmpty else {
                throw value.error(found: "an empty list", expected: "at least one of \(words)")
            }
            return traits
        }
        return match
    }

    /// Checks that a camera to be matched is another camera of the profile, and that it isn't itself matched
    /// to a camera.
    private func checkMatch(_ entry: ProfileEntry, among roles: [CameraRole]) throws(ProfileError) {
        guard let role = roles.first(where: { $0.role == entry.name }), let match = role.match else { return }
        let field = try entry.value.entries(expected: "").first { $0.name == "match" }
        func error(found: String) -> ProfileError {
            let others = roles.filter { $0.role != role.role && $0.match == nil }.map(\.role)
            return (field?.value ?? entry.value).error(
                found: found,
                expected: others.isEmpty
                    ? "no `match` field, because the profile does not have another camera"
                    : ProfileValue.list(others))
        }
        guard match.camera != role.role else { throw error(found: "the camera itself") }
        guard let other = roles.first(where: { $0.role == match.camera }) else {
            throw error(found: "“\(match.camera.printable())”, which is not a camera of this profile")
        }
        if let third = other.match {
            throw error(found: "“\(match.camera)”, which itself matches \(third.camera)")
        }
    }

    private func controls(_ value: ProfileValue) throws(ProfileError) -> [ControlSetting] {
        var settings: [ControlSetting] = []
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_".utf8)
        for entry in try value.entries(
            expected: "control names with a number, true, or false, for example { gain: 10 }")
        {
            guard (1...64).contains(entry.name.utf8.count), entry.name.utf8.allSatisfy(allowed.contains)
            else {
                throw entry.value.error(
                    at: entry.position, found: "the control “\(entry.name)”",
                    expected:
                        "a control name of lowercase letters, digits, and _\(onCommandLine(", as shown by `multicam controls`"))"
                )
            }
            if let number = entry.value.plainText.flatMap({ Int64($0) }) {
                settings.append(ControlSetting(name: entry.name, value: .number(number)))
            } else if let isOn = entry.value.booleanValue {
                settings.append(ControlSetting(name: entry.name, value: .flag(isOn)))
            } else {
                let expected = "a whole number, true, false, or a menu item in quotes"
                guard case .scalar(let scalar) = entry.value.node.content, scalar.isQuoted else {
                    throw entry.value.error(expected: expected)
                }
                let word = try entry.value.text(limit: 64, expected: expected)
                settings.append(ControlSetting(name: entry.name, value: .word(word)))
            }
        }
        return settings
    }
}

extension ProfileReader {
    func microphones(
        _ value: ProfileValue, cameras: [CameraRole]
    ) throws(ProfileError) -> [MicrophoneRole] {
        var roles: [MicrophoneRole] = []
        for entry in try value.entries(
            expected: "one field per microphone, for example host: { device: default }")
        {
            value.problems.collecting { () throws(ProfileError) in
                try checkRole(entry, taken: cameras.map(\.role) + roles.map(\.role))
            }
            let role = value.problems.collecting { () throws(ProfileError) in
                try microphone(entry, cameras: cameras.map(\.role))
            }
            roles.append(role ?? MicrophoneRole(role: entry.name))
        }
        return roles
    }

    private func microphone(
        _ entry: ProfileEntry, cameras: [String]
    ) throws(ProfileError) -> MicrophoneRole {
        let names = [
            "device", "url_from", "channels", "gain", "offset", "source_channels", "echo_cancellation",
            "noise_suppression", "processing", "camera",
        ]
        for field in try entry.value.entries(expected: "the fields \(ProfileValue.list(names))")
        where Self.cameraFields.contains(field.name) && !names.contains(field.name) {
            throw field.value.error(
                at: field.position, found: "a field that only cameras support",
                expected: "\(ProfileValue.list(names)) for a microphone")
        }
        let fields = try entry.value.fields(names)
        var microphone = MicrophoneRole(role: entry.name)
        microphone.device = fields.read("device", else: microphone.device) { value throws(ProfileError) in
            try device(value, example: "default or pulse:alsa_input.usb-1")
        }
        if let address = try address(fields, of: entry) {
            (microphone.address, microphone.device) = (address, SecretSource.placeholderSelector)
        }
        microphone.sourceChannels = fields.read("source_channels") { value throws(ProfileError) in
            try sourceChannels(value)
        }
        microphone.channels = fields.read("channels", else: microphone.sourceChannels?.count ?? 1) {
            value throws(ProfileError) in
            let channels = try value.integer(in: 1...8, expected: "1 to 8")
            if let sourceChannels = microphone.sourceChannels, sourceChannels.count != channels {
                throw value.error(
                    expected: "\(sourceChannels.count), the number of channels in source_channels")
            }
            return channels
        }
        microphone.gainDecibels = fields.read("gain", else: 0) { value throws(ProfileError) in
            try value.decimal(in: -60...30, expected: "a gain in decibels from -60 to 30")
        }
        microphone.offset = fields.read("offset") { value throws(ProfileError) in
            try value.duration(in: .seconds(-5) ... .seconds(5), example: "-20ms")
        }
        microphone.voiceProcessing = VoiceProcessing(
            echoCancellation: fields.read("echo_cancellation", else: false) { value throws(ProfileError) in
                try value.boolean()
            },
            noiseSuppression: fields.read("noise_suppression", else: false) { value throws(ProfileError) in
                try value.boolean()
            })
        microphone.processing = fields.read("processing", else: .off) { value throws(ProfileError) in
            try value.soundProcessing()
        }
        microphone.camera = fields.read("camera") { value throws(ProfileError) in
            guard let role = value.plainText, cameras.contains(role) else {
                throw value.error(
                    expected: cameras.isEmpty
                        ? "no `camera` field, because the profile does not have a camera"
                        : "the role of the camera that shows the speaker: "
                            + ProfileValue.list(cameras, nearestTo: value.plainText))
            }
            return role
        }
        return microphone
    }

    private func sourceChannels(_ value: ProfileValue) throws(ProfileError) -> [Int] {
        let expected = "one or two different channel numbers from 1 to 8, for example [1]"
        var channels: [Int] = []
        for item in try value.items(expected: expected) {
            channels.append(try item.integer(in: 1...8, expected: expected))
        }
        guard (1...2).contains(channels.count), Set(channels).count == channels.count else {
            throw value.error(found: channels.isEmpty ? "an empty list" : "\(channels)", expected: expected)
        }
        return channels
    }
}
