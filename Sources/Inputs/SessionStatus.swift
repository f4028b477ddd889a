public import MulticamMedia
public import MulticamMonitoring
package import MulticamSessionFolder
package import MulticamTiming

/// A snapshot of the state of a session, for status lines and monitoring programs.
public struct SessionStatus: Sendable, Equatable {
    /// Current phase of the session.
    public enum Phase: Sendable, Equatable {
        case starting
        /// The devices are running, but no recording is in progress.
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
        /// Current format of the camera; during an outage, the last format.
        public let format: VideoFormat
        /// Frames per second according to the camera's clock model; 0 during an outage on standby.
        public let rate: Double
        /// Frame counts of the camera in the current recording. The counts refer to the camera's own tracks.
        /// If the camera doesn't have a track, they refer to the program during the time in which it showed
        /// the camera. All counts are zero on standby.
        package let counts: FrameCounts
        /// State of the camera's clock model, including the accuracy of frame times.
        package let clock: ClockReading
        /// Start and reason of the current outage; `nil` while frames are arriving.
        package let outage: CameraOutage?
        /// Reason why the camera's frames can't be used at the moment; `nil` if the frames can be shown.
        /// Automatic switching never selects a camera with a fault.
        public internal(set) var fault: CameraFault?
        /// Faces and codes in the last analyzed frame; `nil` if the camera's frames aren't analyzed, or if no frame was
        /// analyzed in the last seconds.
        public package(set) var analysis: FrameAnalysis?

        /// Total number of frames lost in this recording, regardless of the cause.
        public var lost: Int { counts.totalLost }
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
        /// Loudness of the microphone's track so far; `nil` while no recording is in progress.
        package let loudness: Loudness?
        /// Active audio alarms, such as no signal, silence, or clipping.
        package let alarms: [AudioAlarm.Kind]
        /// Start of the current silence or loss of signal; `nil` while no such alarm is active.
        public let silentSince: ClockTime?
        /// Number of times that the input overloaded the analog-to-digital converter.
        package let clips: ClipCount
        /// Total duration of missing audio that was replaced with silence.
        public let missing: Nanoseconds
        /// State of the microphone's clock model, including the accuracy of sample times.
        package let clock: ClockReading
    }

    /// Progress of closing the files after a recording has ended.
    package struct Finishing: Sendable, Equatable {
        /// Number of files that are already closed.
        package var done: Int
        /// Total number of files to close.
        package var total: Int

        package init(done: Int, total: Int) { (self.done, self.total) = (done, total) }
    }

    /// Current phase of the session.
    public var phase = Phase.starting
    /// Progress of closing the files at the end of a recording; `nil` in other phases, and while the encoders
    /// are still finishing.
    package var finishing: Finishing?
    /// Time since T0. On standby, the time since the start of the pause between recordings.
    public var time = MediaTime.zero
    /// Time of this snapshot, on the session's clock.
    package var takenAt = ClockTime(nanoseconds: 0)
    /// T0 on the session's clock; `nil` while no recording is in progress.
    public var start: ClockTime?
    /// Time after which a tick is decided, which is also the delay of the program; `nil` while no recording
    /// is in progress.
    package var alignmentDelay: Nanoseconds?
    /// How far the data in the files lags behind real time, which is the amount that would be lost in a
    /// crash; `nil` while no files are being written.
    package var fileLag: Nanoseconds?
    /// How the system granted a higher priority to the capture and timeline threads; `nil` until known.
    package var priority: PriorityGrant?
    /// The cameras, in the order of the plan.
    public var cameras: [Camera] = []
    /// The microphones, in the order of the plan.
    public var microphones: [Microphone] = []
    /// Loudness of the program's audio so far; `nil` if the program doesn't have audio.
    package var mix: Loudness?
    /// Frame counts of the program in the current recording; all zero while no recording is in progress.
    package var program = FrameCounts()
    /// Number of program frames lost so far because the encoder or the disk was too slow.
    public var programLost: Int { (program.lost[.encoder] ?? 0) + (program.lost[.disk] ?? 0) }
    /// Roles of the cameras that the program shows, from back to front.
    public var shown: [String] = []
    /// The last assessment of system pressure; `nil` before the first assessment, or if the session doesn't
    /// have a `host`.
    public var pressure: SystemPressure?

    /// Free bytes on the file system of the current or next recording; `nil` until the value is known.
    public var freeBytes: Int64?
    /// Markers in the current recording, in the order in which they were requested.
    package var markers: [Manifest.Marker] = []
    /// State of the live outputs, in the order in which they were first requested.
    package var liveOutputs: [LiveOutputStatus] = []
    /// Steps taken by the governor, oldest first. If there were many steps, the list contains only the most
    /// recent.
    package var governorSteps: [Manifest.GovernorStep] = []
    /// Reductions made by the governor, oldest first, such as `program preset superfast → ultrafast`.
    public var reductions: [String] { measures.map(\.text) }
    /// The governor's measures that are in force, oldest first.
    package var measures: [GovernorMeasure] = []

    /// Creates the status of a session that is starting.
    package init() {}
}

extension SessionStatus.Camera {
    /// Creates the current state of a camera, regardless of whether the camera is recorded.
    ///
    /// - Parameters:
    ///   - input: The camera.
    ///   - counts: The camera's current frame counts.
    ///   - standsBy: Whether the session is on standby. On standby, the rate of an unavailable camera is
    ///     reported as 0.
    package init(_ input: CameraInput, counts: FrameCounts = FrameCounts(), standsBy: Bool) {
        role = input.role
        name = input.source.device.name
        format = input.deliveredFormat
        clock = input.clockReading
        outage = input.currentOutage
        fault = input.fault
        rate = standsBy && outage != nil ? 0 : 1e9 / Double(max(clock.interval.count, 1))
        self.counts = counts
    }
}

extension SessionStatus.Microphone {
    /// Creates the current state of a microphone, regardless of whether the microphone is recorded.
    ///
    /// - Parameters:
    ///   - input: The microphone.
    ///   - loudness: Loudness of the microphone's track so far.
    ///   - missing: Total duration of the microphone's missing audio.
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
