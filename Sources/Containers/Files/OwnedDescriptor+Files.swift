internal import Descriptors
internal import Glibc
internal import Media

extension OwnedDescriptor {
    /// Opens a file, again where a signal interrupts that, and closes it in programs that this process starts.
    ///
    /// - Parameters:
    ///   - path: The file's.
    ///   - flags: Of open(2). A file that is created may be read and written by all whom the process's mask lets.
    ///   - operation: What the caller does, for the error.
    /// - Throws: `operation`, of the file.
    init(opening path: String, flags: Int32, operation: String) throws(FileError) {
        var number: Int32
        repeat { number = open(path, flags | O_CLOEXEC, 0o666) } while number < 0 && errno == EINTR
        guard number >= 0 else { throw FileError(path: path, operation: operation, errno: errno) }
        self.init(owning: number)
    }

    /// Reads what there is of `count` bytes from `offset` on: fewer where the file ends.
    ///
    /// - Throws: "read", of the file that `path` names.
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
