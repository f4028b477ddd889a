internal import Media
internal import Monitoring
internal import Plan
public import Timing

/// The content of `manifest.json`: devices, tracks, files, losses and cost of one recording. Programs rely on it.
///
/// Property names are those of the JSON fields. File paths are relative to the session folder, and times are nanoseconds since
/// T0, the session's first instant, unless a property says otherwise. `docs/manifest.schema.json` is the JSON Schema.
public struct Manifest: Sendable, Equatable, Codable {
    /// Largest `manifest.json` in bytes that is read. A hundred thousand gaps and marks take some 10 MB.
    public static let largestByteCount = 256 << 20

    /// How far a recording got.
    public enum Outcome: String, Sendable, Codable {
        /// The recording still runs, or a crash or power cut interrupted it.
        case recording
        case finished
        /// A file could not be written or finished as intended; everything that was written is kept.
        case storageFailed = "storage-failed"
        /// The recording was interrupted, and a recovery completed it.
        case recovered
    }

    /// The computer that recorded.
    public struct Machine: Sendable, Equatable, Codable {
        /// Host name.
        public var host: String
        /// Name and version of the operating system.
        public var system: String
        /// Number of processors.
        public var processors: Int

        package init(host: String, system: String, processors: Int) {
            self.host = host
            self.system = system
            self.processors = processors
        }
    }

    /// An instant that a person marked while recording.
    public struct Mark: Sendable, Equatable, Codable {
        /// Time of the mark in nanoseconds since T0.
        public var at_ns: Int64
        /// Words of the person; they may be empty.
        public var text: String

        package init(at_ns: Int64, text: String) {
            self.at_ns = at_ns
            self.text = text
        }
    }

    /// A step of the governor, which lowers quality while the machine is too slow and takes that back later.
    public struct GovernorStep: Sendable, Equatable, Codable {
        /// Time of the step in nanoseconds since T0.
        public var at_ns: Int64
        /// Measure that the governor took or took back.
        public var step: String
        /// Why the governor did it.
        public var reason: String

        package init(at_ns: Int64, step: String, reason: String) {
            self.at_ns = at_ns
            self.step = step
            self.reason = reason
        }
    }

    /// Version of this format.
    public var schema = 1
    /// Version of multicam that wrote the manifest.
    public var multicam: String
    /// Name of the profile.
    public var profile: String
    /// Title that the profile gave; `nil` for none.
    public var title: String? = nil
    /// Names of people that the profile gave, by the role of their microphone or camera; `nil` for none.
    public var people: [String: String]? = nil
    /// Formats of the projects for editors that the profile asked for, such as `fcpxml`; `nil` for none.
    public var edit: [String]? = nil
    /// Wall clock at T0: ISO 8601 with nanoseconds and the zone.
    public var started: String
    /// T0 on `CLOCK_MONOTONIC` of the computer that recorded, in nanoseconds.
    public var t0_monotonic_ns: Int64
    /// Length of the recording in nanoseconds.
    public var duration_ns: Int64
    /// How long after an instant the session decided what its tick shows, in nanoseconds; constant for a recording.
    public var alignment_delay_ns: Int64
    /// How far the recording got.
    public var outcome: Outcome
    /// Why system pressure or a full disk ended the recording early; `nil` where neither did.
    public var ended_by: String?
    /// The safety copy of this recording, or the recording of this safety copy; `nil` where there is no safety copy.
    public var other_folder: OtherFolder?
    /// The computer that recorded.
    public var machine: Machine
    /// Losses that the profile allowed; `nil` where it set no limit.
    public var limits: Limits? = nil
    /// Cameras and microphones of the recording.
    public var devices: [Device]
    /// Tracks of cameras, microphones and the program.
    public var tracks: [Track]
    /// Every media file with its checksum; `nil` while the recording runs.
    public var files: [File]?
    /// Predicted and measured cost of the recording.
    public var cost: Cost?
    /// Steps of the governor.
    public var governor: [GovernorStep]
    /// Marks that people set.
    public var marks: [Mark]
    /// Changes that people made to the program during the recording; `nil` where they made none.
    public var changes: [Change]? = nil
    /// What the program showed and mixed, from T0 on and from each change on that was seen; `nil` without a program.
    public var arrangements: [Arrangement]? = nil
    /// Stills taken out of the recording; `nil` where none was taken.
    public var stills: [Still]? = nil
    /// Live outputs of the recording, in the order in which they were first wanted; `nil` in recordings of older versions.
    public var publications: [Publication]? = nil
    /// What phones have handed over after the recording; `nil` where none has.
    public var uploads: [Upload]? = nil
    /// Stretches of tracks for which no frame or sample was captured, with their causes.
    public var gaps: [Gap]
    /// How the session clock followed the time of a group of computers; `nil` where it did not.
    public var group_time: GroupTime? = nil
    /// The work of a recovery; `nil` where the recording was not recovered.
    public var recovery: Recovery?

    package init(
        schema: Int = 1, multicam: String, profile: String, started: String, t0_monotonic_ns: Int64,
        duration_ns: Int64, alignment_delay_ns: Int64, outcome: Outcome, ended_by: String? = nil,
        other_folder: OtherFolder? = nil, machine: Machine, limits: Limits? = nil, devices: [Device],
        tracks: [Track], files: [File]? = nil, cost: Cost? = nil, governor: [GovernorStep], marks: [Mark],
        changes: [Change]? = nil, arrangements: [Arrangement]? = nil, stills: [Still]? = nil, gaps: [Gap],
        recovery: Recovery? = nil
    ) {
        self.schema = schema
        self.multicam = multicam
        self.profile = profile
        self.started = started
        self.t0_monotonic_ns = t0_monotonic_ns
        self.duration_ns = duration_ns
        self.alignment_delay_ns = alignment_delay_ns
        self.outcome = outcome
        self.ended_by = ended_by
        self.other_folder = other_folder
        self.machine = machine
        self.limits = limits
        self.devices = devices
        self.tracks = tracks
        self.files = files
        self.cost = cost
        self.governor = governor
        self.marks = marks
        self.changes = changes
        self.arrangements = arrangements
        self.stills = stills
        self.gaps = gaps
        self.recovery = recovery
    }
}
