internal import Glibc
internal import Media

/// The place of a file that gets its name when it is whole: until then it lies beside it under a name that nobody takes for it.
///
/// Released before `publish`, it removes what was written.
final class DraftFile {
    /// Path of what is written.
    let path: String
    /// Path that the whole file gets.
    private(set) var target: String
    private let replaces: Bool
    private let next: (() throws(FileError) -> String)?
    private var isPublished = false

    /// Chooses a draft's path; nothing is created.
    ///
    /// - Parameters:
    ///   - target: Path that the whole file gets.
    ///   - replaces: Whether it takes the place of a file that is there.
    ///   - next: Returns another target where somebody has made a file of that name meanwhile.
    /// - Throws: `FileError` "create" where the target exists and is not replaced.
    init(
        for target: String, replaces: Bool = false, next: (() throws(FileError) -> String)? = nil
    ) throws(FileError) {
        self.target = target
        self.replaces = replaces
        self.next = next
        let slash = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
        // A process of the same number may have been killed here, in a container say.
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        path = "\(target[..<slash]).\(target[slash...]).\(number).part"
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
        while !replaces {
            if link(path, target) == 0 {
                unlink(path)
                isPublished = true
                return
            }
            // Some file systems have no hard links.
            if errno != EEXIST, access(target, F_OK) != 0 { break }
            guard let next else { throw FileError(path: target, operation: "rename", errno: EEXIST) }
            target = try next()
        }
        guard rename(path, target) == 0 else {
            throw FileError(path: target, operation: "rename", errno: errno)
        }
        isPublished = true
    }
}
