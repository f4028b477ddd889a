internal import FoundationEssentials
internal import Glibc
package import MulticamMedia
internal import MulticamYAML

/// A live output in a profile, with its source, its address, and the condition for starting it.
package struct LiveOutputSettings: Sendable, Equatable {
    /// When a live output starts.
    package enum Start: String, Sendable, Codable, CaseIterable {
        /// The live output starts and ends with each recording.
        case recording
        /// The live output starts with the session, even during standby.
        case session
        /// The live output starts only with the command `publish`.
        case command
    }

    /// The address of a live output, or the place where the address is stored.
    package enum Address: Sendable, Equatable {
        /// The profile itself contains the address.
        case inline(LiveOutputAddress)
        /// The address is stored outside the profile, because it contains a secret key.
        case external(SecretSource)
    }

    /// Name of the live output. The name follows the rules for role names and must differ from all roles.
    package var name: String
    /// The address to which the live output is sent.
    package var address: Address
    /// Storage location of the token for a WHIP endpoint; `nil` if the endpoint doesn't require a token.
    package var token: SecretSource?
    /// The source of the live output: `program`, or a camera's role.
    package var source: String
    /// When the live output starts.
    package var start: Start
    /// Width and height of separately produced frames; `nil` if the profile doesn't set a size.
    package var size: FrameSize?
    /// Frame rate of separately produced frames; `nil` if the profile doesn't set a rate.
    package var rate: FrameRate?
    /// Bit rate of the live output's separate encoder in bits per second; `nil` if the profile doesn't set a
    /// bit rate.
    package var bitrate: Int?
    /// Whether the live output sends separately produced frames instead of the recording's packets.
    package var hasOwnFrames: Bool
    /// Whether the live output's address was read from a location outside the profile.
    package var hasExternalAddress = false

    /// Creates settings for a live output. By default, the live output sends the program's packets during
    /// each recording.
    package init(
        name: String, address: Address, token: SecretSource? = nil,
        source: String = Self.program, start: Start = .recording
    ) {
        (self.name, self.address, self.token) = (name, address, token)
        (self.source, self.start, hasOwnFrames) = (source, start, false)
    }

    /// Source name of the program, which consists of the composed frames and the mixed audio.
    package static let program = "program"
}

extension Profile {
    /// Names of the environment variables that contain keys of this profile. These variables must not be
    /// passed to other programs.
    package var secretVariables: Set<String> {
        var names: Set<String> = []
        for address in cameras.map(\.address) + microphones.map(\.address) {
            if case .environment(let name)? = address { names.insert(name) }
        }
        for liveOutput in liveOutputs {
            if case .external(.environment(let name)) = liveOutput.address { names.insert(name) }
            if case .environment(let name)? = liveOutput.token { names.insert(name) }
        }
        return names
    }
}

/// The storage location of a secret key. Storing the key separately keeps it out of profiles, arguments, and
/// logs.
package enum SecretSource: Sendable, Equatable {
    /// The path of a file that contains one line. The path is absolute or begins with `~/`.
    case file(String)
    /// The name of an environment variable.
    case environment(String)

    /// The reason why a key isn't available.
    package struct ReadError: Error {
        /// The words that follow "found" in the error message.
        package let found: String
        /// The words that follow "expected" in the error message.
        package let expected: String
    }

    /// Placeholder selector for a device whose separately stored address hasn't been read yet. The
    /// placeholder never matches a device.
    package static let placeholderSelector = "url_from:"

    /// Maximum length of a key in bytes.
    private static let longest = 4096

    /// Reads the secret key.
    ///
    /// - Parameter environment: The process's environment.
    /// - Returns: The key without the line feed at its end, and a user-readable warning if other users can
    ///   read the key's file.
    /// - Throws: `ReadError` if the file or variable doesn't exist, or doesn't contain exactly one line.
    package func read(_ environment: [String: String]) throws(ReadError) -> (text: String, warning: String?) {
        switch self {
        case .environment(let name):
            guard let value = environment[name] else {
                throw ReadError(
                    found: "no environment variable \(name)",
                    expected: "the variable to contain the key: `export \(name)=…`")
            }
            return (try Self.line(value, of: "the environment variable \(name)"), nil)
        case .file(let path):
            return try Self.read(
                file: path.hasPrefix("~/") ? (environment["HOME"] ?? "") + path.dropFirst() : path)
        }
    }

    private static func read(file path: String) throws(ReadError) -> (text: String, warning: String?) {
        let name = path.printable(limit: 1000)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let reason = errno == EACCES ? "permission denied" : String(cString: strerror(errno))
            throw ReadError(
                found: "\(name), which cannot be read: \(reason.lowercased())",
                expected: "a file that you can read, with the key on one line")
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw ReadError(
                found: "\(name), which is not a file", expected: "a file with the key on one line")
        }
        var bytes = [UInt8](repeating: 0, count: longest + 2)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        let text = try line(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self), of: name)
        let isOpen = facts.st_mode & 0o044 != 0
        return (
            text,
            isOpen ? "other users can read the key in \(name). Run `chmod 600 \(name.shellQuoted())`." : nil
        )
    }

    /// Returns a secret's text without the trailing line feed.
    private static func line(_ text: String, of place: String) throws(ReadError) -> String {
        let line = text.trimmed
        guard !line.isEmpty, line.utf8.count <= longest, line.printable(limit: longest) == line else {
            throw ReadError(
                found: line.isEmpty
                    ? "\(place), which is empty"
                    : "\(place), which does not contain exactly one line of text",
                expected: "only the key, on one line of at most \(longest) bytes")
        }
        return line
    }
}

