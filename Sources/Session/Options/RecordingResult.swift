public import Media
public import SessionFolder
public import Writers

/// How a recording ended.
public struct RecordingResult: Sendable {
    /// A recording's second folder.
    public struct Copy: Sendable {
        /// Its absolute path.
        public let folder: String
        public let content: SafetyCopy.Content
        /// What failed there.
        public let storageFailures: [FileError]
    }

    /// The session folder's absolute path.
    public let folder: String
    public let manifest: Manifest
    /// What failed in that folder; what was recorded before is saved.
    public let storageFailures: [FileError]
    /// The safety copy; `nil` where none was asked for.
    public let copy: Copy?
    /// Why system pressure ended it before it was to end; `nil` where it did not.
    public let pressureEnd: String?
    /// Processor time of the devices that only pretend: no part of any figure.
    public let simulationTime: Nanoseconds
    /// Failures of encoders: a track ended early.
    public let encodingFailures: [EncodingError]

    /// Whether all of it is there, in sentences.
    public var verdict: Verdict { Verdict(manifest) }
    /// Limits of the profile that were exceeded: a sentence each.
    public var exceededLimits: [String] { verdict.exceededLimits }

    /// Whether nothing failed in any of its folders.
    public var isStored: Bool { storageFailures.isEmpty && copy?.storageFailures.isEmpty ?? true }
}
