import Glibc

/// Hooks into the writing of a file: making room on a full disk, and stand-ins for tests.
public struct DiskConduct: Sendable {
    /// Called on the writing thread when the disk is full, to release reserved room. If the disk is still full after that, the
    /// write fails.
    ///
    /// - Returns: Whether the write is worth another try.
    public var makeRoom: @Sendable () -> Bool
    /// Called before each write with the file's path and the offset in bytes at which the write would end. It returns an error
    /// number, or 0; tests use it as a disk that is full, fails or hangs.
    package var beforeWrite: @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
    /// Called after each change of the file, for tests of what a crash leaves; `nil` outside of tests.
    package var afterChange: (@Sendable (FileChange) -> Void)?

    /// Creates hooks of which only `makeRoom` does something.
    public init(makeRoom: @escaping @Sendable () -> Bool = { false }) {
        self.makeRoom = makeRoom
    }

    /// Creates hooks for tests: a disk on which no file can be larger than `capacity` bytes.
    package init(capacity: Int64) {
        self.init()
        beforeWrite = { _, end in end > capacity ? ENOSPC : 0 }
    }
}