extension LiveOutputSettings {
    private static let fieldNames = ["url", "url_from", "token_from", "of", "start", "video"]

    /// Reads the `publish` section of a profile.
    ///
    /// - Parameters:
    ///   - value: The value of the field `publish`.
    ///   - cameras: Roles of the profile's cameras.
    ///   - microphones: Roles of the profile's microphones.
    ///   - program: The profile's program; `nil` if the profile doesn't have a program.
    /// - Returns: The live outputs, in file order.
    /// - Throws: `ProfileError` if the field is empty. Errors in individual live outputs are collected.
    static func read(
        _ value: ProfileValue, cameras: [String], microphones: [String], program: ProgramSettings?
    ) throws(ProfileError) -> [LiveOutputSettings] {
        var liveOutputs: [LiveOutputSettings] = []
        for entry in try value.entries(
            expected: "live outputs with their addresses, for example { show: { url: \"srt://host:9000\" } }")
        {
            value.problems.collecting { () throws(ProfileError) in
                guard Profile.isValidRole(entry.name) else {
                    throw entry.value.error(
                        at: entry.position, found: "the name “\(entry.name)”", expected: Profile.roleRule)
                }
                guard entry.name != Self.program, !(cameras + microphones).contains(entry.name) else {
                    throw entry.value.error(
                        at: entry.position, found: "the name “\(entry.name)”, which is already in use",
                        expected: "a name that differs from all camera and microphone roles")
                }
                let read = try readOutput(entry.value, named: entry.name, cameras: cameras, program: program)
                if let read { liveOutputs.append(read) }
            }
        }
        return liveOutputs
    }

    /// Reads one live output; returns `nil` if an error in its address has been collected.
    private static func readOutput(
        _ value: ProfileValue, named name: String, cameras: [String], program: ProgramSettings?
    ) throws(ProfileError) -> LiveOutputSettings? {
        let fields = try value.fields(fieldNames)
        let problems = value.problems.count
        let given = fields.read("url") { value throws(ProfileError) in try address(value) }
        let kept =
            fields.read("url_from") { value throws(ProfileError) in try SecretSource.read(value) } ?? nil
        let token =
            fields.read("token_from") { value throws(ProfileError) in try SecretSource.read(value) } ?? nil
        let place: Address
        switch (given, kept) {
        case (let given?, nil): place = .inline(given)
        case (nil, let kept?): place = .external(kept)
        case (nil, nil) where value.problems.count > problems: return nil
        case (nil, nil):
            throw value.error(found: "no address", expected: "url, or url_from: { file: … } or { env: … }")
        case (.some, .some):
            throw value.error(found: "both url and url_from", expected: "only one of these fields")
        }
        var liveOutput = Self(name: name, address: place, token: token)
        liveOutput.source = fields.read("of", else: liveOutput.source) { value throws(ProfileError) in
            // An error in the program has already been reported.
            let roles = (program == nil && problems == 0 ? [] : [Self.program]) + cameras
            guard let role = value.plainText, roles.contains(role) else {
                throw value.error(expected: ProfileValue.list(roles, nearestTo: value.plainText))
            }
            return role
        }
        liveOutput.start = fields.read("start", else: liveOutput.start) { value throws(ProfileError) in
            try value.choice()
        }
        let video = fields.read("video") { value throws(ProfileError) in
            try value.fields(["size", "rate", "bitrate"])
        }
        if let video {
            liveOutput.hasOwnFrames = true
            liveOutput.size = video.read("size") { value throws(ProfileError) in
                let size = try value.size()
                guard size.width % 2 == 0, size.height % 2 == 0, size.width >= 64, size.height >= 64 else {
                    throw value.error(
                        expected: "a size with even sides of at least 64 pixels, for example 1280x720")
                }
                return size
            }
            liveOutput.rate = video.read("rate") { value throws(ProfileError) in try value.rate() }
            liveOutput.bitrate = video.read("bitrate") { value throws(ProfileError) in
                try value.bitrate(in: 100_000...100_000_000)
            }
        }
        guard liveOutput.source != Self.program || program != nil || problems > 0 else {
            throw value.error(
                found: "no program to publish",
                expected: "a program in the profile, or `of` with a camera's role")
        }
        if let given, let fault = liveOutput.fault(with: given.kind, program) {
            throw value.error(found: fault.found, expected: fault.expected)
        }
        return liveOutput
    }

