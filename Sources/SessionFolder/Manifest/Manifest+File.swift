extension Manifest {
    /// The other folder of a recording with a safety copy: from the recording the copy, from the copy the recording.
    public struct OtherFolder: Sendable, Equatable, Codable {
        /// Path of the other folder.
        public var folder: String
        /// How far the recording got in that folder.
        public var outcome: Outcome

        package init(folder: String, outcome: Outcome) {
            self.folder = folder
            self.outcome = outcome
        }
    }

    /// A media file as it was when it was closed and read again.
    public struct File: Sendable, Equatable, Codable {
        /// Path of the file, relative to the session folder.
        public var file: String
        /// Size of the file in bytes.
        public var bytes: Int64
        /// XXH3-128 of the bytes from `hashed_from` on, then of those before: 32 hex digits; `nil` if the file was not finished.
        public var xxh3_128: String?
        /// Offset in bytes at which the checksum begins; `nil` for a file that could not be finished.
        public var hashed_from: Int64?
        /// Whether the file, read again, was as it had been written.
        public var verified: Bool
        /// Fault of the file, as a sentence; `nil` when nothing is wrong with it.
        public var fault: String?

        package init(
            file: String, bytes: Int64, xxh3_128: String? = nil, hashed_from: Int64? = nil, verified: Bool,
            fault: String? = nil
        ) {
            self.file = file
            self.bytes = bytes
            self.xxh3_128 = xxh3_128
            self.hashed_from = hashed_from
            self.verified = verified
            self.fault = fault
        }
    }
}
