internal import Glibc
package import Media

/// Replaces a file atomically: a reader sees either the whole old content or the whole new one, even after a power cut.
///
/// The content is written to a draft beside the file, `FILE.new`, flushed to the disk, and put in place by rename(2).
package enum FileReplacement {
    /// Returns the path of the draft to which a file's next content is written: `path` with `.new` appended.
    package static func draft(of path: String) -> String { path + ".new" }

    /// Replaces a file, or creates it. Blocks that `reserve` has allocated to the draft are used.
    ///
    /// - Parameters:
    ///   - content: All bytes of the file.
    ///   - path: Path of the file. Its folder exists.
    ///   - permissions: Mode of a newly created draft, reduced by the process's umask (open(2)).
    ///   - keepsDraft: Whether the draft stays after an error, with the blocks that it has.
    ///   - syncsFolder: Whether the folder is flushed to the disk too. An error there is ignored: the kernel flushes it later.
    /// - Throws: `FileError` "create", "write" or "rename", with the system's error number.
    package static func write(
        _ content: [UInt8], to path: String, permissions: UInt32 = 0o666, keepsDraft: Bool = false,
        syncsFolder: Bool = false
    ) throws(FileError) {
        let draft = draft(of: path)
        do throws(FileError) {
            try fill(draft, with: content, permissions)
            guard rename(draft, path) == 0 else {
                throw FileError(path: path, operation: "rename", errno: errno)
            }
        } catch {
            if !keepsDraft { unlink(draft) }
            throw error
        }
        guard syncsFolder, let end = path.lastIndex(of: "/") else { return }
        let folder = open(String(path[..<end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        let descriptor = OwnedDescriptor(owning: folder)
        fsync(descriptor.number)
    }

    /// Allocates disk blocks to a file's draft for its next content, by posix_fallocate(3).
    ///
    /// On a file system that cannot reserve room this does nothing.
    ///
    /// - Parameters:
    ///   - byteCount: Room to reserve, in bytes.
    ///   - path: Path of the file to be replaced; its folder exists.
    /// - Throws: `FileError` "create" when the draft cannot be created, "reserve room" when the disk or the user's quota is full.
    package static func reserve(_ byteCount: Int, for path: String) throws(FileError) {
        let draft = draft(of: path)
        let descriptor = try created(draft, 0o666)
        let number = posix_fallocate(descriptor.number, 0, byteCount)
        guard number != ENOSPC, number != EDQUOT else {
            throw FileError(path: draft, operation: "reserve room", errno: number)
        }
    }

    private static func created(_ path: String, _ permissions: UInt32) throws(FileError) -> OwnedDescriptor {
        let number = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, permissions)
        guard number >= 0 else { throw FileError(path: path, operation: "create", errno: errno) }
        return OwnedDescriptor(owning: number)
    }

    /// Overwrites a file's blocks with the content, truncates the rest, and waits until it is on the disk.
    ///
    /// - Throws: `FileError` "create" or "write", with the system's error number.
    private static func fill(_ path: String, with content: [UInt8], _ permissions: UInt32) throws(FileError) {
        let descriptor = try created(path, permissions)
        var rest = content[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, operation: "write", errno: errno) }
            rest = rest.dropFirst(count)
        }
        guard ftruncate(descriptor.number, content.count) == 0, fsync(descriptor.number) == 0 else {
            throw FileError(path: path, operation: "write", errno: errno)
        }
    }
}
