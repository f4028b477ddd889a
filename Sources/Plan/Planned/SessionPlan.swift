internal import Media
public import Profiles

/// A whole session as a value: its devices, its outputs, and the connections between them.
///
/// A profile compiles to a plan once its devices are known; a program may also build one by hand, and `validate` says why it cannot
/// run. A plan is checked, printed, compared and run; a running session
/// exchanges it for another.
public struct SessionPlan: Sendable, Equatable, Codable {
    /// The profile's name.
    public var profile: String
    /// The cameras in order of priority: the last is reduced first.
    public var cameras: [PlannedCamera]
    /// The microphones, in the profile's order.
    public var microphones: [PlannedMicrophone]
    /// The composed program; `nil` for a session without one.
    public var program: PlannedProgram?
    /// The cameras' own tracks.
    public var cameraTracks: [PlannedCameraTrack]
    /// The microphones' own tracks.
    public var microphoneTracks: [PlannedMicrophoneTrack]
    /// Names of outputs that nothing is connected to yet (`addWithoutConnections`).
    public internal(set) var openOutputs: Set<String> = []
    /// The losses that the recording tolerates.
    public var limits: RecordingLimits
    /// How much of the machine the plan may need, and what is given up when it needs more.
    public var budget: BudgetSettings
    /// One sentence for people on each choice that they should know of.
    public var notes: [String]
    /// The title, the people, and the projects that are written at the end; `nil` where the profile says nothing of them.
    public var editing: EditingSettings? = nil
    /// The live outputs, in the profile's order.
    public var publications: [PlannedPublication] = []

    /// Creates a plan from its parts, which are connected as they name each other.
    public init(
        profile: String, cameras: [PlannedCamera] = [], microphones: [PlannedMicrophone] = [],
        program: PlannedProgram? = nil, cameraTracks: [PlannedCameraTrack] = [],
        microphoneTracks: [PlannedMicrophoneTrack] = [], limits: RecordingLimits = RecordingLimits(),
        budget: BudgetSettings = BudgetSettings(), notes: [String] = []
    ) {
        self.profile = profile
        self.cameras = cameras
        self.microphones = microphones
        self.program = program
        self.cameraTracks = cameraTracks
        self.microphoneTracks = microphoneTracks
        self.limits = limits
        self.budget = budget
        self.notes = notes
    }
}
