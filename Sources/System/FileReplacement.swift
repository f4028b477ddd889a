internal import Glibc
package import MulticamMedia

/// Replaces a file atomically. Readers see either the complete old content or the complete new content, even
/// after a power failure.
///
/// The new content is written to a draft file `FILE.new` next to the original file and flushed to disk. The
/// draft is then moved into place with rename(2).
package enum FileReplacement {
    /// Returns the draft file for a file's new content. The name of the draft is the file's name with `.new`
    /// appended.
    package static func draft(of file: ContainedFile) -> ContainedFile {
        file.folder.file(file.name + ".new")
    }

    /// Replaces or creates the file at a path. Links in the path of the file's folder are followed, because
    /// the user chose the path.
    ///
    /// - Parameters:
    ///   - content: The complete content of the file.
    ///   - path: Path of the file. The parent folder must exist.
    ///   - permissions: Mode of a new file, reduced by the process's umask (open(2)).
    ///   - syncsFolder: Whether the folder is also flushed to disk. Errors while flushing the folder are
    ///     ignored, because the kernel flushes the folder later.
    /// - Throws: `FileError` with the operation "creating the file", "writing", or "renaming", and with the
    ///   system's error number.
    package static func write(
        _ content: [UInt8], to path: String, permissions: UInt32 = 0o666, syncsFolder: Bool = false
    ) throws(FileError) {
        let file = try ContainedFile(path: path, operation: "creating the file")
        try write(content, to: file, permissions: permissions, syncsFolder: syncsFolder)
    }

    /// Replaces or creates a file. An existing draft is removed and created again, so that a link with the
    /// draft's name isn't followed.
    ///
    /// - Parameters:
    ///   - content: The complete content of the file.
    ///   - file: The file to replace or create. The parent folder must exist.
    ///   - permissions: Mode of a new file, reduced by the process's umask (open(2)).
    ///   - keepsDraft: Whether to use a draft that was created by `reserve`. If `true`, the draft and its
    ///     disk blocks are kept after an error.
    ///   - syncsFolder: Whether the folder is also flushed to disk. Errors while flushing the folder are
    ///     ignored, because the kernel flushes the folder later.
    /// - Throws: `FileError` with the operation "creating the file", "writing", or "renaming", and with the
    ///   system's error number.
    package static func write(
        _ content: [UInt8], to file: ContainedFile, permissions: UInt32 = 0o666, keepsDraft: Bool = false,
        syncsFolder: Bool = false
    ) throws(FileError) {
        let draft = draft(of: file)
        do throws(FileError) {
            let descriptor =
                keepsDraft ? try openReserved(draft) : try draft.createDraft(permissions: permissions)
            try fill(descriptor, with: content, draft)
            try draft.rename(to: file)
        } catch {
            if !keepsDraft { draft.discard() }
            throw error
        }
        guard syncsFolder else { return }
        do throws(FileError) {
            let folder = try file.openParentForSync()
            fsync(folder.number)
        } catch {
            return
        }
    }

    /// Allocates disk blocks for a file's new content in the draft file, with posix_fallocate(3).
    ///
    /// This method does nothing on a file system that can't preallocate space.
    ///
    /// - Parameters:
    ///   - byteCount: Number of bytes to reserve.
    ///   - file: The file to replace. The parent folder must exist.
    /// - Throws: `FileError` with the operation "creating the file" if the draft can't be created, and
    ///   "reserving disk space" if the disk or the user's quota is full.
    package static func reserve(_ byteCount: Int, for file: ContainedFile) throws(FileError) {
        let draft = draft(of: file)
        let descriptor = try openReserved(draft)
        let number = posix_fallocate(descriptor.number, 0, byteCount)
        guard number != ENOSPC, number != EDQUOT else {
            throw FileError(path: draft.path, operation: "reserving disk space", errno: number)
        }
    }

    /// Opens a draft without releasing the draft's disk blocks. If the draft isn't a regular file with a
    /// single hard link, the draft is created again.
    private static func openReserved(_ draft: ContainedFile) throws(FileError) -> OwnedDescriptor {
        do throws(FileError) {
            return try draft.openForUpdate()
        } catch {
            return try draft.createDraft()
        }
    }

    /// Overwrites a file's disk blocks with new content, truncates the rest of the file, and waits until the
    /// content is on disk.
    ///
    /// - Throws: `FileError` with the operation "writing" and the system's error number.
    private static func fill(
        _ descriptor: borrowing OwnedDescriptor, with content: [UInt8], _ file: ContainedFile
    ) throws(FileError) {
        var rest = content[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                pwrite(descriptor.number, $0.baseAddress, $0.count, rest.startIndex)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: file.path, operation: "writing", errno: errno) }
            rest = rest.dropFirst(count)
        }
        guard ftruncate(descriptor.number, content.count) == 0, fsync(descriptor.number) == 0 else {
            throw FileError(path: file.path, operation: "writing", errno: errno)
        }
    }
}
