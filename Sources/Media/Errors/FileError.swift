import Glibc

/// A failure to make, write or read a file of a recording.
public struct FileError: Error, Sendable, Equatable {
    /// The path of the file or folder.
    public let path: String
    /// The action that failed, to stand before “failed” in the message, for example `read`.
    public let operation: String
    /// The system's error number, or 0 when the content is wrong; `detail` then says how.
    public let errno: Int32
    /// The fault of the content, as a sentence; empty when `errno` is not 0.
    public let detail: String

    /// Makes an error from the system's error number.
    public init(path: String, operation: String, errno: Int32) {
        self.path = path
        self.operation = operation
        self.errno = errno
        detail = ""
    }

    /// Makes an error about a file's content, with `errno` 0. `detail` is a sentence.
    public init(path: String, operation: String, detail: String) {
        self.path = path
        self.operation = operation
        errno = 0
        self.detail = detail
    }

    /// Whether the user may not do it (`EACCES` or `EPERM`).
    public var isPermission: Bool { errno == EACCES || errno == EPERM }

    /// Whether the path itself is a mistake: a part of it is a file, it is too long, its links lead in a circle, it exists
    /// already, or it would put a safety copy beside its recording.
    public var isUserMistake: Bool {
        [ENOTDIR, ENAMETOOLONG, ELOOP, EEXIST].contains(errno) || operation == Self.copyIntoItself
    }

    /// The operation of a safety copy that would be written where the recording is.
    public static let copyIntoItself = "make a safety copy beside the recording"

    /// Whether the operation only reads the file.
    private var isReading: Bool { operation == "read" || operation == "open" }
}

extension FileError: CustomStringConvertible {
    /// The whole message for a user: the path, the operation, the reason and what to try.
    public var description: String {
        let explanation =
            switch errno {
            case 0: detail.printable()
            case EACCES where isReading, EPERM where isReading:
                "no permission to read it. Ask its owner, or read it as the user who recorded it."
            case EACCES, EPERM: "no permission. Choose a folder of your own with `--output`."
            case ENOSPC, EDQUOT: "the disk is full. Free some space, or choose another disk with `--output`."
            case EROFS: "the file system is read-only. Choose another disk with `--output`."
            case ENOENT: "no such file or folder. Check the path."
            case ENOTDIR: "a part of the path is a file, not a folder. Check the path."
            case ENAMETOOLONG: "the name is too long. Choose a shorter one."
            case ELOOP: "links on the way lead in a circle. Check the path."
            case EEXIST: "it is there already. Choose another name."
            default:
                "\(String(cString: strerror(errno))) (errno \(errno)). Check the disk, or choose another."
            }
        return "\(path.printable()): \(operation) failed: \(explanation)"
    }
}
