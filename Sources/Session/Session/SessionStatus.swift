internal import Inputs
public import Media
public import Monitoring
public import Timing

/// The state of a recording or of standby at one instant: for a status line, and for programs that watch.
public struct SessionStatus: Sendable, Equatable {
    /// What the session is doing.
    public enum Phase: Sendable, Equatable {
        case starting
        /// The devices run, and nothing is recorded.
        case standby
        case recording
        case finishing
    }

    /// The state of one camera.
    public struct Camera: Sendable, Equatable {
        /// The camera's role.
        public let role: String
        /// Frames per second as measured by the model of the camera's clock; 0 on standby while the camera is away.
        public let rate: Double
        /// Frames lost so far: to the camera's own track, or to the program when it has none.
        public let lost: Int
        /// State of the camera's clock model, and thus how exact the times of its frames are.
        public let clock: ClockReading
    }

    /// The state of one microphone.
    public struct Microphone: Sendable, Equatable {
        /// The microphone's role.
        public let role: String
        /// Level now.
        public let level: AudioLevel
        /// Loudness of the microphone's track so far, or `nil` while nothing is recorded.
        public let loudness: Loudness?
        /// Audio alarms in force now: no signal, silence, clipping.
        public let alarms: [AudioAlarm.Kind]
        /// How much audio is missing so far, in nanoseconds; silence stands in its place.
        public let missing: Nanoseconds
        /// State of the microphone's clock model, and thus how exact the times of its samples are.
        public let clock: ClockReading

        /// Creates the state of a microphone; each parameter sets the property of its name.
        public init(
            role: String, level: AudioLevel, loudness: Loudness? = nil, alarms: [AudioAlarm.Kind] = [],
            missing: Nanoseconds = .zero, clock: ClockReading
        ) {
            self.role = role
            self.level = level
            self.loudness = loudness
            self.alarms = alarms
            self.missing = missing
            self.clock = clock
        }

        /// Creates the state of a microphone as it is captured now, recorded or not.
        ///
        /// - Parameters:
        ///   - input: The microphone.
        ///   - loudness: Loudness of its track so far.
        ///   - missing: How much of its audio is missing so far.
        init(_ input: MicrophoneInput, loudness: Loudness? = nil, missing: Nanoseconds = .zero) {
            self.init(
                role: input.role, level: input.level, loudness: loudness, alarms: input.alarms,
                missing: missing, clock: input.clockReading)
        }
    }

    /// What the session is doing.
    public var phase = Phase.starting
    /// Time since T0; on standby, time since the pause began.
    public var time = MediaTime.zero
    /// The cameras, in the order of the plan.
    public var cameras: [Camera] = []
    /// The microphones, in the order of the plan.
    public var microphones: [Microphone] = []
    /// Loudness of the program's audio so far, or `nil` when it has none.
    public var mix: Loudness?
    /// Frames of the program lost so far because the encoder or the disk was too slow.
    public var programLost = 0
    /// Roles of the cameras that the program shows, backmost first.
    public var shown: [String] = []
    /// System pressure as assessed last; `nil` before the first assessment and when the session has no `host`.
    public var pressure: SystemPressure?

    /// What the governor has given up, oldest first, such as `program preset superfast → ultrafast`.
    public var givenUp: [String] = []

    /// Creates the status of a session that is starting.
    public init() {}
}
