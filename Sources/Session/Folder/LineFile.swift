internal import Glibc
internal import Media

/// A file of NDJSON as `events.ndjson`: append-only, each line in one write so that a crash leaves whole lines.
final class LineFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Makes the file. Other `creation` flags of open(2) take one that is there.
    init(path: String, creation: Int32 = O_CREAT | O_EXCL) throws(FileError) {
        self.path = path
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

    /// Appends a line.
    ///
    /// - Parameters:
    ///   - line: Without its end.
    ///   - makeRoom: Asked once where the disk is full, for room that was held.
    /// - Throws: "write".
    func append(_ line: String, makeRoom: () -> Bool = { false }) throws(FileError) {
        var rest = Array((line + "\n").utf8)[...]
        var mayMakeRoom = true
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
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
            throw FileError(path: path, operation: "write", errno: number)
        }
    }
}
