internal import Glibc
package import Media
internal import YAML

extension PublicationSettings {
    private static let fieldNames = ["url", "url_from", "token_from", "of", "start", "video"]

    /// Reads `publish`.
    ///
    /// - Parameters:
    ///   - value: The field.
    ///   - cameras: Roles of the profile's cameras.
    ///   - microphones: Roles of the profile's microphones.
    ///   - program: The profile's program, or `nil` for none.
    /// - Returns: The publications, in the order of the file.
    /// - Throws: `ProfileError` when the field has no entries; errors of entries are collected.
    static func read(
        _ value: ProfileValue, cameras: [String], microphones: [String], program: ProgramSettings?
    ) throws(ProfileError) -> [PublicationSettings] {
        var publications: [PublicationSettings] = []
        for entry in try value.entries(
            expected: "names with their addresses, for example { show: { url: \"srt://host:9000\" } }")
        {
            value.problems.collecting { () throws(ProfileError) in
                guard Profile.isRole(entry.name) else {
                    throw entry.value.error(
                        at: entry.position, found: "the name “\(entry.name)”", expected: Profile.roleRule)
                }
                guard entry.name != Self.program, !(cameras + microphones).contains(entry.name) else {
                    throw entry.value.error(
                        at: entry.position, found: "the name “\(entry.name)”, which is taken",
                        expected: "a name that no camera or microphone has")
                }
                let read = try one(entry.value, named: entry.name, cameras: cameras, program: program)
                if let read { publications.append(read) }
            }
        }
        return publications
    }

    /// Reads one publication; `nil` where an error in its address has been collected.
    private static func one(
        _ value: ProfileValue, named name: String, cameras: [String], program: ProgramSettings?
    ) throws(ProfileError) -> PublicationSettings? {
        let fields = try value.fields(fieldNames)
        let problems = value.problems.count
        let given = fields.read("url") { value throws(ProfileError) in try address(value) }
        let kept =
            fields.read("url_from") { value throws(ProfileError) in try SecretSource.read(value) } ?? nil
        let token =
            fields.read("token_from") { value throws(ProfileError) in try SecretSource.read(value) } ?? nil
        let place: Address
        switch (given, kept) {
        case (let given?, nil): place = .given(given)
        case (nil, let kept?): place = .kept(kept)
        case (nil, nil) where value.problems.count > problems: return nil
        case (nil, nil):
            throw value.error(found: "no address", expected: "url, or url_from: { file: … } or { env: … }")
        case (.some, .some):
            throw value.error(found: "url and url_from", expected: "one of them")
        }
        var publication = Self(name: name, address: place, token: token)
        publication.source = fields.read("of", else: publication.source) { value throws(ProfileError) in
            // A program that cannot be read has been told of.
            let roles = (program == nil && problems == 0 ? [] : [Self.program]) + cameras
            guard let role = value.plainText, roles.contains(role) else {
                throw value.error(expected: ProfileValue.list(roles, nearestTo: value.plainText))
            }
            return role
        }
        publication.start = fields.read("start", else: publication.start) { value throws(ProfileError) in
            try value.choice()
        }
        let video = fields.read("video") { value throws(ProfileError) in
            try value.fields(["size", "rate", "bitrate"])
        }
        if let video {
            publication.hasOwnFrames = true
            publication.size = video.read("size") { value throws(ProfileError) in
                let size = try value.size()
                guard size.width % 2 == 0, size.height % 2 == 0, size.width >= 64, size.height >= 64 else {
                    throw value.error(
                        expected: "a size with even sides of at least 64 pixels, for example 1280x720")
                }
                return size
            }
            publication.rate = video.read("rate") { value throws(ProfileError) in try value.rate() }
            publication.bitrate = video.read("bitrate") { value throws(ProfileError) in
                try value.bitrate(in: 100_000...100_000_000)
            }
        }
        guard publication.source != Self.program || program != nil || problems > 0 else {
            throw value.error(
                found: "no program to publish",
                expected: "a program in the profile, or `of` with a camera's role")
        }
        if let given, let fault = publication.fault(with: given.kind, program) {
            throw value.error(found: fault.found, expected: fault.expected)
        }
        return publication
    }

