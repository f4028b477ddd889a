internal import CMulticamFiles
internal import Glibc
package import MulticamMedia

/// A folder whose content may come from an untrusted source, such as a session folder. The folder's file
/// descriptor remains open.
///
/// All items below the folder are opened relative to the descriptor, and symbolic links are never followed. A
/// downloaded or received folder therefore can't cause a command to read or write files outside the folder.
/// The user chooses the path of the folder itself, so links in that path are followed. `ContainedFolder` can
/// be used from any thread.
package final class ContainedFolder: Sendable {
    /// Path of the folder as specified, for messages.
    package let path: String
    private let descriptor: OwnedDescriptor
    /// Whether openat2(2) is tried before a path is opened component by component. Tests disable openat2(2).
    private let usesOpenat2: Bool

    /// Opens a folder.
    ///
    /// - Throws: `FileError` with the operation "opening" if the folder doesn't exist or isn't a folder.
    package convenience init(opening path: String) throws(FileError) {
        try self.init(opening: path, usesOpenat2: true)
    }

    init(opening path: String, usesOpenat2: Bool) throws(FileError) {
        let place = path.isEmpty ? "." : path
        var number: Int32
        // With `O_PATH`, a folder can be opened even if the user may enter but not list it.
        repeat {
            number = Glibc.open(place, files_O_PATH | O_DIRECTORY | O_CLOEXEC)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw FileError(path: path, operation: "opening", errno: errno) }
        self.path = path
        self.usesOpenat2 = usesOpenat2
        descriptor = OwnedDescriptor(owning: number)
    }

    private init(path: String, descriptor: consuming OwnedDescriptor, usesOpenat2: Bool) {
        self.path = path
        self.descriptor = descriptor
        self.usesOpenat2 = usesOpenat2
    }

    /// Opens a subfolder of this folder without following links.
    ///
    /// - Throws: `FileError` with the operation "opening" if the folder doesn't exist.
    package func folder(_ name: String) throws(FileError) -> ContainedFolder {
        let descriptor = try open(name, files_O_PATH | O_DIRECTORY, operation: "opening")
        return ContainedFolder(path: "\(path)/\(name)", descriptor: descriptor, usesOpenat2: usesOpenat2)
    }

    /// Returns a reference to the file at a path relative to the folder. The file doesn't have to exist.
    package func file(_ name: String) -> ContainedFile { ContainedFile(name, in: self) }

    /// Opens an item below the folder without following links.
    ///
    /// - Parameters:
    ///   - name: Path relative to the folder; empty for the folder itself.
    ///   - flags: Flags of open(2); `O_CLOEXEC` and `O_NOFOLLOW` are added.
    ///   - permissions: Mode of a new file, reduced by the process's umask.
    ///   - operation: Name of the operation for errors.
    /// - Returns: The open file or folder.
    /// - Throws: `FileError` with the specified operation if the item can't be opened. If the path contains a
    ///   link or leads outside the folder, `errno` is 0 and `detail` explains the problem.
    func open(
        _ name: String, _ flags: Int32, permissions: UInt32 = 0o666, operation: String
    ) throws(FileError) -> OwnedDescriptor {
        let full = name.isEmpty ? path : "\(path)/\(name)"
        guard name.isEmpty || name.isSafeRelativePath else {
            throw FileError(path: full, operation: operation, detail: Self.outside)
        }
        let flags = flags | O_CLOEXEC | O_NOFOLLOW
        var number: Int32 = -1
        var code = ENOSYS
        if usesOpenat2 {
            // `EAGAIN` means that a folder was renamed in the meantime. `EAGAIN` may occur several times, but
            // not indefinitely.
            var rest = 100
            repeat {
                rest -= 1
                number = files_open_beneath(
                    descriptor.number, name.isEmpty ? "." : name, flags, permissions)
                code = number < 0 ? errno : 0
            } while code == EINTR || (code == EAGAIN && rest > 0)
        }
        // System call filters, for example those of containers, reject unknown system calls with EPERM.
        if code == ENOSYS || code == EPERM {
            number = openByComponents(name, flags, permissions)
            code = number < 0 ? errno : 0
        }
        // With `O_PATH`, `O_NOFOLLOW` opens the link itself.
        if number >= 0, flags & files_O_PATH != 0, Self.isLink(number) {
            close(number)
            (number, code) = (-1, ELOOP)
        }
        if number >= 0 { return OwnedDescriptor(owning: number) }
        if code == ELOOP || code == EXDEV || (code == ENOTDIR && containsLink(name)) {
            throw FileError(path: full, operation: operation, detail: Self.link)
        }
        throw FileError(path: full, operation: operation, errno: code)
    }

    /// Opens a path one component at a time, for kernels that don't support openat2(2).
    ///
    /// - Returns: A file descriptor, or -1 with the error number in `errno`.
    private func openByComponents(_ name: String, _ flags: Int32, _ permissions: UInt32) -> Int32 {
        // The path is split at bytes instead of characters, as in the kernel.
        let names = name.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard let last = names.last else { return openat(descriptor.number, ".", flags, permissions) }
        var place: OwnedDescriptor?
        for name in names.dropLast() {
            let parent = place?.number ?? descriptor.number
            let number = openat(parent, name, files_O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else { return -1 }
            place = OwnedDescriptor(owning: number)
        }
        return openat(place?.number ?? descriptor.number, last, flags, permissions)
    }

    private static func isLink(_ number: Int32) -> Bool {
        var facts = stat()
        return fstat(number, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether a component of a path is a symbolic link. With `O_DIRECTORY`, the system reports `ENOTDIR` for
    /// a link.
    private func containsLink(_ name: String) -> Bool {
        let names = name.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        return names.indices.contains { index in
            let number = openByComponents(
                names[...index].joined(separator: "/"), files_O_PATH | O_NOFOLLOW | O_CLOEXEC, 0)
            guard number >= 0 else { return false }
            defer { close(number) }
            return Self.isLink(number)
        }
    }

    private static let link =
        "the path is or contains a symbolic link. Symbolic links in a session folder aren't followed. Replace the link with the file itself."
    static let outside = "the path leads outside the folder."
}

extension ContainedFolder {
    /// Lists this folder or one of its subfolders.
    ///
    /// - Parameters:
    ///   - name: Path relative to this folder; empty for the folder itself.
    ///   - limit: Maximum number of names to read.
    /// - Returns: The names in the folder.
    /// - Throws: `FileError` with the operation "opening" if the folder can't be opened.
    package func listing(of name: String = "", atMost limit: Int = .max) throws(FileError) -> FolderListing {
        let full = name.isEmpty ? path : "\(path)/\(name)"
        let folder = try open(name, O_RDONLY | O_DIRECTORY, operation: "opening")
        return try FolderListing(of: folder, path: full, atMost: limit)
    }

    /// Creates a subfolder of this folder, and any missing parent folders. Existing folders remain unchanged.
    ///
    /// - Throws: `FileError` with the operation "creating the folder" if a folder can't be created, for
    ///   example because a component of the path is a link or a file.
    package func makeFolder(_ name: String) throws(FileError) {
        let operation = "creating the folder"
        guard name.isSafeRelativePath else {
            throw FileError(path: "\(path)/\(name)", operation: operation, detail: Self.outside)
        }
        var parent = ""
        for component in name.utf8.split(separator: UInt8(ascii: "/")).map({ String(Substring($0)) }) {
            let place = try open(parent, files_O_PATH | O_DIRECTORY, operation: operation)
            parent = parent.isEmpty ? component : "\(parent)/\(component)"
            if mkdirat(place.number, component, 0o777) != 0, errno != EEXIST {
                throw FileError(path: "\(path)/\(parent)", operation: operation, errno: errno)
            }
        }
        // The existing item may be a file or a link.
        _ = try open(name, files_O_PATH | O_DIRECTORY, operation: operation)
    }

    /// Checks that an item below this folder is a folder and can be reached without following links. The
    /// check succeeds if the item doesn't exist.
    ///
    /// - Throws: `FileError` with the operation "opening" if the check fails.
    package func checkFolder(_ name: String) throws(FileError) {
        do throws(FileError) {
            _ = try open(name, files_O_PATH | O_DIRECTORY, operation: "opening")
        } catch {
            guard error.errno == ENOENT else { throw error }
        }
    }

    /// Locks the folder itself (flock(2)). This method blocks until no other process holds the lock.
    ///
    /// - Returns: The lock, which is released when the descriptor is closed.
    /// - Throws: `FileError` with the operation "locking the folder" if the folder can't be opened. Missing
    ///   support for locks in the file system isn't treated as an error.
    package func lock() throws(FileError) -> OwnedDescriptor {
        let folder = try open("", O_RDONLY | O_DIRECTORY, operation: "locking the folder")
        while flock(folder.number, LOCK_EX) != 0, errno == EINTR {}
        return folder
    }
}

/// The names of all entries of a folder, except `.` and `..`.
package struct FolderListing {
    /// The names that are valid UTF-8, sorted.
    package private(set) var names: [String] = []
    /// The names that aren't valid UTF-8, unsorted, with replacement characters for display.
    package private(set) var unreadableNames: [String] = []

    /// Reads the names in a folder.
    ///
    /// - Parameters:
    ///   - folder: Path of the folder.
    ///   - limit: Maximum number of names to read, because a folder can have any number of entries.
    /// - Throws: `FileError` with the operation "opening" and the system's error number if the folder can't
    ///   be opened.
    package init(of folder: String, atMost limit: Int = .max) throws(FileError) {
        guard let stream = opendir(folder) else {
            throw FileError(path: folder, operation: "opening", errno: errno)
        }
        self.init(reading: stream, atMost: limit)
    }

    /// Reads the names in a folder that is already open for reading.
    ///
    /// - Throws: `FileError` with the operation "opening" and the path `path` if the system has run out of
    ///   descriptors or memory.
    init(of folder: borrowing OwnedDescriptor, path: String, atMost limit: Int) throws(FileError) {
        // The descriptor is duplicated because the directory stream takes ownership of its descriptor.
        let number = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
        guard number >= 0, let stream = fdopendir(number) else {
            let code = errno
            if number >= 0 { close(number) }
            throw FileError(path: path, operation: "opening", errno: code)
        }
        self.init(reading: stream, atMost: limit)
    }

    private init(reading stream: OpaquePointer, atMost limit: Int) {
        defer { closedir(stream) }
        while names.count + unreadableNames.count < limit, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let name = bytes.prefix { $0 != 0 }
                return (
                    valid: String(validating: name, as: UTF8.self),
                    shown: String(decoding: name, as: UTF8.self)
                )
            }
            guard let valid = name.valid else {
                unreadableNames.append(name.shown)
                continue
            }
            if valid != ".", valid != ".." { names.append(valid) }
        }
        names.sort()
    }

    /// Returns the names in a folder that are valid UTF-8, sorted.
    ///
    /// - Parameters:
    ///   - folder: Path of the folder.
    ///   - limit: Maximum number of names to read.
    /// - Returns: The names in the folder; empty if the folder can't be opened.
    package static func names(in folder: String, atMost limit: Int = .max) -> [String] {
        do throws(FileError) { return try FolderListing(of: folder, atMost: limit).names } catch { return [] }
    }
}
