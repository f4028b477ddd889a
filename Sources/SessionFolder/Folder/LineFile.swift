internal import Glibc
package import Media

/// A file of NDJSON as `events.ndjson`: append-only, each line in one write so that a crash leaves whole lines. One thread at a
/// time appends.
package final class LineFile: Sendable {
    /// What write(2) does; a test may put a disk in its place that takes half of it.
    package typealias Writing = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

    private let descriptor: Int32
    private let path: String
    private let write: Writing

    /// Makes the file. Other `creation` flags of open(2) take one that is there.
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
        // By hand, since a process that is being started holds the descriptor too, for a moment.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Lets nobody else lock it while this is there: so others see that somebody is at it.
    ///
    /// - Returns: `false` when somebody is. A file system without locks tells nothing.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }

    /// Appends a line, all of it or nothing.
    ///
    /// - Parameters:
    ///   - line: Without its end.
    ///   - makeRoom: Asked once where the disk is full, for room that was held.
    /// - Throws: "write".
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

    /// Takes back so many bytes of a line that did not find room as a whole: what comes after it is a line again. A disk that does
    /// not take them back takes no later line either.
    private func cutOff(_ count: Int) {
        var status = stat()
        guard count > 0, fstat(descriptor, &status) == 0, status.st_size >= count else { return }
        ftruncate(descriptor, status.st_size - count)
    }
}