    /// An address, of which an error repeats nothing: it may hold a key.
    private static func address(_ value: ProfileValue) throws(ProfileError) -> DestinationAddress {
        guard let text = value.plainText else {
            throw value.error(found: "no address", expected: "an address such as srt://host:9000")
        }
        do throws(DestinationAddressError) {
            return try DestinationAddress(text)
        } catch {
            throw value.error(found: error)
        }
    }

    /// What a kind of destination cannot do with these settings.
    ///
    /// - Parameters:
    ///   - kind: The destination's kind, which a key apart from the profile tells only when it is read.
    ///   - program: The profile's program, or `nil` for none.
    /// - Returns: What was found and what was expected; `nil` when all is well.
    package func fault(
        with kind: DestinationAddress.Kind, _ program: ProgramSettings?
    ) -> (found: String, expected: String)? {
        if token != nil, kind != .whip {
            return ("a token for \(kind.rawValue)", "token_from with whip+https:// alone, or none")
        }
        switch kind {
        case .pulse:
            if hasOwnFrames { return ("video for a microphone", "no video") }
            if source != Self.program { return ("a microphone of a camera", "of: program, whose mix it has") }
            if let program, program.audio.mix.isEmpty {
                return ("a program without audio", "a microphone in program: { audio: { mix: […] } }")
            }
        case .v4l2:
            if bitrate != nil { return ("a bit rate of raw frames", "video: { size, rate } alone") }
        case .srt, .rtmp, .whip:
            guard !hasOwnFrames else { break }
            if source != Self.program {
                return (
                    "a camera without video",
                    "video: { size, rate, bitrate }, since it is encoded for this output alone"
                )
            }
            guard kind == .whip, let preset = program?.video.preset,
                preset == .superfast || preset == .veryfast
            else { break }
            return (
                "the program's packets, which have B-frames at preset \(preset.rawValue)",
                "video: { size, rate, bitrate } for an encoder of its own, or the program's preset balanced or ultrafast: WebRTC knows no B-frames"
            )
        }
        return nil
    }
}

extension SecretSource {
    /// Reads `{ file: PATH }` or `{ env: NAME }`; `nil` where an error in it has been collected. What stands there may be the key
    /// itself, so no error repeats it.
    static func read(_ value: ProfileValue) throws(ProfileError) -> SecretSource? {
        guard case .mapping = value.node.content else {
            throw value.error(
                found: "no place", expected: "{ file: PATH } or { env: NAME }, where the key is kept")
        }
        let problems = value.problems.count
        let fields = try value.fields(["file", "env"])
        let file = fields.read("file") { value throws(ProfileError) in
            guard let path = value.plainText, path.hasPrefix("/") || path.hasPrefix("~/"),
                path.utf8.count <= 4096,
                path.printable(limit: 4096) == path
            else {
                throw value.error(found: "no path", expected: "an absolute path, or one that begins with ~/")
            }
            return path
        }
        let variable = fields.read("env") { value throws(ProfileError) in
            guard let name = value.plainText, (1...200).contains(name.utf8.count),
                name.utf8.allSatisfy({ nameCharacters.contains($0) })
            else {
                throw value.error(
                    found: "no name", expected: "the name of a variable, of letters, digits and _")
            }
            return name
        }
        switch (file, variable) {
        case (let file?, nil): return .file(file)
        case (nil, let variable?): return .environment(variable)
        case (nil, nil) where value.problems.count > problems: return nil
        default:
            throw value.error(
                found: file == nil ? "no place" : "file and env", expected: "{ file: PATH } or { env: NAME }")
        }
    }

    private static let nameCharacters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_".utf8)
}

extension ProfileValue {
    /// The error of an address, of which nothing is repeated.
    func error(found error: DestinationAddressError) -> ProfileError {
        self.error(found: error.found, expected: error.expected)
    }
}

extension DestinationAddressError {
    /// The words that follow “found” in a profile's error.
    package var found: String { "an address that cannot be used: \(parts.first ?? "")" }
    /// The words that follow “expected” in a profile's error.
    package var expected: String { parts.count > 1 ? parts[1] : "one such as srt://host:9000" }

    /// What is wrong, and what is expected where the sentence says so.
    private var parts: [String] {
        description.trimmingFullStop.split(separator: ": expected ").map(String.init)
    }
}
