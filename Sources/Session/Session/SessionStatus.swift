public import Media
public import Monitoring
public import Timing

/// How a recording goes: for the status line and for programs that watch.
public struct SessionStatus: Sendable, Equatable {
    public enum Phase: Sendable, Equatable {
        case starting
        /// Devices run, nothing is recorded.
        case standby
        case recording
        case finishing
    }

    public struct Camera: Sendable, Equatable {
        public let role: String
        /// Frames per second by the camera's own clock.
        public let rate: Double
        public let lost: Int
        /// What is known of its clock: how sure its frames' times are.
        public let clock: ClockReading
    }

    public struct Microphone: Sendable, Equatable {
        public let role: String
        public let level: AudioLevel
        /// Of its track so far; `nil` while nothing is recorded.
        public let loudness: Loudness?
        /// What is the matter with it now.
        public let alarms: [AudioAlarm.Kind]
        /// How much of its audio is missing so far; silence stands in its place.
        public let missing: Nanoseconds
        /// As of a camera.
        public let clock: ClockReading

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

        /// As it is captured, whether it is recorded or not.
        ///
        /// - Parameters:
        ///   - input: The microphone.
        ///   - loudness: Of its track so far.
        ///   - missing: Of its audio so far.
        init(_ input: MicrophoneInput, loudness: Loudness? = nil, missing: Nanoseconds = .zero) {
            self.init(
                role: input.role, level: input.level, loudness: loudness, alarms: input.alarms,
                missing: missing, clock: input.clockReading)
        }
    }

    public var phase = Phase.starting
    /// Recorded so far; on standby, since that began.
    public var time = MediaTime.zero
    public var cameras: [Camera] = []
    public var microphones: [Microphone] = []
    /// How loud the program's audio is so far; `nil` where it has none.
    public var mix: Loudness?
    /// Frames of the program that the computer or the disk was too slow for, so far.
    public var programLost = 0
    /// Roles of the cameras in the program, the backmost first.
    public var shown: [String] = []
    /// `nil` until the computer has told of itself, and where nobody asks it.
    public var pressure: SystemPressure?

    /// What the governor has given up, in the order in which it did: `program preset superfast → ultrafast`.
    public var givenUp: [String] = []

    public init() {}
}
