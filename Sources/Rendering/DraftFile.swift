internal import Glibc
internal import Media
internal import System

/// A file that gets its final name only when it is complete. Until then, the file has a temporary hidden name in the
/// same folder.
///
/// If the object is released before `publish` is called, the written data is removed.
final class DraftFile {
    /// The temporary file.
    let place: ContainedFile
    /// The final file.
    private(set) var target: ContainedFile
    private let replaces: Bool
    private let next: (() throws(FileError) -> ContainedFile)?
    private var isPublished = false

    /// Chooses a temporary name without creating a file.
    ///
    /// - Parameters:
    ///   - target: The final file.
    ///   - replaces: Whether an existing file is replaced.
    ///   - next: Returns another target if a file with that name has been created in the meantime.
    /// - Throws: `FileError` with the operation "creating the file" if the target exists and is not replaced.
    init(
        for target: ContainedFile, replaces: Bool = false,
        next: (() throws(FileError) -> ContainedFile)? = nil
    ) throws(FileError) {
        self.target = target
        self.replaces = replaces
        self.next = next
        let name = target.name
        let slash = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        // Process IDs are not unique: an earlier process with the same ID may have been killed while it wrote to the
        // same folder, for example in a container.
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        place = target.folder.file("\(name[..<slash]).\(name[slash...]).\(number).part")
        guard replaces || !target.exists else {
            throw FileError(path: target.path, operation: "creating the file", errno: EEXIST)
        }
        Self.open.withLock { $0[place.path] = place }
    }

    /// Returns an error with the path of the final file instead of the temporary path.
    func told(_ error: FileError) -> FileError {
        guard error.path == place.path else { return error }
        return error.errno == 0
            ? FileError(path: target.path, operation: error.operation, detail: error.detail)
            : FileError(path: target.path, operation: error.operation, errno: error.errno)
    }

    deinit {
        if !isPublished { place.discard() }
        Self.open.withLock { $0[place.path] = nil }
    }

    /// Renames the complete file to its final name.
    ///
    /// - Throws: `FileError` with the operation "renaming", for example because a file with that name has been created
    ///   in the meantime.
    func publish() throws(FileError) {
        while !replaces {
            do throws(FileError) {
                try place.link(to: target)
                place.discard()
                isPublished = true
                return
            } catch {
                // Some file systems don't support hard links.
                if error.errno != EEXIST, !target.exists { break }
            }
            guard let next else { throw FileError(path: target.path, operation: "renaming", errno: EEXIST) }
            target = try next()
        }
        try place.rename(to: target)
        isPublished = true
    }

    // MARK: Immediate termination

    /// All existing drafts, by path.
    private static let open = ConditionLock<[String: ContainedFile]>([:])

    /// Removes all drafts of this process, which is about to exit without waiting for their writers.
    static func discardAll() {
        for place in open.withLock({ $0.values }) { place.discard() }
    }
}
