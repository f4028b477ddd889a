/// The space on the disk that a recording is written to.
public struct DiskSpace: Sendable, Equatable {
    /// Bytes that are free for this user.
    public let freeBytes: Int64
    /// Bytes that the files in the session folder have by now.
    public let recordedBytes: Int64

    /// Makes a value from numbers of bytes.
    public init(freeBytes: Int64, recordedBytes: Int64) {
        self.freeBytes = freeBytes
        self.recordedBytes = recordedBytes
    }
}