    /// Reads the address of a live output. Error messages never quote the address, because it may contain a
    /// key.
    private static func address(_ value: ProfileValue) throws(ProfileError) -> LiveOutputAddress {
        guard let text = value.plainText else {
            throw value.error(found: "no address", expected: "an address such as srt://host:9000")
        }
        do throws(AddressError) {
            return try LiveOutputAddress(text)
        } catch {
            throw value.error(found: error)
        }
    }

    /// Returns an error if this kind of live output doesn't support the settings.
    ///
    /// - Parameters:
    ///   - kind: The protocol or device type of the address. If the address is stored separately, the kind is
    ///     known only after the address has been read.
    ///   - program: The profile's program; `nil` if the profile doesn't have a program.
    /// - Returns: The "found" and "expected" parts of the error; `nil` if the settings are valid.
    package func fault(
        with kind: LiveOutputAddress.Kind, _ program: ProgramSettings?
    ) -> (found: String, expected: String)? {
        if token != nil, kind != .whip {
            return (
                "a token for \(kind.rawValue)",
                "no `token_from` field, because only whip+https:// supports tokens"
            )
        }
        switch kind {
        case .pulse:
            if hasOwnFrames { return ("video settings for a virtual microphone", "no video settings") }
            if source != Self.program {
                return (
                    "a virtual microphone that plays a camera",
                    "of: program, because a virtual microphone plays only the program mix"
                )
            }
            if let program, program.audio.mix.isEmpty {
                return ("a program without audio", "a microphone in program: { audio: { mix: […] } }")
            }
        case .v4l2:
            if bitrate != nil {
                return ("a bitrate for raw frames", "video: { size, rate } without a bitrate")
            }
        case .srt, .rtmp, .whip:
            guard !hasOwnFrames else { break }
            if source != Self.program {
                return (
                    "a camera without video settings",
                    "video: { size, rate, bitrate }, because this output needs a separate encoder"
                )
            }
            guard kind == .whip, let preset = program?.video.preset,
                preset == .superfast || preset == .veryfast
            else { break }
            return (
                "the program's stream, which contains B-frames at preset \(preset.rawValue)",
                "`video: { size, rate, bitrate }` for a separate encoder, or the program preset `balanced` or `ultrafast`, because WebRTC does not support B-frames"
            )
        }
        return nil
    }
}

extension SecretSource {
    /// Reads a secret's storage location from `{ file: PATH }` or `{ env: NAME }`; returns `nil` if an error
    /// in the field has been collected. Errors never quote the value, because the value may be the key
    /// itself.
    static func read(_ value: ProfileValue) throws(ProfileError) -> SecretSource? {
        guard case .mapping = value.node.content else {
            throw value.error(
                found: "no source", expected: "{ file: PATH } or { env: NAME } with the key")
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
                    found: "no name", expected: "the name of an environment variable (letters, digits, and _)"
                )
            }
            return name
        }
        switch (file, variable) {
        case (let file?, nil): return .file(file)
        case (nil, let variable?): return .environment(variable)
        case (nil, nil) where value.problems.count > problems: return nil
        default:
            throw value.error(
                found: file == nil ? "neither file nor env" : "both file and env",
                expected: "{ file: PATH } or { env: NAME }")
        }
    }

    private static let nameCharacters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_".utf8)
}

extension ProfileValue {
    /// Creates a profile error about an address, without quoting the address.
    func error(found error: AddressError) -> ProfileError {
        self.error(found: error.found, expected: error.expected)
    }
}

extension AddressError {
    /// The words that follow "found" in a profile error.
    package var found: String { "an invalid address: \(parts.first ?? "")" }
    /// The words that follow "expected" in a profile error.
    package var expected: String { parts.count > 1 ? parts[1] : "an address such as srt://host:9000" }

    /// The parts of the error sentence: the problem, and the expected value if the sentence states one.
    private var parts: [String] {
        description.trimmingFullStop.split(separator: ": expected ").map(String.init)
    }
}
