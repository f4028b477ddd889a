/// What a person wants to be recorded, as a value: the devices by role, the program, the tracks, the budget.
///
/// Read from YAML by `init(yaml:file:)`; compiled with the devices that are there to a `SessionPlan`.
public struct Profile: Sendable, Equatable {
    /// Its file's name without the ending.
    public var name: String
    /// One line; empty where there is none.
    public var description: String
    /// In order of priority: the last is reduced first.
    public var cameras: [CameraRole]
    public var microphones: [MicrophoneRole]
    public var program: ProgramSettings?
    public var tracks: TrackSettings
    public var budget: BudgetSettings
    public var limits: RecordingLimits
    public var choice: ChoiceSettings
    public let source: ProfileSource

    /// A profile that no file holds. Unlike one that was read, it is not checked before it is compiled.
    public init(
        name: String, description: String = "", cameras: [CameraRole] = [],
        microphones: [MicrophoneRole] = [],
        program: ProgramSettings? = nil, tracks: TrackSettings? = nil,
        budget: BudgetSettings = BudgetSettings(),
        limits: RecordingLimits = RecordingLimits(), choice: ChoiceSettings = ChoiceSettings()
    ) {
        self.init(
            name: name, description: description, cameras: cameras, microphones: microphones,
            program: program,
            tracks: tracks ?? .usual(withProgram: program != nil), budget: budget, limits: limits,
            choice: choice, source: ProfileSource(name: name))
    }

    init(
        name: String, description: String, cameras: [CameraRole], microphones: [MicrophoneRole],
        program: ProgramSettings?, tracks: TrackSettings, budget: BudgetSettings, limits: RecordingLimits,
        choice: ChoiceSettings, source: ProfileSource
    ) {
        self.name = name
        self.description = description
        self.cameras = cameras
        self.microphones = microphones
        self.program = program
        self.tracks = tracks
        self.budget = budget
        self.limits = limits
        self.choice = choice
        self.source = source
    }

    /// Whether a name can be a role's: it becomes a file's name and stands in commands, so it is plain.
    public static func isRole(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let isPlain = bytes.allSatisfy { Set("abcdefghijklmnopqrstuvwxyz0123456789_-".utf8).contains($0) }
        return (1...32).contains(bytes.count) && isPlain && bytes[0] != UInt8(ascii: "-")
            && bytes[0] != UInt8(ascii: "_")
    }

    /// The same in words.
    public static let roleRule = "1 to 32 small letters, digits, - and _, beginning with a letter or digit"

    /// Whether it would leave any file behind.
    package var writesAnything: Bool {
        program != nil || (!cameras.isEmpty && tracks.cameras != .none)
            || (!microphones.isEmpty && tracks.microphones != .none)
    }
}

extension TrackSettings {
    /// What is recorded where a profile says nothing of tracks: everything if there is no program, else nothing.
    public static func usual(withProgram hasProgram: Bool) -> Self {
        hasProgram ? Self(cameras: .none, microphones: .none) : Self(cameras: .copy, microphones: .wav)
    }
}
