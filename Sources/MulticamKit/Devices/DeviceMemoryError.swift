internal import Glibc
internal import Media

/// Why something could not be remembered of devices. It never keeps anybody from recording.
public struct DeviceMemoryError: Error, Sendable, Equatable {
    public let path: String
    public let operation: String
    /// The system's error number; 0 where another process does not let go of the file.
    public let errno: Int32

    public var isPermission: Bool { errno == EACCES || errno == EPERM || errno == EROFS }
}

extension DeviceMemoryError: CustomStringConvertible {
    public var description: String {
        let reason =
            errno == 0
            ? "another program does not let go of it. Try again."
            : "\(String(cString: strerror(errno))). "
                + "Allow it with `chmod`, or name another folder in XDG_STATE_HOME."
        return
            "\(path.printable(limit: 1000)): to \(operation) what is remembered of devices failed: \(reason)"
    }
}
