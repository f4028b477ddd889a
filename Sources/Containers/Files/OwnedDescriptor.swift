import Glibc
import Media

/// A file descriptor with exactly one owner. Closes when that owner goes away.
struct OwnedDescriptor: ~Copyable, Sendable {
    let number: Int32

    init(opening path: String, flags: Int32, operation: String) throws(FileError) {
        var number: Int32
        repeat { number = open(path, flags | O_CLOEXEC, 0o666) } while number < 0 && errno == EINTR
        guard number >= 0 else { throw FileError(path: path, operation: operation, errno: errno) }
        self.number = number
    }

    deinit {
        close(number)
    }
}
