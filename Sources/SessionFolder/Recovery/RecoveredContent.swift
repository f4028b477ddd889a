public import Media

/// Content of one track after a recovery, for the manifest.
public struct RecoveredContent: Sendable, Equatable {
    /// A file that continues the track after its first file.
    public struct Part: Sendable, Equatable {
        /// Path of the file, relative to the session folder.
        public let file: String
        /// Time 0 of the file, since T0.
        public let start: MediaTime

        /// Creates a part whose time 0 is at `start`, since T0.
        public init(file: String, start: MediaTime) {
            self.file = file
            self.start = start
        }
    }

    /// Stretches up to this length in nanoseconds, less than a tick of any frame rate, are rounding: ends of tracks in their own
    /// ticks differ by so much.
    private static let rounding: Int64 = 1_000_000

    /// Frames, or samples per channel, that the track's files hold after the recovery.
    public let written: Int64
    /// Frames among `written` that repeat the one before; 0 for audio.
    public let repeated: Int64
    /// Stretches between recorded frames of which nothing reached the disk, since T0.
    public let holes: [Range<MediaTime>]
    /// The end of the track after the recovery: what was cut and what was filled.
    public let ending: Manifest.RecoveredTrack
    /// Files after the track's first file.
    public let parts: [Part]
    /// Whether anything of the track can be read.
    public let isThere: Bool

    /// Creates the content of a track.
    ///
    /// - Parameters:
    ///   - written: Frames, or samples per channel, in the track's files.
    ///   - repeated: Frames among those that repeat the one before.
    ///   - holes: Stretches between recorded frames of which nothing reached the disk, since T0.
    ///   - ending: What the recovery did to the end of the track.
    ///   - parts: Files after the track's first file.
    ///   - isThere: Whether anything of the track can be read.
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

    /// Stretches up to the recording's end of which nothing reached the disk, since T0: the holes, and what was filled at the
    /// end.
    func missing(until end: MediaTime) -> [Range<MediaTime>] {
        let filled = max(.zero, MediaTime(nanoseconds: end.nanoseconds - ending.filled_ns))..<end
        return (holes.map { $0.clamped(to: .zero..<end) } + [filled]).filter {
            $0.upperBound.nanoseconds - $0.lowerBound.nanoseconds > Self.rounding
        }
    }
}
