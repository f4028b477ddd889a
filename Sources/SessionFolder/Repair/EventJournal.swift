internal import Glibc
internal import Media

/// The `events.ndjson` of a recording, locked, so that no other process records or recovers at the same time.
final class EventJournal {
    private let path: String
    private let descriptor: Int32
    let bytes: [UInt8]

    /// Largest number of bytes that is read, enough for months of events.
    private static let largest = 1 << 30

    /// Opens, locks and reads the events of a folder; a folder without events is no error.
    ///
    /// - Throws: `FileError` "open" or "read" when the file cannot be opened for writing or read, and "nothing" when another
    ///   process records or recovers.
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

    /// Appends an event after the whole lines, in place of a torn one, and waits until it is on the disk.
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
