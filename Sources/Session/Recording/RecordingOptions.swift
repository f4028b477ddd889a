public import MulticamMedia
public import MulticamPlan
public import MulticamSessionFolder
public import MulticamWriters

/// Options of a recording that aren't part of its plan, such as the folder, the duration, and limits.
public struct RecordingOptions: Sendable {
    /// Path of the folder that contains the session folders.
    public var parentFolder: String
    /// Name of the session folder, or `nil` to generate a name from the date, the time, and the profile's
    /// name. A number is appended if the folder exists.
    public var name: String?
    /// Duration of the recording from T0, or `nil` to record until stopped.
    public var duration: Nanoseconds?
    /// Start time (T0) on the session's clock, or `nil` to start as soon as all devices are ready.
    public var start: ClockTime?
    /// Maximum time after the start for each device to deliver valid frames or audio. If a device exceeds
    /// this limit, the recording fails with `RecordingError.device`.
    package var startTimeLimit: Nanoseconds
    /// Version of the application, which is written to the manifest.
    package var version: String
    /// The predicted cost of the plan and its reductions, for the manifest; `nil` when no cost was predicted.
    package var reduction: PlanReduction?
    /// The machine that the plan was made for. The cost of changes to the running plan is computed for this machine. If
    /// there is no machine (`nil`), no cost is computed.
    package var machine: MachineModel?
    /// The backup, a second session folder written at the same time, or `nil` if there is none.
    public var backup: Backup?
    /// Maximum number of bytes queued in memory for the disk of each session folder, at least 1 MiB. `nil`
    /// means 0.5 GiB, or the value that `MulticamKit` chooses for the computer.
    package var writeMemory: Int?
    /// Whether the session sends the event `standby`; `false` if the caller does, after its own events.
    package var announcesStandby = true
    /// Injects disk failures in tests. Called before each write with the file's path and the end of the write in bytes.
    /// Returns an errno value, or 0 for success.
    package var beforeWrite: @Sendable (String, Int64) -> Int32 = { _, _ in 0 }

    /// Creates the options of one recording. Each parameter sets the property of the same name.
    public init(
        parentFolder: String = "recordings", name: String? = nil, duration: Nanoseconds? = nil,
        backup: Backup? = nil
    ) {
        self.init(
            parentFolder: parentFolder, name: name, duration: duration, version: MulticamVersion.current,
            backup: backup)
    }

    /// Creates the options of one recording, with those that only the `multicam` command and tests set.
    package init(
        parentFolder: String = "recordings", name: String? = nil, duration: Nanoseconds? = nil,
        startTimeLimit: Nanoseconds = .seconds(10), version: String,
        backup: Backup? = nil, writeMemory: Int? = nil
    ) {
        self.parentFolder = parentFolder
        self.name = name
        self.duration = duration
        self.startTimeLimit = startTimeLimit
        self.version = version
        self.backup = backup
        self.writeMemory = writeMemory
    }

    /// Returns the options with another folder and duration, as far as they are given.
    func replacing(folder: String?, duration: Duration?) -> Self {
        var options = self
        if let folder { options.parentFolder = folder }
        if let duration { options.duration = Nanoseconds(duration) }
        return options
    }
}

/// The outcome of a recording: its folders, its manifest, and its failures.
public struct RecordingResult: Sendable {
    /// The outcome of a recording's backup.
    public struct BackupOutcome: Sendable {
        /// Absolute path of the backup's session folder.
        public let folder: String
        /// The content of the backup.
        public let content: Backup.Content
        /// Failures of files in the backup. The data written before each failure is preserved.
        public let storageFailures: [FileError]
    }

