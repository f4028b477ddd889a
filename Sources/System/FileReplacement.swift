internal import Glibc
package import Media

/// Replaces a file atomically. Readers get either the complete old content or the complete new content, even after a
/// power failure.
///
/// The content is written to a draft file next to the original, `FILE.new`, flushed to disk, and moved into place by
/// rename(2).
package enum FileReplacement {
    /// Returns the draft file for a file's next content. The draft's name is the file's name with `.new` appended.
    package static func draft(of file: ContainedFile) -> ContainedFile {
        file.folder.file(file.name + ".new")
    }

    /// Replaces or creates a file by its path. Links in the path of its folder are followed, because the user
    /// chose the path.
    ///
    /// - Parameters:
    ///   - content: The complete content of the file.
    ///   - path: Path of the file. The parent folder must exist.
    ///   - permissions: Mode of a new file, reduced by the process's umask (open(2)).
    ///   - syncsFolder: Whether the folder is also flushed to disk. Errors in this step are ignored, because the kernel
    ///     flushes the folder later.
    /// - Throws: `FileError` with the operation "creating the file", "writing", or "renaming", with the system's error
    ///   number.
    package static func write(
        _ content: [UInt8], to path: String, permissions: UInt32 = 0o666, syncsFolder: Bool = false
    ) throws(FileError) {
        let file = try ContainedFile(path: path, operation: "creating the file")
        try write(content, to: file, permissions: permissions, syncsFolder: syncsFolder)
    }

    /// Replaces or creates a file. An existing draft is removed and created again, so that a link with that name isn't
    /// followed.
    ///
    /// - Parameters:
    ///   - content: The complete content of the file.
    ///   - file: The file. The parent folder must exist.
    ///   - permissions: Mode of a new file, reduced by the process's umask (open(2)).
    ///   - keepsDraft: Whether a draft created by `reserve` is used. After an error, the draft and its disk blocks are
    ///     kept.
    ///   - syncsFolder: Whether the folder is also flushed to disk. Errors in this step are ignored, because the kernel
    ///     flushes the folder later.
    /// - Throws: `FileError` with the operation "creating the file", "writing", or "renaming", with the system's error
    ///   number.
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

    /// Allocates disk blocks for a file's next content in its draft, with posix_fallocate(3).
    ///
    /// Does nothing on a file system that can't preallocate space.
    ///
    /// - Parameters:
    ///   - byteCount: Number of bytes to reserve.
    ///   - file: The file to replace. The parent folder must exist.
    /// - Throws: `FileError` with the operation "creating the file" if the draft can't be created, and "reserving disk
    ///   space" if the disk or the user's quota is full.
    package static func reserve(_ byteCount: Int, for file: ContainedFile) throws(FileError) {
        let draft = draft(of: file)
        let descriptor = try openReserved(draft)
        let number = posix_fallocate(descriptor.number, 0, byteCount)
        guard number != ENOSPC, number != EDQUOT else {
            throw FileError(path: draft.path, operation: "reserving disk space", errno: number)
        }
    }

    /// Opens a draft without releasing its blocks. If the draft isn't a regular file with a single hard link, it is
    /// created again.
    private static func openReserved(_ draft: ContainedFile) throws(FileError) -> OwnedDescriptor {
        do throws(FileError) {
            return try draft.openForUpdate()
        } catch {
            return try draft.createDraft()
        }
    }

    /// Overwrites a file's blocks with the content, truncates the rest, and waits until the content is on disk.
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
