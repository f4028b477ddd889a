internal import Glibc
internal import Media

/// `events.ndjson`: append-only, a line an event, each in one write so that a crash leaves whole lines.
final class EventFile: Sendable {
    private let descriptor: Int32
    private let path: String

    init(path: String) throws(FileError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileError(path: path, operation: "create", errno: errno) }
    }

    deinit {
        close(descriptor)
    }

    func append(_ line: String) throws(FileError) {
        let bytes = Array((line + "\n").utf8)
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == bytes.count else {
            throw FileError(path: path, operation: "write", errno: written < 0 ? errno : ENOSPC)
        }
    }
}
