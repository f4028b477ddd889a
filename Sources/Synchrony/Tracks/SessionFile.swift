internal import Glibc

/// Checks whether a file of a session folder can be read, without opening it: a pipe in its place would block whoever opens it
/// for ever.
enum SessionFile {
    /// Why a path cannot be read as a regular file.
    struct Problem {
        /// The reason, in words that follow “cannot be read:”.
        let reason: String
        let isMissing: Bool
        let isPermission: Bool
    }

    /// Why a path cannot be read; `nil` where it can.
    static func problem(at path: String) -> Problem? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return problem(errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            let isFolder = facts.st_mode & S_IFMT == S_IFDIR
            return Problem(
                reason: isFolder ? "it is a folder" : "it is no ordinary file", isMissing: false,
                isPermission: false)
        }
        guard facts.st_size > 0 else {
            return Problem(reason: "it is empty", isMissing: false, isPermission: false)
        }
        return access(path, R_OK) == 0 ? nil : problem(errno)
    }

    private static func problem(_ number: Int32) -> Problem {
        Problem(
            reason: String(cString: strerror(number)), isMissing: number == ENOENT || number == ENOTDIR,
            isPermission: number == EACCES || number == EPERM)
    }
}
