extension Manifest {
    /// The work of a recovery on an interrupted recording.
    public struct Recovery: Sendable, Equatable, Codable {
        /// Version of multicam that recovered the recording.
        public var multicam: String
        /// The end of each track after the recovery.
        public var tracks: [RecoveredTrack]
    }

    /// The end of a track after a recovery: what was cut and what was filled.
    public struct RecoveredTrack: Sendable, Equatable, Codable {
        /// Name of the track.
        public var track: String
        /// Length in nanoseconds that the track had on the disk after the common end. It stays in the file and is not shown.
        public var cut_ns: Int64
        /// Length in nanoseconds that was missing before the common end: filled with the last frame, or with silence.
        public var filled_ns: Int64
        /// The losses, as a sentence for people.
        public var text: String

        /// Creates the entry of a track; lengths are in nanoseconds, and `text` is a sentence for people.
        public init(track: String, cut_ns: Int64, filled_ns: Int64, text: String) {
            self.track = track
            self.cut_ns = cut_ns
            self.filled_ns = filled_ns
            self.text = text
        }
    }
}
