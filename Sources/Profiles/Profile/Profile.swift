internal import Media

/// The recording that a person wants, as a value: devices by role, the program, the tracks, the budget.
///
/// `init(yaml:file:)` reads it from YAML; with the devices that are present it compiles to a `SessionPlan`.
public struct Profile: Sendable, Equatable {
    /// The profile's name: its file's name without the ending.
    public var name: String
    /// The purpose of the profile in one line; empty where none is given.
    public var description: String
    /// The cameras in order of priority: the last is reduced first.
    public var cameras: [CameraRole]
    /// The microphones, in the order of the file.
    public var microphones: [MicrophoneRole]
    /// The composed program; `nil` for a profile without one.
    public var program: ProgramSettings?
    /// Named arrangements of the program, in the order of the file.
    public var scenes: [SceneSettings]
    /// The tracks that are recorded of each device.
    public var tracks: TrackSettings
    /// How much of the machine the recording may need, and what happens when that is not enough.
    public var budget: BudgetSettings
    /// The losses that the recording tolerates.
    public var limits: RecordingLimits
    /// How cameras of roles with `any` are chosen.
    public var choice: ChoiceSettings
    /// The title, the people, and the projects that are written at the end.
    public var editing = EditingSettings()
    /// The live outputs, in the order of the file.
    public var publications: [PublicationSettings] = []
    /// The nodes of a group that record, in the order of the file; empty for all, each with its own profile.
    public var nodes: [NodeSettings] = []
    /// The places of the fields in the file, for errors.
    public let source: ProfileSource

    /// Creates a profile that no file holds. It is not checked before it is compiled. Without `tracks`, everything is recorded
    /// where there is no program, else nothing besides it.
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

    /// Whether a name can be a role's: it becomes a file's name and is used in commands, so only plain characters are allowed.
    public static func isRole(_ name: String) -> Bool {
        name.isPlainName(longest: 32) && name == name.lowercased()
    }

    /// The rule for names of roles, in words.
    public static let roleRule = "1 to 32 small letters, digits, - and _, beginning with a letter or digit"

    /// Whether a recording with this profile would write any file. A session of a profile that writes nothing can run, but has
    /// nothing to record.
    public var writesAnything: Bool {
        program != nil || (!cameras.isEmpty && tracks.cameras != .none)
            || (!microphones.isEmpty && tracks.microphones != .none)
    }

    /// Checks that a recording with this profile has something to write.
    ///
    /// - Throws: `ProfileError` at the field `tracks` where it has not.
    public func checkWritesAnything() throws(ProfileError) {
        guard writesAnything else {
            throw source.error(
                at: "tracks", found: "nothing to write",
                expected: "a program, or tracks of cameras (copy, encode) or microphones (wav)")
        }
    }
}

extension TrackSettings {
    /// The tracks of a profile that says nothing of them: all cameras and microphones without a program, none beside one.
    public static func usual(withProgram hasProgram: Bool) -> Self {
        hasProgram ? Self(cameras: .none, microphones: .none) : Self(cameras: .copy, microphones: .wav)
    }
}
