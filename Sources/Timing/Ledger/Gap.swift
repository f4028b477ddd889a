public import Media

/// A stretch of a track that is not as captured.
public struct Gap: Sendable, Equatable, Codable {
    /// The track's name.
    public let track: String
    /// The beginning of the stretch, counted from T0.
    public let from: MediaTime
    /// The end of the stretch, counted from T0.
    public let to: MediaTime
    /// The cause of the gap: a `LossCause`, `silent`, or the words for why the device was away.
    public let cause: String

    /// Creates a gap of a track.
    public init(track: String, from: MediaTime, to: MediaTime, cause: String) {
        self.track = track
        self.from = from
        self.to = to
        self.cause = cause
    }

    /// The same gap of a track that begins later by `time`, or sooner where that is negative.
    public func later(by time: Nanoseconds) -> Gap {
        Gap(track: track, from: from.later(by: time), to: to.later(by: time), cause: cause)
    }

    private enum CodingKeys: String, CodingKey {
        case track
        case from = "from_ns"
        case to = "to_ns"
        case cause
    }
}
