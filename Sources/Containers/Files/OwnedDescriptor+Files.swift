internal import FileSystem
internal import Glibc
internal import Media

extension OwnedDescriptor {
    /// Opens a file; retries when a signal interrupts that, and closes the descriptor in child processes.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - flags: Flags of open(2). A created file has the permissions 0666 less the process's mask.
    ///   - operation: Operation that an error names.
    /// - Throws: `FileError` with that operation.
    init(opening path: String, flags: Int32, operation: String) throws(FileError) {
        var number: Int32
        repeat { number = open(path, flags | O_CLOEXEC, 0o666) } while number < 0 && errno == EINTR
        guard number >= 0 else { throw FileError(path: path, operation: operation, errno: errno) }
        self.init(owning: number)
    }

    /// Reads up to `count` bytes from `offset` on; fewer where the file ends.
    ///
    /// - Throws: `FileError` "read", which names `path`.
    func read(_ count: Int, at offset: Int64, of path: String) throws(FileError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    number, buffer.baseAddress.map { $0 + filled }, count - filled, Int(offset) + filled)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                filled += got
            }
        }
        guard failure == 0 else { throw FileError(path: path, operation: "read", errno: failure) }
        return bytes
    }
}
