internal import MulticamMedia

/// Description of a recording as requested by the user: devices by role, the program, the tracks, and the
/// budget.
///
/// A session compiles a `SessionPlan` from a profile and the connected devices.
public struct Profile: Sendable, Equatable {
    /// Name of the profile, which is the file name without the extension.
    public var name: String
    /// Purpose of the profile in one line; empty if not set.
    public var description: String
    /// Cameras in order of priority. If the plan exceeds the budget, the last camera is reduced first.
    public var cameras: [CameraRole]
    /// The microphones, in the order of the profile's file.
    public var microphones: [MicrophoneRole]
    /// The composed program; `nil` for a profile without a program.
    public var program: ProgramSettings?
    /// Named arrangements of the program, in the order of the profile's file.
    package var scenes: [SceneSettings]
    /// Tracks to record for each device.
    public var tracks: TrackSettings
    /// The share of the machine's capacity that the recording may use, and what to do if the recording needs
    /// more.
    public var budget: BudgetSettings
    /// Maximum losses that the recording tolerates.
    package var limits: RecordingLimits
    /// Settings for choosing cameras for roles whose device is `any`.
    package var choice: ChoiceSettings
    /// Title of the recording, names of people, and editing projects to write at the end.
    package var editing = EditingSettings()
    /// The live outputs, in the order of the profile's file.
    package var liveOutputs: [LiveOutputSettings] = []
    /// Nodes of a group that take part in the recording, in the order of the profile's file. If the list is
    /// empty, all nodes record, each with its own profile.
    package var nodes: [NodeSettings] = []
    /// Locations of the fields in the profile's file, for error messages.
    package let source: ProfileSource

    /// Creates a profile without a file. The profile is checked when it is compiled.
    ///
    /// - Parameters:
    ///   - name: Name of the profile.
    ///   - cameras: Roles of the cameras.
    ///   - microphones: Roles of the microphones.
    ///   - program: The program; `nil` for none.
    ///   - tracks: The tracks of the devices. If `nil`, all devices have tracks unless the profile contains a program.
    ///   - budget: Limits of the session's cost.
    public init(
        name: String, cameras: [CameraRole] = [], microphones: [MicrophoneRole] = [],
        program: ProgramSettings? = nil, tracks: TrackSettings? = nil,
        budget: BudgetSettings = BudgetSettings()
    ) {
        self.init(
            name: name, description: "", cameras: cameras, microphones: microphones, program: program,
            tracks: tracks, budget: budget)
    }

