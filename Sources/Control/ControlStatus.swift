internal import Media
public import Monitoring
public import Plan
internal import Profiles
public import Session
internal import Timing

/// How a running session goes, for programs. Times are nanoseconds since T0, levels linear, 0…1.
public struct ControlStatus: Sendable, Equatable, Codable {
    public enum State: String, Sendable, Codable {
        case starting
        /// Devices run, nothing is recorded.
        case standby
        case recording
        case finishing
        /// Between two recordings, while system pressure recovers.
        case paused
    }

    public struct Camera: Sendable, Equatable, Codable {
        public var role: String
        /// Frames a second by its own clock.
        public var rate: Double
        public var lost: Int
        public var ppm: Double
        public var locked: Bool
    }

    public struct Microphone: Sendable, Equatable, Codable {
        public var role: String
        /// See `AudioLevel`.
        public var peak: Double
        /// The root of the mean square.
        public var level: Double
        /// Of its track so far; `nil` while nothing is recorded.
        public var loudness: Loudness?
        /// What is the matter with it now.
        public var alarms: [AudioAlarm.Kind]
        /// How much of its audio is missing so far.
        public var missing_ns: Int64
        public var ppm: Double
        public var locked: Bool
    }

    public struct Program: Sendable, Equatable, Codable {
        public var layout: String
        /// Roles of the cameras that are seen, the main one first.
        public var shown: [String]
        /// Roles of the microphones that are heard.
        public var mix: [String]
        /// Frames that the computer or the disk was too slow for, so far.
        public var lost: Int
        /// Of its audio so far; `nil` while nothing is recorded, and where it has none.
        public var loudness: Loudness?
    }

    /// See `Media.Loudness`; rounded to 0.01.
    public struct Loudness: Sendable, Equatable, Codable {
        public var momentary_lufs: Double?
        public var short_term_lufs: Double?
        public var integrated_lufs: Double?
        public var range_lu: Double?
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

    public var state: State
    public var profile: String
    /// The session folder; `nil` while nothing is recorded.
    public var folder: String?
    public var time_ns: Int64
    public var cameras: [Camera]
    public var microphones: [Microphone]
    public var program: Program?
    /// `nil` where nobody asks the computer.
    public var pressure: String?
    /// What the governor has given up.
    public var given_up: [String]
    /// What is said of the recording that ended last; `nil` while one runs, and before the first.
    public var verdict: String?

    /// - Parameters:
    ///   - status: Of the session.
    ///   - plan: As it runs.
    ///   - folder: As above.
    ///   - state: In place of what the status says, where that knows less.
    public init(_ status: SessionStatus, plan: SessionPlan, folder: String?, state: State? = nil) {
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
        pressure = status.pressure?.level.rawValue
        given_up = status.givenUp
    }
}
