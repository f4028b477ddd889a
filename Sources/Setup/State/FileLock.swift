internal import Glibc
internal import Media

/// A lock between processes, which one process holds at a time.
enum FileLock {
    /// Waits for the lock and runs `body` with it. Do not call it in a Swift task.
    ///
    /// - Parameters:
    ///   - path: A file that serves as the lock alone; it is created when missing.
    ///   - subject: The name of what the lock protects, for messages.
    ///   - patience: The longest wait for another process.
    ///   - body: The work to do under the lock.
    /// - Returns: The result of `body`.
    /// - Throws: `StateFileError` when the file cannot be created, another process keeps the lock, or `body` throws.
    static func hold<Result>(
        _ path: String, for subject: String, patience: Nanoseconds,
        _ body: () throws(StateFileError) -> Result
    ) throws(StateFileError) -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StateFileError(path: path, subject: subject, operation: "lock", errno: errno)
        }
        // Closing releases the lock; so does the end of the process.
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
