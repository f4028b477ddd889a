internal import Glibc
package import Media

/// An append-only file of NDJSON such as `events.ndjson`. Each line is one write, so that a crash leaves whole lines. Only one
/// thread at a time may append.
package final class LineFile: Sendable {
    /// Writes bytes to a descriptor and returns the count as write(2) does. Tests substitute a disk that takes only half of
    /// them.
    package typealias Writing = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

    private let descriptor: Int32
    private let path: String
    private let write: Writing

    /// Creates the file; other `creation` flags of open(2) open one that exists.
    ///
    /// - Throws: `FileError` "create" when the file exists or cannot be opened.
    package init(
        path: String, creation: Int32 = O_CREAT | O_EXCL,
        write: @escaping Writing = { Glibc.write($0, $1.baseAddress, $1.count) }
    ) throws(FileError) {
        self.path = path
        self.write = write
        descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | creation, 0o666)
        guard descriptor >= 0 else { throw FileError(path: path, operation: "create", errno: errno) }
    }

    deinit {
        // Released explicitly, since a child process that is just being started holds the descriptor too, for a moment.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Locks the file for as long as this object lives, so that other processes see that the recording is in use.
    ///
    /// - Returns: `false` when another process holds the lock. On a file system without locks it is `true`.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }

    /// Appends a line, all of it or nothing.
    ///
    /// - Parameters:
    ///   - line: The line without its line break.
    ///   - makeRoom: Called once when the disk is full, to release reserved room; returns whether it released any.
    /// - Throws: `FileError` "write" when the line could not be written as a whole.
    package func append(_ line: String, makeRoom: () -> Bool = { false }) throws(FileError) {
        let bytes = Array((line + "\n").utf8)
        var rest = bytes[...]
        var mayMakeRoom = true
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0) }
            if written > 0 {
                rest = rest.dropFirst(written)
                continue
            }
            let number = written < 0 ? errno : ENOSPC
            if number == EINTR { continue }
            if number == ENOSPC || number == EDQUOT, mayMakeRoom, makeRoom() {
                mayMakeRoom = false
                continue
            }
            cutOff(bytes.count - rest.count)
            throw FileError(path: path, operation: "write", errno: number)
        }
    }

    /// Removes the last `count` bytes, the beginning of a line that did not fit, so that the next line begins at the start of a
    /// line. A disk that does not remove them takes no later line either.
    private func cutOff(_ count: Int) {
        var status = stat()
        guard count > 0, fstat(descriptor, &status) == 0, status.st_size >= count else { return }
        ftruncate(descriptor, status.st_size - count)
    }
}
