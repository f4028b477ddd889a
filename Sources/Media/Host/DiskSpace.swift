/// The disk of a recording.
public struct DiskSpace: Sendable, Equatable {
    /// For this user.
    public let freeBytes: Int64
    /// What the recording's files hold.
    public let recordedBytes: Int64

    public init(freeBytes: Int64, recordedBytes: Int64) {
        self.freeBytes = freeBytes
        self.recordedBytes = recordedBytes
    }
}
