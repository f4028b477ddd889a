internal import Media
internal import YAML

/// Reads the `program` of a profile and checks it against the profile's roles.
struct ProgramReader {
    private let value: ProfileValue
    let cameras: [String]
    let microphones: [String]

    init(_ value: ProfileValue, cameras: [String], microphones: [String]) {
        self.value = value
        self.cameras = cameras
        self.microphones = microphones
    }

    func settings() throws(ProfileError) -> ProgramSettings {
        let fields = try value.fields([
            "size", "rate", "layout", "main", "inset", "corner", "scale", "margin", "border", "filling",
            "video", "audio", "cut", "shortest",
        ])
        guard let first = cameras.first else {
            throw value.error(found: "a program without cameras", expected: "a camera, or no program")
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
        program.cutting = fields.read("cut", else: program.cutting) { value throws(ProfileError) in
            try value.choice()
        }
        program.shortestShot = fields.read("shortest", else: program.shortestShot) {
            value throws(ProfileError) in
            try value.duration(in: .milliseconds(100) ... .seconds(3600), example: "2s")
        }
        return program
    }

    /// Reads what the program shows and where.
    ///
    /// - Parameters:
    ///   - fields: The fields of `value`, among them those of an arrangement.
    ///   - value: The program or a scene.
    ///   - usual: What holds where a field is left out.
    /// - Returns: The usual program with what was read.
    /// - Throws: `ProfileError`; errors of single fields are collected.
    func arrangement(
        _ fields: ProfileFields, of value: ProfileValue, usual: ProgramSettings
    ) throws(ProfileError) -> ProgramSettings {
        let layout = layout(fields, else: usual.layout)
        let problems = value.problems.count
        let main = fields.read("main", else: usual.main) { value throws(ProfileError) in
            try role(value, of: cameras, kind: "camera")
        }
        var program = usual
        if layout != usual.layout { program.filling = layout.usualFilling }
        (program.layout, program.main) = (layout, main)
        // Without a known main camera, the roles that cannot be insets are not known either.
        if value.problems.count == problems {
            program.insets = insets(fields, layout: layout, main: main)
        }
        program.corner = fields.read("corner", else: program.corner) { value throws(ProfileError) in
            try value.choice()
        }
        program.insetShare = fields.read("scale", else: program.insetShare) {
            value throws(ProfileError) in
            try value.decimal(in: 0.05...1, expected: "a share of the program's width from 0.05 to 1")
        }
        program.marginShare = fields.read("margin", else: program.marginShare) {
            value throws(ProfileError) in
            try value.decimal(in: 0...0.5, expected: "a share of the program's width from 0 to 0.5")
        }
        program.border = fields.read("border", else: program.border) { value throws(ProfileError) in
            try value.integer(in: 0...64, expected: "a width in pixels from 0 to 64")
        }
        program.filling = fields.read("filling", else: program.filling) { value throws(ProfileError) in
            switch value.plainText {
            case "fit": .fit
            case "fill": .fill
            default: throw value.error(expected: "fit (with black beside it) or fill (with its edges cut)")
            }
        }
        return program
    }

    func microphones(_ value: ProfileValue, allowingOne: Bool) throws(ProfileError) -> [String] {
        try roles(value, of: microphones, kind: "microphone", allowingOne: allowingOne)
    }

    private func layout(
        _ fields: ProfileFields, else usual: ProgramSettings.Layout
    ) -> ProgramSettings.Layout {
        fields.read("layout", else: usual) { value throws(ProfileError) in
            let layout: ProgramSettings.Layout = try value.choice()
            if cameras.count == 1, layout == .pip || layout == .sideBySide {
                throw value.error(
                    found: "“\(layout.rawValue)” with one camera", expected: "two cameras, or single")
            }
            return layout
        }
    }

    /// The cameras besides the main one: all by default, but for `pip` the next one only, as every further inset hides more of
    /// the main frame.
    private func insets(
        _ fields: ProfileFields, layout: ProgramSettings.Layout, main: String
    ) -> [String] {
        let others = cameras.filter { $0 != main }
        let usual: [String] =
            switch layout {
            case .pip: Array(others.prefix(1))
            case .sideBySide, .grid: others
            case .single: []
            }
        return fields.read("inset", else: usual) { value throws(ProfileError) in
            let roles = try roles(value, of: cameras, kind: "camera", allowingOne: true)
            if roles.contains(main) {
                throw value.error(
                    found: "“\(main)”, which is the main camera", expected: ProfileValue.list(others))
            }
            if roles.isEmpty, layout == .pip || layout == .sideBySide {
                throw value.error(found: "an empty list", expected: ProfileValue.list(others))
            }
            return roles
        }
    }

    /// A size with even sides, as H.264 with 4:2:0 chroma needs it.
    private func size(_ value: ProfileValue) throws(ProfileError) -> FrameSize {
        let size = try value.size()
        guard [size.width, size.height].allSatisfy({ $0 % 2 == 0 && (64...8192).contains($0) }) else {
            throw value.error(
                expected: "a size with even sides from 64 to 8192 pixels, for example 1920x1080")
        }
        return size
    }

    private func audio(_ value: ProfileValue) throws(ProfileError) -> AudioSettings {
        let fields = try value.fields(["codec", "bitrate", "mix"])
        let usual = AudioSettings(mix: microphones)
        return AudioSettings(
            codec: fields.read("codec", else: usual.codec) { value throws(ProfileError) in
                try value.choice()
            },
            bitrate: fields.read("bitrate", else: usual.bitrate) { value throws(ProfileError) in
                try value.bitrate(in: 32_000...512_000)
            },
            mix: fields.read("mix", else: usual.mix) { value throws(ProfileError) in
                try microphones(value, allowingOne: false)
            })
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
                throw item.error(found: "“\(name)” a second time", expected: "each \(kind) once")
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
            ? "none, as there is no \(kind)" : ProfileValue.list(known, nearestTo: value.plainText)
        throw value.error(expected: "the role of a \(kind): \(roles)")
    }
}
