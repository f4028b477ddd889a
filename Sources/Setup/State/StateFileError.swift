internal import Glibc
internal import Media

/// Why a state file could not be locked, read or written. Such an error never prevents a recording.
public struct StateFileError: Error, Sendable, Equatable {
    /// The path of the file or folder, or the environment variables that should name one.
    public let path: String
    /// The content's name in the middle of a sentence: “what is remembered of devices”.
    public let subject: String
    /// The failed operation, as a verb: `lock`, `write`, `keep`.
    public let operation: String
    /// The system's error number; 0 when another process does not release the file.
    public let errno: Int32

    /// Creates an error.
    package init(path: String, subject: String, operation: String, errno: Int32) {
        self.path = path
        self.subject = subject
        self.operation = operation
        self.errno = errno
    }

    /// Whether a permission or a read-only file system is the cause.
    public var isPermission: Bool { errno == EACCES || errno == EPERM || errno == EROFS }
}

extension StateFileError: CustomStringConvertible {
    /// The error as a sentence for the user, with a remedy.
    public var description: String {
        let reason =
            errno == 0
            ? "another program does not let go of it. Try again."
            : "\(String(cString: strerror(errno))). "
                + "Allow it with `chmod`, or name another folder in XDG_STATE_HOME."
        return
            "\(path.printable(limit: 1000)): to \(operation) \(subject) failed: \(reason)"
    }
}
