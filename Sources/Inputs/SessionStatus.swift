public import Media
public import Monitoring
public import SessionFolder
public import Timing

/// State of a recording or of standby at one instant, for status lines and monitoring programs.
public struct SessionStatus: Sendable, Equatable {
    /// Current phase of the session.
    public enum Phase: Sendable, Equatable {
        case starting
        /// The devices are running, and nothing is being recorded.
        case standby
        case recording
        case finishing
    }

    /// The state of one camera.
    public struct Camera: Sendable, Equatable {
        /// The camera's role.
        public let role: String
        /// Name of the device currently assigned to the role.
        public let name: String
        /// Current format of the camera, or its last one during an outage.
        public let format: VideoFormat
        /// Frames per second according to the model of the camera's clock; 0 on standby during an outage.
        public let rate: Double
        /// Frame counts of the recording. The counts cover the camera's own tracks. Without such tracks, the counts
        /// cover the frames that were available to or lost by the program while it showed the camera. All counts are
        /// zero on standby.
        public let counts: FrameCounts
        /// State of the camera's clock model, which shows the accuracy of the frame times.
        public let clock: ClockReading
        /// Reason and start of the current outage; `nil` while frames are arriving.
        public let absence: CameraAbsence?
        /// Reason why the camera's pictures can't currently be used; `nil` if they can be shown. Automatic
        /// switching doesn't show a camera with a fault.
        public internal(set) var fault: CameraFault?

        /// Number of frames lost in this recording, from all causes.
        public var lost: Int { counts.lostInAll }
    }

    /// The state of one microphone.
    public struct Microphone: Sendable, Equatable {
        /// The microphone's role.
        public let role: String
        /// Name of the device assigned to the role.
        public let name: String
        /// Number of channels in the microphone's track.
        public let channels: Int
        /// Current audio level of the microphone.
        public let level: AudioLevel
        /// Loudness of the microphone's track so far, or `nil` while nothing is being recorded.
        public let loudness: Loudness?
        /// Active audio alarms: no signal, silence, clipping.
        public let alarms: [AudioAlarm.Kind]
        /// Start of the current lack of signal or silence; `nil` while no such alarm is active.
        public let silentSince: ClockTime?
        /// Number of times that the input overloaded the analog-to-digital converter.
        public let clips: ClipCount
        /// Amount of missing audio that was replaced with silence, in nanoseconds.
        public let missing: Nanoseconds
        /// State of the microphone's clock model, which shows the accuracy of the sample times.
        public let clock: ClockReading
    }

    /// Progress of closing the files after a recording has ended.
    public struct Finishing: Sendable, Equatable {
        /// Number of closed files.
        public var done: Int
        /// Number of files.
        public var total: Int

        package init(done: Int, total: Int) { (self.done, self.total) = (done, total) }
    }

    /// Current phase of the session.
    public var phase = Phase.starting
    /// Progress of closing the files; `nil` in other phases, and while waiting for the encoders.
    public var finishing: Finishing?
    /// Time since T0. On standby, time since the start of the pause between recordings.
    public var time = MediaTime.zero
    /// Time of this snapshot, on the session's clock.
    public var takenAt = ClockTime(nanoseconds: 0)
    /// T0 on the session's clock; `nil` while nothing is being recorded.
    public var start: ClockTime?
    /// Time from an instant to the decision about its tick, and therefore the delay of the program; `nil`
    /// while nothing is being recorded.
    public var alignmentDelay: Nanoseconds?
    /// How far the files lag behind real time, and therefore how much a crash would lose now; `nil` while
    /// nothing is being written.
    public var behind: Nanoseconds?
    /// How the priority of the capture and decision threads was granted; `nil` until known.
    public var priority: PriorityGrant?
    /// The cameras, in the order of the plan.
    public var cameras: [Camera] = []
    /// The microphones, in the order of the plan.
    public var microphones: [Microphone] = []
    /// Loudness of the program's audio so far, or `nil` if the program doesn't have audio.
    public var mix: Loudness?
    /// The program's frame counts in this recording; all zero while nothing is being recorded.
    public var program = FrameCounts()
    /// Frames of the program lost so far because the encoder or the disk was too slow.
    public var programLost: Int { (program.lost[.encoder] ?? 0) + (program.lost[.disk] ?? 0) }
    /// Roles of the cameras that the program shows, backmost first.
    public var shown: [String] = []
    /// The last assessment of system pressure; `nil` before the first assessment, and if the session doesn't have a
    /// `host`.
    public var pressure: SystemPressure?

    /// Free bytes on the file system of the current or next recording; `nil` until the value has been read.
    public var freeBytes: Int64?
    /// Markers in the current recording, in the order in which they were requested.
    public var markers: [Manifest.Marker] = []
    /// State of the live outputs, in the order in which they were first requested.
    public var liveOutputs: [LiveOutputStatus] = []
    /// Steps taken by the governor, oldest first. If there are many, only the most recent.
    public var governorSteps: [Manifest.GovernorStep] = []
    /// Reductions made by the governor, oldest first, such as `program preset superfast → ultrafast`.
    public var givenUp: [String] = []

    /// Creates the status of a session that is starting.
    public init() {}
}

extension SessionStatus.Camera {
    /// Creates the current state of a camera, whether it is recorded or not.
    ///
    /// - Parameters:
    ///   - input: The camera.
    ///   - counts: The camera's current frame counts.
    ///   - standsBy: Whether the session is on standby. The rate of an unavailable camera is then 0.
    package init(_ input: CameraInput, counts: FrameCounts = FrameCounts(), standsBy: Bool) {
        role = input.role
        name = input.source.device.name
        format = input.deliveredFormat
        clock = input.clockReading
        absence = input.absence
        fault = input.fault
        rate = standsBy && absence != nil ? 0 : 1e9 / Double(max(clock.interval.count, 1))
        self.counts = counts
    }
}

extension SessionStatus.Microphone {
    /// Creates the current state of a microphone, whether it is recorded or not.
    ///
    /// - Parameters:
    ///   - input: The microphone.
    ///   - loudness: Loudness of the microphone's track so far.
    ///   - missing: Amount of the microphone's audio that is missing.
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
