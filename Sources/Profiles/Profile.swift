internal import Media

/// The recording that the user wants, as a value: devices by role, the program, the tracks, and the budget.
///
/// `init(yaml:file:)` reads a profile from YAML. A profile and the devices that are present are compiled to a
/// `SessionPlan`.
public struct Profile: Sendable, Equatable {
    /// Name of the profile: its file's name without the extension.
    public var name: String
    /// Purpose of the profile in one line; empty if not set.
    public var description: String
    /// Cameras in order of priority. The last camera is reduced first.
    public var cameras: [CameraRole]
    /// The microphones, in file order.
    public var microphones: [MicrophoneRole]
    /// The composed program; `nil` for a profile without a program.
    public var program: ProgramSettings?
    /// Named arrangements of the program, in file order.
    public var scenes: [SceneSettings]
    /// Tracks to record for each device.
    public var tracks: TrackSettings
    /// The share of the machine that the recording may use, and the policy if it needs more.
    public var budget: BudgetSettings
    /// Maximum losses that the recording tolerates.
    public var limits: RecordingLimits
    /// How cameras are chosen for roles with `any`.
    public var choice: ChoiceSettings
    /// Title, people, and editing projects to write at the end of a recording.
    public var editing = EditingSettings()
    /// The live outputs, in file order.
    public var liveOutputs: [LiveOutputSettings] = []
    /// Nodes of a group that record, in file order. If empty, all nodes record, each with its own profile.
    public var nodes: [NodeSettings] = []
    /// Locations of the fields in the file, for errors.
    public let source: ProfileSource

    /// Creates a profile without a file. The profile is checked when it is compiled. The default `tracks`
    /// record all devices if there is no program, and otherwise only the program.
    public init(
        name: String, description: String = "", cameras: [CameraRole] = [],
        microphones: [MicrophoneRole] = [],
        program: ProgramSettings? = nil, scenes: [SceneSettings] = [], tracks: TrackSettings? = nil,
        budget: BudgetSettings = BudgetSettings(),
        limits: RecordingLimits = RecordingLimits(), choice: ChoiceSettings = ChoiceSettings()
    ) {
        self.init(
            name: name, description: description, cameras: cameras, microphones: microphones,
            program: program, scenes: scenes,
            tracks: tracks ?? .usual(withProgram: program != nil), budget: budget, limits: limits,
            choice: choice, source: ProfileSource(name: name))
    }

    init(
        name: String, description: String, cameras: [CameraRole], microphones: [MicrophoneRole],
        program: ProgramSettings?, scenes: [SceneSettings], tracks: TrackSettings, budget: BudgetSettings,
        limits: RecordingLimits,
        choice: ChoiceSettings, source: ProfileSource
    ) {
        self.name = name
        self.description = description
        self.cameras = cameras
        self.microphones = microphones
        self.program = program
        self.scenes = scenes
        self.tracks = tracks
        self.budget = budget
        self.limits = limits
        self.choice = choice
        self.source = source
    }

    /// Whether a name is a valid role name. Role names are used in file names and commands, so only plain characters
    /// are allowed.
    public static func isRole(_ name: String) -> Bool {
        name.isPlainName(longest: 32) && name == name.lowercased()
    }

    /// User-readable rule for role names.
    public static let roleRule = "1 to 32 lowercase letters, digits, - and _, starting with a letter or digit"

    /// Whether a recording with this profile writes any file. If no file is written, a session can run but can't
    /// record.
    public var writesAnything: Bool {
        program != nil || (!cameras.isEmpty && tracks.cameras != .none)
            || (!microphones.isEmpty && tracks.microphones != .none)
    }

    /// Checks that a recording with this profile writes at least one file.
    ///
    /// - Throws: `ProfileError` at the field `tracks` if no file is written.
    public func checkWritesAnything() throws(ProfileError) {
        guard writesAnything else {
            throw source.error(
                at: "tracks", found: "nothing to record",
                expected: "a program, or tracks for cameras (copy, encode) or microphones (wav)")
        }
    }
}

extension TrackSettings {
    /// Returns the default tracks of a profile: all cameras and microphones if there is no program, otherwise none.
    public static func usual(withProgram hasProgram: Bool) -> Self {
        hasProgram ? Self(cameras: .none, microphones: .none) : Self(cameras: .copy, microphones: .wav)
    }
}

extension Profile {
    /// Checks the roles of a profile without a file, because they are used as file names. Roles in a file are checked
    /// when the file is read.
    ///
    /// - Throws: `ProfileError` if a role name is invalid, or two devices have the same role.
    package func checkRoles() throws(ProfileError) {
        let places =
            cameras.map { ("cameras", $0.role) } + microphones.map { ("microphones", $0.role) }
        var taken: Set<String> = ["program"]
        guard !places.isEmpty else {
            throw source.error(
                at: "cameras", found: "no cameras or microphones",
                expected: "at least one camera or microphone")
        }
        for (field, role) in places {
            guard Self.isRole(role) else {
                throw source.error(at: field, found: "the role “\(role)”", expected: Self.roleRule)
            }
            guard taken.insert(role).inserted else {
                throw source.error(
                    at: field, found: "the duplicate role “\(role)”",
                    expected: "a unique role name")
            }
        }
    }
}

