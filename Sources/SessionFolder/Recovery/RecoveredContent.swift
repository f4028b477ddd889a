public import Media

/// What a recovery found of one track, for the manifest.
public struct RecoveredContent: Sendable, Equatable {
    public struct Part: Sendable, Equatable {
        public let file: String
        /// Where its time 0 is.
        public let start: MediaTime

        public init(file: String, start: MediaTime) {
            self.file = file
            self.start = start
        }
    }

    /// Less than a tick of any frame: ends of tracks in their own ticks differ by so much.
    private static let rounding: Int64 = 1_000_000

    /// Frames, or samples per channel, that are in its files now.
    public let written: Int64
    /// Of frames, those that are the one before again.
    public let repeated: Int64
    /// Stretches between others of which nothing came to the disk.
    public let holes: [Range<MediaTime>]
    /// What became of its end.
    public let ending: Manifest.RecoveredTrack
    /// Files after the first.
    public let parts: [Part]
    /// Whether anything of it can be read.
    public let isThere: Bool

    public init(
        written: Int64, repeated: Int64, holes: [Range<MediaTime>], ending: Manifest.RecoveredTrack,
        parts: [Part], isThere: Bool
    ) {
        self.written = written
        self.repeated = repeated
        self.holes = holes
        self.ending = ending
        self.parts = parts
        self.isThere = isThere
    }

    /// All of it up to the recording's end of which nothing came to the disk.
    func missing(until end: MediaTime) -> [Range<MediaTime>] {
        let filled = max(.zero, MediaTime(nanoseconds: end.nanoseconds - ending.filled_ns))..<end
        return (holes.map { $0.clamped(to: .zero..<end) } + [filled]).filter {
            $0.upperBound.nanoseconds - $0.lowerBound.nanoseconds > Self.rounding
        }
    }
}
