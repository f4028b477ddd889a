internal import Foundation
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
        /// The recordings in the output folder, with their verdicts.
        case recordings
    }

    /// A task that is asked for.
    public struct Order: Sendable, Codable {
        /// The number by which the answer is known.
        public var ticket: Int
        /// What is to be done.
        public var task: Task

        /// Creates an order; each parameter sets the property of its name.
        public init(ticket: Int, task: Task) { (self.ticket, self.task) = (ticket, task) }
    }

    /// What became of a task.
    public struct Result: Sendable, Codable {
        /// The order's number.
        public var ticket: Int
        /// Whether it was done.
        public var ok: Bool
        /// JSON when it was done, else a sentence.
        public var output: String

        /// Creates a result; each parameter sets the property of its name.
        public init(ticket: Int, ok: Bool, output: String) {
            (self.ticket, self.ok, self.output) = (ticket, ok, output)
        }
    }

    /// The recorder as the supervisor sees it.
    public struct Recorder: Sendable, Codable {
        /// Its process identifier; `nil` when it has ended.
        public var process: Int32?
        /// A sentence about its end; `nil` while it runs.
        public var text: String?

        /// Creates a state; each parameter sets the property of its name.
        public init(process: Int32?, text: String?) { (self.process, self.text) = (process, text) }
    }

    /// To the web process, first of all.
    public var settings: RoomSettings?
    /// To the web process, whenever it changes.
    public var recorder: Recorder?
    /// To the web process.
    public var result: Result?
    /// To the supervisor: the port that is listened at.
    public var listening: Int?
    /// To the supervisor: why nothing can be served.
    public var failed: String?
    /// To the supervisor.
    public var order: Order?
    /// To the supervisor: start a recorder again, after one has ended.
    public var start: Bool?

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
