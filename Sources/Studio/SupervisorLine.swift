internal import FoundationEssentials
internal import Glibc
internal import SessionFolder

/// A line of JSON between the supervisor and the web process; one of its fields is set. The supervisor has no network, and the web
/// process starts no programs: what a page may have run is a `Task`, which the supervisor knows how to do.
public struct SupervisorLine: Sendable, Codable {
    /// What the supervisor can do for a page.
    public enum Task: String, Sendable, Codable {
        /// What would run, and what it costs, as `multicam plan --json` tells it.
        case plan
        /// Cameras and microphones, as `multicam devices --json` tells them.
        case devices
        /// The checks of `multicam doctor`.
        case doctor
        /// The nodes of the groups that this computer is in, as it hears them.
        case group
        /// What is kept of the devices' latencies, as `multicam calibrate --show --json` tells it.
        case calibration
        /// The recordings in the output folder, with their verdicts.
        case recordings
        /// The profiles that can be named.
        case profiles
        /// A profile's text.
        case profile
        /// What is wrong with a profile's text, or what it would run.
        case check
        /// Keep a profile's text among the user's own.
        case keep
        /// Go on with another profile.
        case use
        /// Start a recorder again, after one has ended.
        case start
        /// Take a piece of what a phone has kept of a recording; `piece` says which. The last one is followed by `multicam ingest`.
        case store
        /// Run a command that takes long; `command` says which.
        case job
        /// End such a command before it is done; `job` says which.
        case cancel
    }

    /// A task that is asked for.
    public struct Order: Sendable, Codable {
        /// The number by which the answer is known.
        public var ticket: Int
        /// What is to be done.
        public var task: Task
        /// The name of a profile or a session folder, as a page said it.
        public var name: String?
        /// A profile's text.
        public var text: String?
        /// The command of a job.
        package var command: JobCommand?
        /// The options of a job's command, as a page said them.
        public var options: [String: String]?
        /// The number of a job.
        public var job: Int?
        /// A piece of what a phone has kept of the recording that `name` names.
        package var piece: PhonePiece?

        /// Creates an order; each parameter sets the property of its name.
        public init(ticket: Int, task: Task, name: String? = nil, text: String? = nil) {
            (self.ticket, self.task, self.name, self.text) = (ticket, task, name, text)
        }
    }

    /// A job as it goes.
    package struct Job: Sendable, Equatable, Codable {
        /// Its number, counted by the supervisor.
        package var number: Int
        /// What it runs.
        package var command: JobCommand
        /// The session folder's name; `nil` for a calibration.
        package var folder: String?
        /// How far it is, 0…1; `nil` where the program does not say.
        package var progress: Double?
        /// What the program says; at the end all that it said.
        package var text = ""
        /// A line of JSON that the program printed; `nil` where there is none to tell.
        package var event: String?
        /// Whether it has ended.
        package var isDone = false
        /// Whether it does what it should, or has done it.
        package var isOK = true
        /// The exit status; `nil` while it runs.
        package var exit: Int32?

        package init(number: Int, command: JobCommand, folder: String?) {
            (self.number, self.command, self.folder) = (number, command, folder)
        }
    }

    /// What became of a task.
    public struct Result: Sendable, Codable {
        /// The order's number.
        public var ticket: Int
        /// HTTP's status: 200 when it was done, 400 when the order is none, 404 when what it names is not there, 409 when it cannot be
        /// done now, 503 when too much is under way.
        public var status: Int
        /// JSON when it was done, else a sentence.
        public var output: String

        /// Creates a result; each parameter sets the property of its name.
        public init(ticket: Int, status: Int, output: String) {
            (self.ticket, self.status, self.output) = (ticket, status, output)
        }
    }

    /// The recorder as the supervisor sees it.
    public struct Recorder: Sendable, Codable {
        /// Its process identifier; `nil` when it has ended.
        public var process: Int32?
        /// A sentence about its end; while it runs, about why it is another one than was asked for, or `nil`.
        public var text: String?
        /// The process identifier of the calibration that has the devices meanwhile, to which phones send; `nil` for none.
        public var calibration: Int32?

        /// Creates a state; each parameter sets the property of its name.
        public init(process: Int32?, text: String?, calibration: Int32? = nil) {
            (self.process, self.text, self.calibration) = (process, text, calibration)
        }
    }

    /// To the web process, first of all.
    public var settings: RoomSettings?
    /// To the web process, whenever it changes.
    public var recorder: Recorder?
    /// To the web process.
    public var result: Result?
    /// To the web process, whenever it changes, and at its start.
    package var job: Job?
    /// To the supervisor: the port that is listened at.
    public var listening: Int?
    /// To the supervisor: the page's address, with the token.
    public var address: String?
    /// To the supervisor: lines for people, such as the address as a code for phones.
    public var notes: [String]?
    /// To the supervisor: why nothing can be served.
    public var failed: String?
    /// To the supervisor.
    public var order: Order?
    /// To the supervisor, every second: the web process serves.
    public var alive: Bool?

    /// Creates a line without anything.
    public init() {}

    /// Reads a line; `nil` when it is none, as of another version: the two programs are installed together.
    package static func read(_ text: String) -> SupervisorLine? {
        do {
            return try JSONDecoder().decode(SupervisorLine.self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }

    /// The line without its line feed.
    package var text: String { JSONText.line(self) }
}
