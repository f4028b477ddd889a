public import Inputs
internal import Media
internal import Monitoring
public import Plan
internal import Profiles
internal import SessionFolder

/// The state of a running session, for programs. Times are nanoseconds since T0; levels are linear, 1 being full scale.
public struct ControlStatus: Sendable, Equatable, Codable {
    /// The phase of the session.
    public enum State: String, Sendable, Codable {
        case starting
        /// Devices run, and nothing is recorded.
        case standby
        case recording
        case finishing
        /// Between two recordings, while system pressure recovers.
        case paused
    }

    /// The measures of `Media.Loudness`, rounded to 0.01; each is `nil` until it is known.
    public struct Loudness: Sendable, Equatable, Codable {
        /// Loudness of the last 400 ms in LUFS (ITU-R BS.1770-4).
        public var momentary_lufs: Double?
        /// Loudness of the last 3 s in LUFS.
        public var short_term_lufs: Double?
        /// Gated loudness of everything so far in LUFS.
        public var integrated_lufs: Double?
        /// Loudness range of everything so far in LU (EBU Tech 3342).
        public var range_lu: Double?
        /// Greatest true peak so far in dBTP, from four times oversampled audio.
        public var true_peak_dbtp: Double?

        init(_ loudness: Media.Loudness) {
            func rounded(_ value: Double?) -> Double? { value.map { ($0 * 100).rounded() / 100 } }
            momentary_lufs = rounded(loudness.momentary)
            short_term_lufs = rounded(loudness.shortTerm)
            integrated_lufs = rounded(loudness.integrated)
            range_lu = rounded(loudness.range)
            true_peak_dbtp = rounded(loudness.truePeak)
        }
    }

    /// The phase of the session.
    public var state: State
    /// The profile's name.
    public var profile: String
    /// The path of the session folder; `nil` while nothing is recorded.
    public var folder: String?
    /// How far the files are closed, while they are after the end of a recording; `nil` at all other times.
    public var finishing: Finishing?
    /// Recorded time in nanoseconds since T0; on standby, nanoseconds since that began.
    public var time_ns: Int64
    /// T0 on CLOCK_MONOTONIC of this machine, in nanoseconds; `nil` while nothing is recorded.
    public var t0_monotonic_ns: Int64?
    /// T0 by the time of the group that it follows, in nanoseconds since 1970; `nil` while it follows none.
    public var t0_utc_ns: Int64?
    /// The cameras of the session.
    public var cameras: [Camera]
    /// The microphones of the session.
    public var microphones: [Microphone]
    /// The program; `nil` when the plan has none.
    public var program: Program?
    /// What the program shows and where; `nil` when the plan has none.
    public var arrangement: Arrangement?
    /// The names of the scenes that the program can show.
    public var scenes: [String]
    /// The name of the scene that it shows; `nil` where that is none.
    public var scene: String?
    /// Nanoseconds from an instant to the decision what its tick shows: so far is the program behind; `nil` while nothing is
    /// recorded.
    public var delay_ns: Int64?
    /// The last marks of the recording, at most a hundred, in the order in which they were made.
    public var marks: [Mark]
    /// The number of marks of the recording.
    public var mark_count: Int
    /// The room where recordings are written; `nil` while that is not known.
    public var disk: Disk?
    /// What the recording may lose.
    public var limits: Limits
    /// What happens when the plan needs more than its budget: `adapt` or `refuse`.
    public var policy: String
    /// The hardware cost; `nil` where the session was not planned for a machine.
    public var cost: Cost?
    /// The level of system pressure; `nil` when it is not measured.
    public var pressure: String?
    /// The causes of system pressure, as the end of a sentence; `nil` where there are none.
    public var pressure_reason: String?
    /// What helps against the worst of them, as the end of a sentence; `nil` where there are none.
    public var pressure_advice: String?
    /// What the governor has given up, in words.
    public var given_up: [String]
    /// The live outputs: those of the profile, then those that commands have begun.
    public var publications: [Publication]
    /// The last steps of the governor, oldest first, with their reasons.
    public var governor: [GovernorStep]
    /// The verdict on the recording that ended last; `nil` while one runs, and before the first.
    public var verdict: String?

    private static let mostMarks = 100

    /// Creates the status that programs read.
    ///
    /// - Parameters:
    ///   - status: The state of the session.
    ///   - plan: The plan as it runs.
    ///   - folder: The path of the session folder; `nil` while nothing is recorded.
    ///   - cost: The hardware cost of the plan as it runs.
    ///   - state: Replaces the phase in `status` when the caller knows more.
    public init(
        _ status: SessionStatus, plan: SessionPlan, folder: String?, cost: HardwareCost? = nil,
        state: State? = nil
    ) {
        switch status.phase {
        case .starting: self.state = .starting
        case .standby: self.state = .standby
        case .recording: self.state = .recording
        case .finishing: self.state = .finishing
        }
        if let state { self.state = state }
        profile = plan.profile
        self.folder = folder
        finishing = status.finishing.map { Finishing($0) }
        time_ns = status.time.nanoseconds
        t0_monotonic_ns = status.start?.nanoseconds
        cameras = status.cameras.map { Camera($0, in: plan, at: status.takenAt) }
        microphones = status.microphones.map { Microphone($0, in: plan, at: status.takenAt) }
        program = plan.program.map { Program($0, status) }
        arrangement = plan.program.map { Arrangement($0) }
        scenes = plan.program?.scenes.map(\.name) ?? []
        scene = plan.scene
        delay_ns = status.alignmentDelay?.count
        marks = status.marks.suffix(Self.mostMarks).map { Mark(at_ns: $0.at_ns, text: $0.text) }
        mark_count = status.marks.count
        disk = status.freeBytes.map { Disk($0, status, plan) }
        limits = Limits(plan.limits)
        policy = plan.budget.policy.rawValue
        self.cost = cost.map { Cost($0, budget: plan.budget.hardwareCost) }
        pressure = status.pressure?.level.rawValue
        let factors = status.pressure?.factors ?? []
        pressure_reason = factors.isEmpty ? nil : factors.map(\.text).joined(separator: "; ")
        pressure_advice = factors.first?.advice
        given_up = status.givenUp
        publications = Publication.all(status, plan)
        governor = status.governorSteps.map {
            GovernorStep(at_ns: $0.at_ns, step: $0.step, reason: $0.reason)
        }
    }
}
