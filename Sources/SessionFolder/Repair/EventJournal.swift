internal import Glibc
internal import Media

/// A recording's `events.ndjson`, locked, so that nobody else records or recovers meanwhile.
final class EventJournal {
    private let path: String
    private let descriptor: Int32
    let bytes: [UInt8]

    /// More than months of events: what is larger is not read.
    private static let largest = 1 << 30

    /// - Throws: "open" when it may not be changed, or somebody is at it. A folder without one is no failure.
    init(folder: String) throws(FileError) {
        path = folder + "/events.ndjson"
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw FileError(path: path, operation: "open", errno: errno) }
            bytes = []
            return
        }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(descriptor)
            throw FileError(
                path: folder, operation: "nothing",
                detail:
                    "\(folder.printable(limit: 1000)): this recording is still running, or is being recovered. Stop it first; "
                    + "recover it when it has ended without finishing its files.")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < Self.largest {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let number = errno
                close(descriptor)
                throw FileError(path: path, operation: "read", errno: number)
            }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        self.bytes = bytes
    }

    deinit {
        if descriptor >= 0 {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// Adds an event behind the whole lines, in place of a torn one.
    func append(_ event: SessionEvent, after wholeByteCount: Int) throws(FileError) {
        guard descriptor >= 0 else { return }
        let line = Array((event.line() + "\n").utf8)
        guard ftruncate(descriptor, wholeByteCount) == 0 else {
            throw FileError(path: path, operation: "truncate", errno: errno)
        }
        let written = pwrite(descriptor, line, line.count, wholeByteCount)
        guard written == line.count else {
            throw FileError(path: path, operation: "write", errno: written < 0 ? errno : ENOSPC)
        }
        guard fdatasync(descriptor) == 0 else {
            throw FileError(path: path, operation: "fdatasync", errno: errno)
        }
    }
}
