public import Media

/// How far behind an encoder or a file is.
public struct QueueAge: Sendable, Equatable {
    /// The kind of queue: an encoder's or a file's.
    public enum Kind: Sendable, Equatable {
        /// An encoder's queue, with the number of frames that it has room for: further frames are lost.
        case encoder(room: Int)
        /// A file's queue.
        case writer
    }

    /// Whether the queue is an encoder's or a file's.
    public let kind: Kind
    /// The name of the stream or of the file.
    public let name: String
    /// The age of the oldest waiting frame, in intervals between two frames.
    public let intervals: Double
    /// The time needed to work off the queue, by what the last frames took; zero where that is not known.
    public let backlog: Nanoseconds

    /// Creates the age of a queue.
    public init(_ kind: Kind, name: String, intervals: Double, backlog: Nanoseconds = .zero) {
        self.kind = kind
        self.name = name
        self.intervals = intervals
        self.backlog = backlog
    }
}
