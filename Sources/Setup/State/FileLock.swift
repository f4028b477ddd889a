internal import Glibc
internal import Media

/// A lock between processes: whoever holds it is alone.
enum FileLock {
    /// Waits for the lock and runs `body` with it. Not in a Swift task.
    ///
    /// - Parameters:
    ///   - path: Of a file that is only there to be locked, and is made where it is missing.
    ///   - subject: What it keeps, for messages.
    ///   - patience: How long to wait for another process, at most.
    ///   - body: What is done alone.
    /// - Returns: What `body` returns.
    /// - Throws: When the file cannot be made, another process does not let go of it, or `body` throws.
    static func hold<Result>(
        _ path: String, for subject: String, patience: Nanoseconds,
        _ body: () throws(StateFileError) -> Result
    ) throws(StateFileError) -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StateFileError(path: path, subject: subject, operation: "lock", errno: errno)
        }
        // That gives the lock back; so does the end of the process.
        defer { close(descriptor) }
        let deadline = MonotonicClock().now + patience
        let pause = Cancellation()
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR else {
                throw StateFileError(path: path, subject: subject, operation: "lock", errno: number)
            }
            guard MonotonicClock().now < deadline else {
                throw StateFileError(path: path, subject: subject, operation: "lock", errno: 0)
            }
            _ = pause.wait(until: MonotonicClock().now + .milliseconds(5))
        }
        return try body()
    }
}
