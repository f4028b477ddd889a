public import Media

/// How far behind an encoder or a file is.
public struct QueueAge: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// With the number of frames that find room in its queue: what comes on top is lost.
        case encoder(room: Int)
        case writer
    }

    public let kind: Kind
    /// The track's or the file's.
    public let name: String
    /// The age of what has waited longest, in intervals between two frames.
    public let intervals: Double
    /// How long it will take to work off what waits, by what the last frames took; zero where that is not known.
    public let backlog: Nanoseconds

    public init(_ kind: Kind, name: String, intervals: Double, backlog: Nanoseconds = .zero) {
        self.kind = kind
        self.name = name
        self.intervals = intervals
        self.backlog = backlog
    }
}