extension Profile {
    /// Returns a copy of the profile with other devices.
    ///
    /// - Parameters:
    ///   - cameras: Roles and selectors of cameras, as in `--camera ROLE=DEVICE`. The last entry for a role applies.
    ///   - microphones: Roles and selectors of microphones, as in `--mic ROLE=DEVICE`. The last entry for a role
    ///     applies.
    ///   - virtually: Whether every role gets a synthetic device, unless its selector already begins with `virtual:` or
    ///     `file:` or the role is listed in `cameras` or `microphones`.
    /// - Returns: The copy, which is otherwise identical.
    /// - Throws: `ProfileError` if the profile doesn't have such a role. The error names the option as its file.
    public func replacingDevices(
        cameras: [(role: String, device: String)] = [], microphones: [(role: String, device: String)] = [],
        virtually: Bool = false
    ) throws(ProfileError) -> Profile {
        var profile = self
        if virtually {
            for index in profile.cameras.indices where Self.isReal(profile.cameras[index].device) {
                profile.cameras[index].play("virtual:clap")
            }
            for index in profile.microphones.indices where Self.isReal(profile.microphones[index].device) {
                profile.microphones[index].play("virtual:clap")
            }
        }
        for (role, device) in cameras {
            guard let index = profile.cameras.firstIndex(where: { $0.role == role }) else {
                throw unknownRole(
                    "--camera \(role)=\(device)", role, of: self.cameras.map(\.role), kind: "camera")
            }
            profile.cameras[index].play(device)
        }
        for (role, device) in microphones {
            guard let index = profile.microphones.firstIndex(where: { $0.role == role }) else {
                throw unknownRole(
                    "--mic \(role)=\(device)", role, of: self.microphones.map(\.role), kind: "microphone")
            }
            profile.microphones[index].play(device)
        }
        return profile
    }

    /// Returns a copy of the profile without its microphones, and with a program without audio.
    ///
    /// - Throws: `ProfileError` if nothing is left to record. The error names the option as its file.
    public func withoutMicrophones() throws(ProfileError) -> Profile {
        var profile = self
        profile.microphones = []
        profile.program?.audio.mix = []
        for index in profile.scenes.indices {
            profile.scenes[index].mix = nil
            profile.scenes[index].gains = [:]
        }
        // A profile that writes no files still runs its cameras.
        guard writesAnything ? profile.writesAnything : !profile.cameras.isEmpty else {
            throw ProfileError(
                file: "--no-mics", found: "the profile “\(name)”, which records only microphones",
                expected: "a profile that records cameras, or a command without `--no-mics`")
        }
        return profile
    }

    private static func isReal(_ selector: String) -> Bool {
        !selector.hasPrefix("virtual:") && !selector.hasPrefix("file:")
    }

    private func unknownRole(_ option: String, _ role: String, of roles: [String], kind: String)
        -> ProfileError
    {
        ProfileError(
            file: option, found: "the role “\(role)”",
            expected: roles.isEmpty
                ? "no role, because “\(name)” does not have a \(kind)"
                : "a \(kind) role of “\(name)”: \(ProfileValue.list(roles, nearestTo: role))")
    }
}

/// Settings for editing after a recording: its title, the people in it, and the projects to write when it ends.
public struct EditingSettings: Sendable, Equatable, Codable {
    /// Title of the recording; `nil` to use the folder's name.
    public var title: String?
    /// Names of people by the role of their microphone or camera.
    public var people: [String: String]
    /// Formats of the editing projects to write when the recording has ended.
    public var formats: [EditFormat]

    /// Creates editing settings, which are empty by default.
    public init(title: String? = nil, people: [String: String] = [:], formats: [EditFormat] = []) {
        self.title = title
        self.people = people
        self.formats = formats
    }
}

/// A project format for video editors.
public enum EditFormat: String, Sendable, Codable, CaseIterable {
    /// FCPXML 1.10: Final Cut Pro, DaVinci Resolve.
    case fcpxml
    /// OpenTimelineIO: Premiere Pro, DaVinci Resolve.
    case otio
    /// MLT XML: Kdenlive, Shotcut, melt.
    case mlt
    /// CMX 3600: all other editors.
    case edl
}

/// A node of a group that a profile names, with the profile to record.
public struct NodeSettings: Sendable, Equatable {
    /// The node's name in its group.
    public var name: String
    /// The profile to use, from the profiles on the node; `nil` for the node's own profile.
    public var profile: String?

    /// Creates the settings of a node.
    public init(name: String, profile: String?) { (self.name, self.profile) = (name, profile) }
}
