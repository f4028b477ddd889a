/// What a finished movie file holds.
public struct MovieSummary: Sendable, Equatable {
    public struct Track: Sendable, Equatable {
        public let sampleCount: Int
        public let byteCount: Int64
        /// From T0 to the end of what is shown, in ticks of `timeScale`.
        public let duration: Int64
        public let timeScale: Int64
    }

    public let tracks: [Track]
    /// Of the whole file.
    public let byteCount: Int64
    /// Of the whole file; `nil` where it could not be told.
    public let checksum: FileChecksum?
}
