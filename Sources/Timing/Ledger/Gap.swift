public import Media

/// A stretch of a track that is not as captured.
public struct Gap: Sendable, Equatable, Codable {
    public let track: String
    public let from: MediaTime
    public let to: MediaTime
    public let cause: String

    public init(track: String, from: MediaTime, to: MediaTime, cause: String) {
        self.track = track
        self.from = from
        self.to = to
        self.cause = cause
    }

    private enum CodingKeys: String, CodingKey {
        case track
        case from = "from_ns"
        case to = "to_ns"
        case cause
    }
}
