import Glibc

/// What a file's disk does besides holding bytes.
public struct DiskConduct: Sendable {
    /// Asked when the disk is full, on the thread that writes: gives back room that was held for this. What then still finds
    /// none fails.
    ///
    /// - Returns: Whether writing is worth another try.
    public var makeRoom: @Sendable () -> Bool
    /// Asked before each write with the file's path and where the write would end: a test's stand-in for a disk that is
    /// full, fails or hangs. It answers with an error number, or 0.
    package var beforeWrite: @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
    /// Told of each change after it was done: for tests of what a crash leaves.
    package var afterChange: (@Sendable (FileChange) -> Void)?

    public init(makeRoom: @escaping @Sendable () -> Bool = { false }) {
        self.makeRoom = makeRoom
    }

    /// A test's stand-in for a disk on which no file can be larger.
    package init(capacity: Int64) {
        self.init()
        beforeWrite = { _, end in end > capacity ? ENOSPC : 0 }
    }
}
