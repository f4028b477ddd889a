internal import Media
public import Monitoring
public import Plan
internal import Profiles
public import Session
internal import Timing

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

    /// The state of one camera.
    public struct Camera: Sendable, Equatable, Codable {
        /// The camera's role.
        public var role: String
        /// Frames per second by the camera's own clock.
        public var rate: Double
        /// The number of frames lost so far.
        public var lost: Int
        /// Deviation of the camera's clock from its nominal rate in parts per million; positive when it runs fast.
        public var ppm: Double
        /// Whether the model of the camera's clock is reliable.
        public var locked: Bool
    }

    /// The state of one microphone.
    public struct Microphone: Sendable, Equatable, Codable {
        /// The microphone's role.
        public var role: String
        /// Peak level, linear, 0…1, with the fall of a programme meter (`AudioLevel.peak`).
        public var peak: Double
        /// Root mean square level, linear, 0…1, averaged over 300 ms (`AudioLevel.rootMeanSquare`).
        public var level: Double
        /// The loudness of the microphone's track so far; `nil` while nothing is recorded.
        public var loudness: Loudness?
        /// The active alarms.
        public var alarms: [AudioAlarm.Kind]
        /// Duration of the audio missing so far, in nanoseconds.
        public var missing_ns: Int64
        /// Deviation of the microphone's clock from its nominal rate in parts per million; positive when it runs fast.
        public var ppm: Double
        /// Whether the model of the microphone's clock is reliable.
        public var locked: Bool
    }

    /// The state of the program.
    public struct Program: Sendable, Equatable, Codable {
        /// The name of the layout.
        public var layout: String
        /// Roles of the visible cameras, the main one first.
        public var shown: [String]
        /// Roles of the audible microphones.
        public var mix: [String]
        /// The number of frames lost so far because the computer or the disk was too slow.
        public var lost: Int
        /// The loudness of the program's audio so far; `nil` while nothing is recorded, or when it has no audio.
        public var loudness: Loudness?
    }

    /// What the plan needs of the machine as it runs now; 1 is all of a resource.
    public struct Cost: Sendable, Equatable, Codable {
        /// Use of the scarcest resource.
        public var hardware: Double
        /// The largest use that the profile allows.
        public var budget: Double
        /// Use of each resource, the scarcest first.
        public var terms: [Term]

        /// Use of one resource.
        public struct Term: Sendable, Equatable, Codable {
            /// Name of the resource, such as `cpu` or `usb:1`.
            public var resource: String
            /// Share of the resource that is used.
            public var used: Double
        }

        init(_ cost: HardwareCost, budget: Double) {
            // JSON has no infinity, and a resource of which there is none costs infinitely much.
            func rounded(_ value: Double) -> Double { (min(value, 1e9) * 10_000).rounded() / 10_000 }
            hardware = rounded(cost.total)
            self.budget = budget
            terms = cost.terms.map { Term(resource: $0.resource, used: rounded($0.used)) }
        }
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
    /// Recorded time in nanoseconds since T0; on standby, nanoseconds since that began.
    public var time_ns: Int64
    /// The cameras of the session.
    public var cameras: [Camera]
    /// The microphones of the session.
    public var microphones: [Microphone]
    /// The program; `nil` when the plan has none.
    public var program: Program?
    /// The hardware cost; `nil` where the session was not planned for a machine.
    public var cost: Cost?
    /// The level of system pressure; `nil` when it is not measured.
    public var pressure: String?
    /// What the governor has given up, in words.
    public var given_up: [String]
    /// The verdict on the recording that ended last; `nil` while one runs, and before the first.
    public var verdict: String?

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
        time_ns = status.time.nanoseconds
        cameras = status.cameras.map {
            Camera(
                role: $0.role, rate: $0.rate, lost: $0.lost, ppm: $0.clock.partsPerMillion,
                locked: $0.clock.isLocked)
        }
        microphones = status.microphones.map {
            Microphone(
                role: $0.role, peak: Double($0.level.peak), level: Double($0.level.rootMeanSquare),
                loudness: $0.loudness.map { Loudness($0) }, alarms: $0.alarms,
                missing_ns: $0.missing.count, ppm: $0.clock.partsPerMillion,
                locked: $0.clock.isLocked)
        }
        program = plan.program.map {
            Program(
                layout: $0.arrangement.layout.rawValue, shown: $0.arrangement.shown, mix: $0.mix,
                lost: status.programLost,
                loudness: status.mix.map { Loudness($0) })
        }
        self.cost = cost.map { Cost($0, budget: plan.budget.hardwareCost) }
        pressure = status.pressure?.level.rawValue
        given_up = status.givenUp
    }
}
