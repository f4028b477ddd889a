public import Media

/// How a recording ended.
public struct RecordingResult: Sendable {
    /// The session folder's absolute path.
    public let folder: String
    public let manifest: Manifest
    /// Storage that failed; what was recorded before is saved.
    public let storageFailures: [FileError]
    /// Tracks that exceeded the profile's limits: a sentence each.
    public let exceededLimits: [String]
    /// Why system pressure ended it before it was to end; `nil` where it did not.
    public let pressureEnd: String?
    /// Processor time of the devices that only pretend: no part of any figure.
    public let simulationTime: Nanoseconds
    /// Failures of encoders: a track ended early.
    public let encodingFailures: [EncodingError]
}
