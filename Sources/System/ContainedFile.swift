internal import CMulticamFiles
internal import Glibc
package import MulticamMedia

/// A file below a `ContainedFolder`, identified by its relative path. The file doesn't have to exist.
///
/// The file is opened without following symbolic links, and only if it is a regular file. If the name belongs
/// to a FIFO, socket, or device, an error is thrown before the item is opened, so that opening never blocks.
/// `ContainedFile` can be used from any thread.
package struct ContainedFile: Sendable {
    /// The folder that contains the file.
    package let folder: ContainedFolder
    /// Path of the file relative to the folder.
    package let name: String

    /// Creates a reference to a file below a folder that is already open.
    package init(_ name: String, in folder: ContainedFolder) {
        self.folder = folder
        self.name = name
    }

    /// Opens a folder and creates a reference to a file below the folder.
    ///
    /// - Throws: `FileError` with the operation "opening" if the folder doesn't exist. The error contains the
    ///   file's path.
    package init(_ name: String, in folder: String) throws(FileError) {
        do throws(FileError) {
            self.init(name, in: try ContainedFolder(opening: folder))
        } catch {
            throw FileError(path: "\(folder)/\(name)", operation: error.operation, errno: error.errno)
        }
    }

    /// Creates a reference to a file by a path that the user chose. Symbolic links in the path of the file's
    /// folder are followed, but the file itself must not be a link.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - operation: Name of the operation for errors.
    /// - Throws: `FileError` with the specified operation if the folder doesn't exist.
    package init(path: String, operation: String = "opening") throws(FileError) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard !["", ".", ".."].contains(name) else {
            throw FileError(path: path, operation: "opening", errno: EISDIR)
        }
        try self.init(name, in: slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "")
    }

    /// Creates a reference to a file by a path that the user chose. All symbolic links in the path are
    /// followed.
    ///
    /// - Throws: `FileError` with the operation "opening" if the file doesn't exist.
    package init(resolving path: String) throws(FileError) {
        guard let resolved = realpath(path, nil) else {
            throw FileError(path: path, operation: "opening", errno: errno)
        }
        defer { free(resolved) }
        try self.init(path: String(cString: resolved))
    }

    /// Path of the file as the user entered it, for messages.
    package var path: String {
        folder.path.isEmpty ? name : folder.path + (folder.path.hasSuffix("/") ? "" : "/") + name
    }

    /// Path of the folder that contains the file, relative to `folder`; empty for `folder` itself.
    private var parent: String { name.lastIndex(of: "/").map { String(name[..<$0]) } ?? "" }
    private var lastName: String {
        name.lastIndex(of: "/").map { String(name[name.index(after: $0)...]) } ?? name
    }

    private func openParent(_ operation: String) throws(FileError) -> OwnedDescriptor {
        guard name.isSafeRelativePath else {
            throw FileError(path: path, operation: operation, detail: ContainedFolder.outside)
        }
        do throws(FileError) {
            return try folder.open(parent, files_O_PATH | O_DIRECTORY, operation: operation)
        } catch {
            throw error.errno == 0
                ? FileError(path: path, operation: error.operation, detail: error.detail)
                : FileError(path: path, operation: error.operation, errno: error.errno)
        }
    }

    // MARK: Opening

    /// Opens the file for reading.
    ///
    /// - Throws: `FileError` with the operation "opening" if the file can't be opened or isn't a regular
    ///   file.
    package func openForReading() throws(FileError) -> OwnedDescriptor { try openRegular(O_RDONLY) }

    /// Opens the file for modification in place.
    ///
    /// - Parameter flags: Flags that are passed to open(2).
    /// - Returns: The descriptor of the open file.
    /// - Throws: `FileError` with the operation "opening" if the file can't be opened, isn't a regular file,
    ///   or has several hard links. Files with several hard links are rejected because another link may be
    ///   outside the folder.
    package func openForUpdate(_ flags: Int32 = O_RDWR) throws(FileError) -> OwnedDescriptor {
        let descriptor = try openRegular(flags)
        guard try status(of: descriptor, "opening").st_nlink <= 1 else {
            throw FileError(
                path: path, operation: "opening",
                detail:
                    "the file has a second hard link, so changes would also affect the other name. Replace the file with a copy."
            )
        }
        return descriptor
    }

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - flags: Flags of open(2): `O_RDWR`, or `O_WRONLY` and `O_APPEND`.
    ///   - permissions: Mode of the file, reduced by the process's umask.
    /// - Returns: The descriptor of the open file.
    /// - Throws: `FileError` with the operation "creating the file" if the file can't be created, for example
    ///   because the name already exists.
    package func create(_ flags: Int32 = O_RDWR, permissions: UInt32 = 0o666) throws(FileError)
        -> OwnedDescriptor
    {
        try folder.open(
            name, flags | O_CREAT | O_EXCL, permissions: permissions, operation: "creating the file")
    }

    /// Creates the file after removing any existing file or link with the same name, such as an older draft.
    ///
    /// - Throws: `FileError` with the operation "creating the file" if the file can't be created, for example
    ///   because a folder has the same name.
    package func createDraft(permissions: UInt32 = 0o666) throws(FileError) -> OwnedDescriptor {
        let place = try openParent("creating the file")
        guard unlinkat(place.number, lastName, 0) == 0 || errno == ENOENT else {
            throw FileError(path: path, operation: "creating the file", errno: errno)
        }
        return try create(permissions: permissions)
    }

    private func openRegular(_ flags: Int32) throws(FileError) -> OwnedDescriptor {
        // Opening a FIFO or a device has side effects, so the type is checked first. `O_NONBLOCK` prevents
        // blocking if the file is replaced with a FIFO or a device in the meantime.
        let found = try folder.open(name, files_O_PATH, operation: "opening")
        _ = try status(of: found, "opening")
        let descriptor = try folder.open(name, flags | O_NONBLOCK | O_NOCTTY, operation: "opening")
        _ = try status(of: descriptor, "opening")
        return descriptor
    }

    /// Returns the file status (fstat(2)) of a regular file.
    ///
    /// - Throws: `FileError` with the specified operation if the status can't be read or the file isn't a
    ///   regular file. In the latter case, the error contains an explanation.
    private func status(of descriptor: borrowing OwnedDescriptor, _ operation: String) throws(FileError)
        -> stat
    {
        var facts = stat()
        guard fstat(descriptor.number, &facts) == 0 else {
            throw FileError(path: path, operation: operation, errno: errno)
        }
        let kind: String
        switch facts.st_mode & S_IFMT {
        case S_IFREG: return facts
        case S_IFDIR: kind = "a folder"
        case S_IFIFO: kind = "a FIFO (named pipe)"
        case S_IFSOCK: kind = "a socket"
        default: kind = "a device"
        }
        throw FileError(
            path: path, operation: operation,
            detail: "expected a regular file, found \(kind). Delete it, or replace it with a regular file.")
    }

    // MARK: Names

    /// Size of the file in bytes; `nil` if the file isn't a regular file or can't be reached without
    /// following links.
    package var byteCount: Int64? {
        do throws(FileError) {
            let found = try folder.open(name, files_O_PATH, operation: "reading")
            return Int64(try status(of: found, "reading").st_size)
        } catch {
            return nil
        }
    }

    /// Whether a file, a folder, or a link with this name exists. The result is also `true` for a link whose
    /// target doesn't exist.
    package var exists: Bool {
        do throws(FileError) {
            let place = try openParent("opening")
            var facts = stat()
            return fstatat(place.number, lastName, &facts, AT_SYMLINK_NOFOLLOW) == 0
        } catch {
            return false
        }
    }

    /// Whether the file is a regular file that this process can read.
    package var isReadable: Bool {
        do throws(FileError) {
            _ = try openForReading()
            return true
        } catch {
            return false
        }
    }

    /// Creates the missing parent folders of the file.
    ///
    /// - Throws: `FileError` with the operation "creating the folder" if a folder can't be created.
    package func makeParents() throws(FileError) {
        if !parent.isEmpty { try folder.makeFolder(parent) }
    }

    /// Removes the file. If the name is a link, the link itself is removed. If the file doesn't exist, this
    /// method does nothing.
    ///
    /// - Throws: `FileError` with the operation "deleting" if the file can't be removed.
    package func remove() throws(FileError) {
        let place = try openParent("deleting")
        guard unlinkat(place.number, lastName, 0) == 0 || errno == ENOENT else {
            throw FileError(path: path, operation: "deleting", errno: errno)
        }
    }

    /// Removes the file after a failure. Errors in this cleanup are ignored, because the original failure is
    /// more important.
    package func discard() {
        do throws(FileError) { try remove() } catch { return }
    }

    /// Renames the file, replacing any existing file with the new name (renameat(2)).
    ///
    /// - Throws: `FileError` with the operation "renaming" and the path of `other` if renaming fails.
    package func rename(to other: ContainedFile) throws(FileError) {
        let from = try openParent("renaming")
        let to = try other.openParent("renaming")
        guard renameat(from.number, lastName, to.number, other.lastName) == 0 else {
            throw FileError(path: other.path, operation: "renaming", errno: errno)
        }
    }

    /// Creates a hard link to the file (linkat(2)). A file with the new name must not exist.
    ///
    /// - Throws: `FileError` with the operation "creating the hard link" and the path of `other` if the link
    ///   can't be created.
    package func link(to other: ContainedFile) throws(FileError) {
        let from = try openParent("creating the hard link")
        let to = try other.openParent("creating the hard link")
        guard linkat(from.number, lastName, to.number, other.lastName, 0) == 0 else {
            throw FileError(path: other.path, operation: "creating the hard link", errno: errno)
        }
    }

    /// Opens the folder that contains the file, so that the caller can flush the folder's entries to disk
    /// (fsync(2)).
    ///
    /// - Throws: `FileError` with the operation "opening" if the folder can't be opened.
    package func openParentForSync() throws(FileError) -> OwnedDescriptor {
        try folder.open(parent, O_RDONLY | O_DIRECTORY, operation: "opening")
    }
}
