/// How far behind an encoder or a file is.
public struct QueueAge: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// With the number of pictures that find room in its queue: what comes on top is lost.
        case encoder(room: Int)
        case writer
    }

    public let kind: Kind
    /// The track's or the file's.
    public let name: String
    /// The age of what has waited longest, in intervals between two pictures.
    public let intervals: Double

    public init(_ kind: Kind, name: String, intervals: Double) {
        self.kind = kind
        self.name = name
        self.intervals = intervals
    }
}
