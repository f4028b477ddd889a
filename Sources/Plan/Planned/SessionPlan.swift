internal import Media
public import Profiles

/// The whole session as a value: what goes in, what comes out, and how they are joined.
///
/// A profile compiles to a plan once its devices are known. A plan is checked, printed, compared and run; while running
/// it is exchanged for another.
public struct SessionPlan: Sendable, Equatable, Codable {
    /// The profile's name.
    public var profile: String
    /// In order of priority: the last is reduced first.
    public var cameras: [PlannedCamera]
    public var microphones: [PlannedMicrophone]
    public var program: PlannedProgram?
    public var cameraTracks: [PlannedCameraTrack]
    public var microphoneTracks: [PlannedMicrophoneTrack]
    public var connections: [PlannedConnection]
    public var limits: RecordingLimits
    /// What it may need of the machine, and what is given up when that is too much.
    public var budget: BudgetSettings
    /// What a person should know of the choices: one sentence each.
    public var notes: [String]

    public init(
        profile: String, cameras: [PlannedCamera], microphones: [PlannedMicrophone], program: PlannedProgram?,
        cameraTracks: [PlannedCameraTrack], microphoneTracks: [PlannedMicrophoneTrack],
        connections: [PlannedConnection], limits: RecordingLimits = RecordingLimits(),
        budget: BudgetSettings = BudgetSettings(), notes: [String] = []
    ) {
        self.profile = profile
        self.cameras = cameras
        self.microphones = microphones
        self.program = program
        self.cameraTracks = cameraTracks
        self.microphoneTracks = microphoneTracks
        self.connections = connections
        self.limits = limits
        self.budget = budget
        self.notes = notes
    }
}