    /// The session folder's absolute path.
    public let folder: String
    /// The complete manifest of the session folder.
    package let manifest: Manifest
    /// Failures of files in the session folder. The data written before each failure is preserved.
    public let storageFailures: [FileError]
    /// The backup's outcome, or `nil` when none was requested.
    public let backup: BackupOutcome?
    /// The reason why the governor ended the recording early under system pressure, or `nil` if the governor
    /// didn't end the recording.
    public let pressureEnd: String?
    /// Processor time used by synthetic devices, in nanoseconds. The processor time of synthetic devices
    /// isn't included in any cost value.
    package let simulationTime: Nanoseconds
    /// The errors of failed encoders and resamplers. The tracks of these encoders and resamplers are
    /// incomplete.
    public let encodingFailures: [EncodingError]

    /// The tracks, cameras first, then microphones and the program.
    public var tracks: [RecordedTrack] { manifest.tracks.map { RecordedTrack($0, in: folder) } }
    /// Lost frames of all tracks by cause; empty if none were lost.
    public var losses: [LossCause: Int] {
        tracks.reduce(into: [:]) { sum, track in sum.merge(track.losses, uniquingKeysWith: +) }
    }
    /// T0, the start of all tracks, on `CLOCK_MONOTONIC`.
    public var startTime: ClockTime { ClockTime(nanoseconds: manifest.t0_monotonic_ns) }
    /// Duration of the recording from T0.
    public var duration: Nanoseconds { Nanoseconds(manifest.duration_ns) }
    /// Whether the recording is complete, with an explanation in full sentences.
    public var verdict: Verdict { Verdict(manifest) }
    /// Limits of the profile that the recording exceeded, one sentence each.
    package var exceededLimits: [String] { verdict.exceededLimits }

    /// Whether all files in the session folder and in the backup were written without failure.
    public var isStored: Bool { storageFailures.isEmpty && backup?.storageFailures.isEmpty ?? true }
}

/// The reason why a recording couldn't begin.
public enum RecordingError: Error, Sendable, Equatable {
    case device(DeviceError)
    case file(FileError)
    case encoding(EncodingError)
    /// The system can't create another thread.
    case thread(ThreadError)
    /// The plan can't be executed. The associated value lists all reasons.
    case plan([PlanProblem])
    /// A synchronized output names a role that isn't part of the session.
    case unknownRole(String, known: [String])
    /// The backup is limited to the program, and the session has no program.
    case nothingToBackUp
    /// The plan has neither a program nor a track, so there is nothing to record. `MulticamSession.run` can run such a
    /// plan.
    case nothingToWrite
    /// A stop was requested before T0.
    case stopped
    /// A tap or synchronized output of the session can't be attached.
    case tap(SessionChangeError)
    /// The session is recording, or its devices are being started or are on standby already.
    case busy
    /// The session or the recording has ended.
    case ended
    /// Standby requires a clock that runs in real time.
    case clockNotRealTime
    /// The requested duration isn't greater than zero.
    case invalidDuration(Nanoseconds)
}

extension RecordingError: CustomStringConvertible {
    /// A message for the user that describes the failure and the solution.
    public var description: String {
        switch self {
        case .device(let error): error.description
        case .file(let error): error.description
        case .encoding(let error): error.description
        case .thread(let error): error.description
        case .plan(let problems): problems.map(\.description).joined(separator: " ")
        case .unknownRole(let role, let known):
            "a synchronized output uses the role “\(role.printable())”, but this session records only "
                + known.joined(separator: ", ") + "."
        case .nothingToBackUp:
            "the backup is limited to the program, but this session doesn't include a program. Back up all files, or record without a backup."
        case .nothingToWrite:
            "this session has neither a program nor a track, so there is nothing to record. Add one to the plan, or run the session without recording."
        case .stopped: "the recording was stopped before its devices were ready. Nothing was recorded."
        case .tap(let error): error.description
        case .busy:
            "the session is already recording, or its devices have already been started. Wait until that recording ends, or use another session."
        case .ended:
            "the recording or its session has ended. Start another recording on standby, or create a new session."
        case .clockNotRealTime:
            "a session with a simulated clock can't be on standby. Record without standby."
        case .invalidDuration(let duration):
            "a recording can't last \(duration). The duration must be greater than zero; omit it to record until a stop is requested."
        }
    }
}
