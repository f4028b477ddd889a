internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// An output file that gets its final name only when it is complete. Until then, the file has a hidden
/// temporary name in the same folder.
///
/// If the instance is released before `publish` is called, the file is removed.
final class DraftFile {
    /// The temporary file.
    let temporaryFile: ContainedFile
    /// The final file.
    private(set) var target: ContainedFile
    private let replaces: Bool
    private let next: (() throws(FileError) -> ContainedFile)?
    private var isPublished = false

    /// Chooses a temporary file name. The file itself isn't created.
    ///
    /// - Parameters:
    ///   - target: The final path of the file.
    ///   - replaces: Whether to replace an existing file.
    ///   - next: Returns another final path if a file was created at the previous path in the meantime.
    /// - Throws: `FileError` with the operation "creating the file" if the target exists and `replaces` is
    ///   `false`.
    init(
        for target: ContainedFile, replaces: Bool = false,
        next: (() throws(FileError) -> ContainedFile)? = nil
    ) throws(FileError) {
        self.target = target
        self.replaces = replaces
        self.next = next
        let name = target.name
        let slash = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        // The temporary name contains a random number instead of the process ID. An earlier process with the
        // same ID, such as in a container, may have been killed while it was writing to the same folder.
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        temporaryFile = target.folder.file("\(name[..<slash]).\(name[slash...]).\(number).part")
        guard replaces || !target.exists else {
            throw FileError(path: target.path, operation: "creating the file", errno: EEXIST)
        }
        Self.unpublishedFiles.withLock { $0[temporaryFile.path] = temporaryFile }
    }

    /// Returns the error with the final path instead of the temporary path.
    func withFinalPath(_ error: FileError) -> FileError {
        guard error.path == temporaryFile.path else { return error }
        return error.errno == 0
            ? FileError(path: target.path, operation: error.operation, detail: error.detail)
            : FileError(path: target.path, operation: error.operation, errno: error.errno)
    }

    deinit {
        if !isPublished { temporaryFile.discard() }
        Self.unpublishedFiles.withLock { $0[temporaryFile.path] = nil }
    }

    /// Renames the completed file to its final name.
    ///
    /// - Throws: `FileError` with the operation "renaming", for example if another file was created at the
    ///   final path in the meantime.
    func publish() throws(FileError) {
        while !replaces {
            do throws(FileError) {
                try temporaryFile.link(to: target)
                temporaryFile.discard()
                isPublished = true
                return
            } catch {
                // If the file system doesn't support hard links, the file is renamed instead.
                if error.errno != EEXIST, !target.exists { break }
            }
            guard let next else { throw FileError(path: target.path, operation: "renaming", errno: EEXIST) }
            target = try next()
        }
        try temporaryFile.rename(to: target)
        isPublished = true
    }

    // MARK: Immediate termination

    /// All unpublished files of this process, by path.
    private static let unpublishedFiles = ConditionLock<[String: ContainedFile]>([:])

    /// Removes all unpublished files of this process. Call this method before the process exits without
    /// waiting for renderings.
    static func discardAll() {
        for place in unpublishedFiles.withLock({ $0.values }) { place.discard() }
    }
}
