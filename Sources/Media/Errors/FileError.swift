import Glibc

/// Failure to create, write, or read a file of a recording.
public struct FileError: Error, Sendable, Equatable {
    /// The path of the file or folder.
    package let path: String
    /// The action that failed, as a gerund phrase or the name of a system call, for example `reading`. The
    /// action appears before "failed" in the error message.
    package let operation: String
    /// System error number, or 0 if the content is invalid; `detail` then explains the problem.
    package let errno: Int32
    /// Description of invalid content, as a sentence; empty if `errno` isn't 0.
    package let detail: String
    /// The process or system limit that was reached; `nil` if the error has a different cause.
    package let limit: MachineLimit?

    /// Creates an error from a system error number.
    package init(path: String, operation: String, errno: Int32) {
        self.path = path
        self.operation = operation
        self.errno = errno
        detail = ""
        limit = MachineLimit(errno: errno)
    }

    /// Creates an error for a file after the system refused to create its thread.
    package init(path: String, _ error: ThreadError) {
        self.path = path
        operation = "starting a thread"
        errno = 0
        detail = error.limit.explanation
        limit = error.limit
    }

    /// Creates an error about a file's content, with `errno` 0. `detail` must be a complete sentence.
    package init(path: String, operation: String, detail: String) {
        self.path = path
        self.operation = operation
        errno = 0
        self.detail = detail
        limit = nil
    }

    /// Whether the user lacks permission (`EACCES` or `EPERM`).
    package var isPermission: Bool { errno == EACCES || errno == EPERM }

    /// Whether the path itself is invalid: a component is a file, the path is too long, the path's symbolic
    /// links form a loop, the file already exists, or a backup would be created in its own recording's
    /// folder.
    package var isUsageError: Bool {
        [ENOTDIR, ENAMETOOLONG, ELOOP, EEXIST].contains(errno) || operation == Self.backupIntoItself
    }

    /// Operation name for a backup that would be written to the recording's own location.
    package static let backupIntoItself = "creating a backup in the recording's own folder"

    /// Whether the operation only reads the file.
    private var isReading: Bool { operation == "reading" || operation == "opening" }
}

extension FileError: CustomStringConvertible {
    /// The complete message for the user: the path, the operation, the reason, and what to try.
    public var description: String {
        let explanation =
            switch errno {
            case 0: detail.printable()
            case EACCES where isReading, EPERM where isReading:
                "permission denied. Ask the owner for read access, or use the account of the user who made the recording."
            case EACCES, EPERM:
                "permission denied. Choose a folder that you can write to\(onCommandLine(" with `--output`"))."
            case ENOSPC, EDQUOT:
                "the disk is full. Free some space, or choose another disk\(onCommandLine(" with `--output`"))."
            case EROFS:
                "the file system is read-only. Choose another disk\(onCommandLine(" with `--output`"))."
            case ENOENT: "no such file or folder. Check the path."
            case ENOTDIR: "part of the path is a file, not a folder. Check the path."
            case ENAMETOOLONG: "the name is too long. Choose a shorter one."
            case ELOOP: "the path contains a loop of symbolic links. Check the path."
            case EEXIST: "a file or folder with this name already exists. Choose another name."
            default:
                limit?.explanation
                    ?? "\(String(cString: strerror(errno))) (errno \(errno)). Check the disk, or choose another one."
            }
        return "\(path.printable()): \(operation) failed: \(explanation)"
    }
}
