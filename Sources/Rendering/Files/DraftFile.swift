internal import Glibc
internal import Media

/// The place of a file that gets its name when it is whole: until then it lies beside it under a name that nobody takes for it.
///
/// Released before `publish`, it removes what was written.
final class DraftFile {
    /// Path of what is written.
    let path: String
    /// Path that the whole file gets.
    let target: String
    private let replaces: Bool
    private var isPublished = false

    /// Chooses a draft's path; nothing is created.
    ///
    /// - Parameters:
    ///   - target: Path that the whole file gets.
    ///   - replaces: Whether it takes the place of a file that is there.
    /// - Throws: `FileError` "create" where the target exists and is not replaced.
    init(for target: String, replaces: Bool = false) throws(FileError) {
        self.target = target
        self.replaces = replaces
        let slash = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
        path = "\(target[..<slash]).\(target[slash...]).\(getpid()).part"
        guard replaces || access(target, F_OK) != 0 else {
            throw FileError(path: target, operation: "create", errno: EEXIST)
        }
    }

    /// An error with the path that people know in place of the draft's.
    func told(_ error: FileError) -> FileError {
        guard error.path == path else { return error }
        return error.errno == 0
            ? FileError(path: target, operation: error.operation, detail: error.detail)
            : FileError(path: target, operation: error.operation, errno: error.errno)
    }

    deinit {
        if !isPublished { unlink(path) }
    }

    /// Gives the whole file its name.
    ///
    /// - Throws: `FileError` "rename", also where a file of that name has been made meanwhile.
    func publish() throws(FileError) {
        guard replaces || access(target, F_OK) != 0 else {
            throw FileError(path: target, operation: "rename", errno: EEXIST)
        }
        guard rename(path, target) == 0 else {
            throw FileError(path: target, operation: "rename", errno: errno)
        }
        isPublished = true
    }
}
