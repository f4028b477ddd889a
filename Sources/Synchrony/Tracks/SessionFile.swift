internal import Glibc

/// Whether a file of a session folder can be read at all: looked at without opening, since a pipe in its place would keep
/// whoever opens it waiting for ever.
enum SessionFile {
    /// Why a path cannot be read as an ordinary file.
    struct Problem {
        /// In the system's words, or ours; it follows “cannot be read:”.
        let reason: String
        let isMissing: Bool
        let isPermission: Bool
    }

    /// - Returns: `nil` where it can be read.
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
