/// Content of a finished movie file.
public struct MovieSummary: Sendable, Equatable {
    /// Content of one track.
    public struct Track: Sendable, Equatable {
        /// Number of samples: frames, packets of audio or time code labels.
        public let sampleCount: Int
        /// Size of all samples in bytes.
        public let byteCount: Int64
        /// Time from T0 to the end of the last shown sample, in ticks of `timeScale`.
        public let duration: Int64
        /// Ticks per second of the track.
        public let timeScale: Int64
    }

    /// Content of each track, in the order of the file.
    public let tracks: [Track]
    /// Size of the whole file in bytes.
    public let byteCount: Int64
    /// Checksum of the whole file; `nil` where it cannot be computed.
    public let checksum: FileChecksum?
}
