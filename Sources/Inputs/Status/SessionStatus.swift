public import Media
public import Monitoring
public import SessionFolder
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
        /// The name of the device that plays the role now.
        public let name: String
        /// The format in which the camera delivers, or delivered last.
        public let format: VideoFormat
        /// Frames per second as measured by the model of the camera's clock; 0 on standby while the camera is away.
        public let rate: Double
        /// Its frames so far: those of its own tracks or, when it has none, what the program could have of it and lost while it
        /// showed it. All zero on standby.
        public let counts: FrameCounts
        /// State of the camera's clock model, and thus how exact the times of its frames are.
        public let clock: ClockReading
        /// Why no frames come and since when; `nil` while they come.
        public let absence: CameraAbsence?

        /// Frames lost so far, of all causes.
        public var lost: Int { counts.lostInAll }
    }

    /// The state of one microphone.
    public struct Microphone: Sendable, Equatable {
        /// The microphone's role.
        public let role: String
        /// The name of the device that plays the role.
        public let name: String
        /// The number of channels of its track.
        public let channels: Int
        /// Level now.
        public let level: AudioLevel
        /// Loudness of the microphone's track so far, or `nil` while nothing is recorded.
        public let loudness: Loudness?
        /// Audio alarms in force now: no signal, silence, clipping.
        public let alarms: [AudioAlarm.Kind]
        /// Since when the microphone has given no signal or was silent; `nil` while no such alarm is in force.
        public let silentSince: ClockTime?
        /// How often it was too loud for its converter.
        public let clips: ClipCount
        /// How much audio is missing so far, in nanoseconds; silence stands in its place.
        public let missing: Nanoseconds
        /// State of the microphone's clock model, and thus how exact the times of its samples are.
        public let clock: ClockReading
    }

    /// How far the files of a recording that has ended are closed.
    public struct Finishing: Sendable, Equatable {
        /// Number of files that are closed.
        public var done: Int
        /// Number of files.
        public var total: Int

        package init(done: Int, total: Int) { (self.done, self.total) = (done, total) }
    }

    /// What the session is doing.
    public var phase = Phase.starting
    /// How far the files are closed, while they are; `nil` in other phases, and while the encoders are waited for.
    public var finishing: Finishing?
    /// Time since T0; on standby, time since the pause began.
    public var time = MediaTime.zero
    /// When this state was taken, on the session's clock.
    public var takenAt = ClockTime(nanoseconds: 0)
    /// T0 on the session's clock; `nil` while nothing is recorded.
    public var start: ClockTime?
    /// Time from an instant to the decision what its tick shows, and thus by how much the program is behind; `nil` while nothing
    /// is recorded.
    public var alignmentDelay: Nanoseconds?
    /// The cameras, in the order of the plan.
    public var cameras: [Camera] = []
    /// The microphones, in the order of the plan.
    public var microphones: [Microphone] = []
    /// Loudness of the program's audio so far, or `nil` when it has none.
    public var mix: Loudness?
    /// The program's frames so far; all zero while nothing is recorded.
    public var program = FrameCounts()
    /// Frames of the program lost so far because the encoder or the disk was too slow.
    public var programLost: Int { (program.lost[.encoder] ?? 0) + (program.lost[.disk] ?? 0) }
    /// Roles of the cameras that the program shows, backmost first.
    public var shown: [String] = []
    /// System pressure as assessed last; `nil` before the first assessment and when the session has no `host`.
    public var pressure: SystemPressure?

    /// Bytes that are free where the recording is written, or where the next one will be; `nil` until that was read.
    public var freeBytes: Int64?
    /// The marks of the recording so far, in the order in which they were asked for.
    public var marks: [Manifest.Mark] = []
    /// How the live outputs go, in the order in which they were first wanted.
    public var publications: [PublicationStatus] = []
    /// What the governor did so far, oldest first; only the last steps of many.
    public var governorSteps: [Manifest.GovernorStep] = []
    /// What the governor has given up, oldest first, such as `program preset superfast → ultrafast`.
    public var givenUp: [String] = []

    /// Creates the status of a session that is starting.
    public init() {}
}

extension SessionStatus.Camera {
    /// Creates the state of a camera as it is captured now, recorded or not.
    ///
    /// - Parameters:
    ///   - input: The camera.
    ///   - counts: Its frames so far.
    ///   - standsBy: Whether nothing is recorded: a camera that is away has no rate then.
    package init(_ input: CameraInput, counts: FrameCounts = FrameCounts(), standsBy: Bool) {
        role = input.role
        name = input.source.device.name
        format = input.deliveredFormat
        clock = input.clockReading
        absence = input.absence
        rate = standsBy && absence != nil ? 0 : 1e9 / Double(max(clock.interval.count, 1))
        self.counts = counts
    }
}

extension SessionStatus.Microphone {
    /// Creates the state of a microphone as it is captured now, recorded or not.
    ///
    /// - Parameters:
    ///   - input: The microphone.
    ///   - loudness: Loudness of its track so far.
    ///   - missing: How much of its audio is missing so far.
    package init(_ input: MicrophoneInput, loudness: Loudness? = nil, missing: Nanoseconds = .zero) {
        role = input.role
        name = input.source.device.name
        channels = input.channels
        let state = input.state
        level = state.level
        alarms = state.alarms
        silentSince = state.silentSince
        clips = state.clips
        clock = state.clock
        self.loudness = loudness
        self.missing = missing
    }
}
