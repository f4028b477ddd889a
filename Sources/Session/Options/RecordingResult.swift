public import Media
public import SessionFolder
public import Writers

/// The outcome of a recording: its folders, its manifest, and what failed.
public struct RecordingResult: Sendable {
    /// The outcome of a recording's safety copy.
    public struct Copy: Sendable {
        /// Absolute path of the safety copy's session folder.
        public let folder: String
        /// Which files the safety copy holds.
        public let content: SafetyCopy.Content
        /// Files of the safety copy that failed; what was written before each failure is saved.
        public let storageFailures: [FileError]
    }

    /// The session folder's absolute path.
    public let folder: String
    /// The manifest of the session folder, complete.
    public let manifest: Manifest
    /// Files of the session folder that failed; what was written before each failure is saved.
    public let storageFailures: [FileError]
    /// The safety copy's outcome, or `nil` when none was asked for.
    public let copy: Copy?
    /// Why the governor ended the recording early under system pressure, or `nil` when it did not.
    public let pressureEnd: String?
    /// Processor time that synthetic devices used, in nanoseconds; it is no part of any figure of cost.
    public let simulationTime: Nanoseconds
    /// Encoders and resamplers that failed; the track of each is incomplete.
    public let encodingFailures: [EncodingError]

    /// Whether everything was recorded, in sentences.
    public var verdict: Verdict { Verdict(manifest) }
    /// Limits of the profile that the recording exceeded, one sentence each.
    public var exceededLimits: [String] { verdict.exceededLimits }

    /// Whether no file failed in the session folder or in the safety copy.
    public var isStored: Bool { storageFailures.isEmpty && copy?.storageFailures.isEmpty ?? true }
}