    /// Creates a profile without a file. The profile is checked when it is compiled. By default, `tracks`
    /// contains all devices if the profile doesn't have a program; otherwise, only the program is recorded.
    package init(
        name: String, description: String = "", cameras: [CameraRole] = [],
        microphones: [MicrophoneRole] = [],
        program: ProgramSettings? = nil, scenes: [SceneSettings] = [], tracks: TrackSettings? = nil,
        budget: BudgetSettings = BudgetSettings(),
        limits: RecordingLimits = RecordingLimits(), choice: ChoiceSettings = ChoiceSettings()
    ) {
        self.init(
            name: name, description: description, cameras: cameras, microphones: microphones,
            program: program, scenes: scenes,
            tracks: tracks ?? .defaults(withProgram: program != nil), budget: budget, limits: limits,
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

    /// Whether a name is a valid role name. Role names are used in file names and commands, so only lowercase
    /// letters, digits, `-`, and `_` are allowed.
    package static func isValidRole(_ name: String) -> Bool {
        name.isPlainName(longest: 32) && name == name.lowercased()
    }

    /// User-readable rule for role names.
    package static let roleRule =
        "1 to 32 lowercase letters, digits, - and _, starting with a letter or digit"

    /// Whether a recording with this profile writes any files. If the profile doesn't write files, a session
    /// can run but can't record.
    package var writesAnything: Bool {
        program != nil || (!cameras.isEmpty && tracks.cameras != .none)
            || (!microphones.isEmpty && tracks.microphones != .none)
    }

    /// Checks that a recording with this profile writes at least one file.
    ///
    /// - Throws: `ProfileError` at the field `tracks` if the recording wouldn't write any files.
    package func checkWritesAnything() throws(ProfileError) {
        guard writesAnything else {
            throw source.error(
                at: "tracks", found: "nothing to record",
                expected: "a program, or tracks for cameras (copy, encode) or microphones (wav)")
        }
    }
}

extension TrackSettings {
    /// Returns the default track settings of a profile: tracks for all cameras and microphones if the profile
    /// doesn't have a program, otherwise no device tracks.
    package static func defaults(withProgram hasProgram: Bool) -> Self {
        hasProgram ? Self(cameras: .none, microphones: .none) : Self(cameras: .copy, microphones: .wav)
    }
}

extension Profile {
    /// Checks the role names of a profile that was created without a file. Role names are used as file names.
    /// Role names in a profile file are checked when the file is read.
    ///
    /// - Throws: `ProfileError` if a role name is invalid, or if two devices have the same role.
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
            guard Self.isValidRole(role) else {
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
    /// Returns a copy of the profile in which some devices are replaced.
    ///
    /// - Parameters:
    ///   - cameras: Roles and selectors of cameras, which replace those of the profile. If a role occurs
    ///     several times, the last entry applies.
    ///   - microphones: Roles and selectors of microphones, which replace those of the profile. If a role
    ///     occurs several times, the last entry applies.
    ///   - pattern: The pattern of the synthetic devices to assign to every role; `nil` to assign none. Exceptions
    ///     are roles that are listed in `cameras` or `microphones`, and roles whose selector already begins with
    ///     `virtual:` or `file:`.
    /// - Returns: The modified copy of the profile.
    /// - Throws: `ProfileError` if a role isn't in the profile. The error gives the command-line option
    ///   instead of a file name.
    package func replacingDevices(
        cameras: [(role: String, device: String)] = [], microphones: [(role: String, device: String)] = [],
        virtually pattern: VirtualPattern? = nil
    ) throws(ProfileError) -> Profile {
        var profile = self
        if let pattern {
            let (cameraCount, microphoneCount) = (profile.cameras.count, profile.microphones.count)
            for index in profile.cameras.indices where Self.isReal(profile.cameras[index].device) {
                profile.cameras[index].assignDevice(
                    pattern.camera(index, cameraCount: cameraCount, microphoneCount: microphoneCount))
            }
            for index in profile.microphones.indices where Self.isReal(profile.microphones[index].device) {
                profile.microphones[index].assignDevice(
                    pattern.microphone(index, cameraCount: cameraCount, microphoneCount: microphoneCount))
            }
        }
        for (role, device) in cameras {
            guard let index = profile.cameras.firstIndex(where: { $0.role == role }) else {
                throw unknownRole(
                    "\(onCommandLine("--camera ", otherwise: "camera "))\(role)=\(device)", role,
                    of: self.cameras.map(\.role), kind: "camera")
            }
            profile.cameras[index].assignDevice(device)
        }
        for (role, device) in microphones {
            guard let index = profile.microphones.firstIndex(where: { $0.role == role }) else {
                throw unknownRole(
                    "\(onCommandLine("--mic ", otherwise: "microphone "))\(role)=\(device)", role,
                    of: self.microphones.map(\.role), kind: "microphone")
            }
            profile.microphones[index].assignDevice(device)
        }
        return profile
    }

    /// Returns a copy of the profile without its microphones, and with a program without audio.
    ///
    /// - Throws: `ProfileError` if nothing is left to record. The error gives the command-line option instead
    ///   of a file name.
    package func withoutMicrophones() throws(ProfileError) -> Profile {
        var profile = self
        profile.microphones = []
        profile.program?.audio.mix = []
        for index in profile.scenes.indices {
            profile.scenes[index].mix = nil
            profile.scenes[index].gains = [:]
        }
        // A session whose profile doesn't write any files still runs its cameras.
        guard writesAnything ? profile.writesAnything : !profile.cameras.isEmpty else {
            throw ProfileError(
                file: "--no-mics", found: "the profile “\(name)”, which records only microphones",
                expected: "a profile that records cameras, or a command without `--no-mics`")
        }
        return profile
    }

    /// Whether a selector names a device other than a virtual device or a file.
    package static func isReal(_ selector: String) -> Bool {
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

/// Settings for editing a recording: the title, the people in the recording, and the project files to write
/// when the recording ends.
package struct EditingSettings: Sendable, Equatable, Codable {
    /// Title of the recording; `nil` to use the name of the session folder.
    package var title: String?
    /// Names of people in the recording, by the role of each person's microphone or camera.
    package var people: [String: String]
    /// Formats of the editing project files to write when the recording has ended.
    package var formats: [EditFormat]

    /// Creates editing settings, which are empty by default.
    package init(title: String? = nil, people: [String: String] = [:], formats: [EditFormat] = []) {
        self.title = title
        self.people = people
        self.formats = formats
    }
}

/// A project format for video editors.
package enum EditFormat: String, Sendable, Codable, CaseIterable {
    /// FCPXML 1.10, for Final Cut Pro and DaVinci Resolve.
    case fcpxml
    /// OpenTimelineIO, for Premiere Pro and DaVinci Resolve.
    case otio
    /// MLT XML, for Kdenlive, Shotcut, and melt.
    case mlt
    /// CMX 3600 edit decision list, for all other editors.
    case edl
}

/// A node of a group that is listed in a profile, with the profile that the node uses for the recording.
package struct NodeSettings: Sendable, Equatable {
    /// The node's name in its group.
    package var name: String
    /// Name of the profile to use, from the profiles stored on the node; `nil` for the node's own profile.
    package var profile: String?

    /// Creates the settings of a group node.
    package init(name: String, profile: String?) { (self.name, self.profile) = (name, profile) }
}
