internal import Glibc
internal import Media

/// Why something could not be kept from one run to the next. It never keeps anybody from recording.
public struct StateFileError: Error, Sendable, Equatable {
    public let path: String
    /// What it is that is kept: “what is remembered of devices”.
    public let subject: String
    public let operation: String
    /// The system's error number; 0 where another process does not let go of the file.
    public let errno: Int32

    package init(path: String, subject: String, operation: String, errno: Int32) {
        self.path = path
        self.subject = subject
        self.operation = operation
        self.errno = errno
    }

    public var isPermission: Bool { errno == EACCES || errno == EPERM || errno == EROFS }
}

extension StateFileError: CustomStringConvertible {
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
