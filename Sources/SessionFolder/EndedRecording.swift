internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
package import MulticamMedia
internal import MulticamSystem

/// A recording that isn't running, opened to rename or delete it.
package struct EndedRecording {
    /// Absolute path of the session folder, without symbolic links.
    package let path: String
    private let folder: ContainedFolder
    private let state: FolderState

    /// Maximum length of a title, as in a profile.
    private static let longestTitle = 200

    /// Opens a session folder.
    ///
    /// - Throws: `FileError` if the folder isn't a session folder, or if the recording is running.
    package init(_ path: String) throws(FileError) {
        folder = try ContainedFolder(opening: path)
        state = FolderState(of: folder)
        guard state != .noRecording else {
            throw FileError(
                path: path, operation: "opening",
                detail:
                    "this folder isn't a session folder. Specify a folder listed by `multicam recordings`.")
        }
        if state == .running {
            throw FileError(
                path: path, operation: "opening", detail: FolderState.runningRemedy)
        }
        guard let resolved = realpath(path, nil) else {
            throw FileError(path: path, operation: "opening", errno: errno)
        }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }

    /// Replaces the title in the manifest. The names of the folder and of its files don't change, so that paths in editor
    /// projects and backups stay valid.
    ///
    /// - Parameter title: The title; empty to remove the title.
    /// - Throws: `FileError` with the operation "renaming" if the recording hasn't ended or the title is invalid, or with
    ///   another operation if the manifest can't be replaced.
    package func rename(to title: String) throws(FileError) {
        if let remedy = state.remedy(for: path) {
            throw FileError(path: path, operation: "renaming", detail: remedy)
        }
        guard title.count <= Self.longestTitle, title.printable(limit: Self.longestTitle) == title else {
            throw FileError(
                path: path, operation: "renaming",
                detail:
                    "expected a title of at most \(Self.longestTitle) characters without control characters.")
        }
        // Files that a phone uploads are added to the manifest at the same time.
        let turn = try folder.lock()
        defer { withExtendedLifetime(turn.number) {} }
        do {
            var manifest = try Manifest(reading: folder.file(Manifest.fileName))
            manifest.title = title.isEmpty ? nil : title
            try SessionFolder.write(JSONText.pretty(manifest), to: Manifest.fileName, in: folder)
        } catch let error as FileError {
            throw error
        } catch {
            throw FileError(path: path, operation: "renaming", detail: "\(error)".printable(limit: 400))
        }
    }

    /// Moves the session folder to the desktop's trash, from which the user can restore it.
    ///
    /// - Throws: `FileError` with the operation "moving to the trash" if there is no trash for this folder, or if the folder
    ///   can't be moved.
    package func moveToTrash() throws(FileError) {
        let use = try exclusiveUse()
        defer { withExtendedLifetime(use.number) {} }
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        guard let trash = Trash(for: parent) else {
            throw FileError(
                path: path, operation: Trash.operation,
                detail: "this computer has no trash for the file system of this folder.")
        }
        try trash.move(path)
    }

    /// Deletes the session folder and all of its files permanently.
    ///
    /// - Throws: `FileError` with the operation "deleting" if a file can't be deleted.
    package func deletePermanently() throws(FileError) {
        let use = try exclusiveUse()
        defer { withExtendedLifetime(use.number) {} }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw FileError(
                path: path, operation: "deleting",
                detail:
                    "some files can't be deleted. Check that you own the folder and that the disk isn't read-only."
            )
        }
    }

    /// Locks the event file, so that neither a recovery nor another recorder can use the folder while it is being deleted.
    ///
    /// - Returns: The lock, which is released when the descriptor is closed. Without a regular event file, the folder itself is locked.
    /// - Throws: `FileError` if another process uses the recording, or if the event file can't be opened.
    private func exclusiveUse() throws(FileError) -> OwnedDescriptor {
        let events: OwnedDescriptor
        do throws(FileError) {
            events = try folder.file(SessionFolder.eventFileName).openForReading()
        } catch {
            guard error.errno == ENOENT || error.errno == 0 else { throw error }
            return try folder.lock()
        }
        // A network file system may allow only shared locks on a file that is open for reading.
        for kind in [LOCK_EX, LOCK_SH] {
            if flock(events.number, kind | LOCK_NB) == 0 { break }
            if errno == EWOULDBLOCK {
                // A program that uses the recording has a shared lock, and a recorder an exclusive one.
                let isRunning = flock(events.number, LOCK_SH | LOCK_NB) != 0
                throw FileError(
                    path: path, operation: "deleting",
                    detail: isRunning ? FolderState.runningRemedy : RecordingUse.remedy)
            }
        }
        return events
    }
}

/// A trash of the user's desktop (freedesktop.org Trash specification 1.0).
package struct Trash: Sendable, Equatable {
    /// Operation name of errors.
    package static let operation = "moving to the trash"

    /// Path of the trash, with the subfolders `files` and `info`.
    let path: String
    /// Path that the entries' original paths are relative to; `nil` for absolute paths, as in the home trash.
    let top: String?

    /// Finds the trash for the files in a folder: the home trash if the folder is on the same file system, and otherwise the
    /// trash at the root of the folder's file system. A missing trash is created by `move`. The result is `nil` if neither
    /// exists or can be created, or if the user has no desktop.
    package init?(for folder: String) {
        self.init(for: folder, environment: ProcessInfo.processInfo.environment)
    }

    init?(for folder: String, environment: [String: String]) {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        guard let data = value("XDG_DATA_HOME") ?? value("HOME").map({ "\($0)/.local/share" }) else {
            return nil
        }
        let home = "\(data)/Trash"
        let hasDesktop = ["XDG_CURRENT_DESKTOP", "WAYLAND_DISPLAY", "DISPLAY"].contains {
            environment[$0]?.isEmpty == false
        }
        guard hasDesktop || Self.device(home) != nil, let device = Self.device(folder) else { return nil }
        if Self.device(Self.existing(home)) == device {
            guard access(Self.existing(home), W_OK) == 0 else { return nil }
            (path, top) = (home, nil)
            return
        }
        var root = folder
        while let slash = root.lastIndex(of: "/"), Self.device(Self.parent(root, slash)) == device {
            root = Self.parent(root, slash)
            if root == "/" { break }
        }
        guard let place = Self.trash(atRoot: root) else { return nil }
        (path, top) = (place, root)
    }

    private static func device(_ path: String) -> dev_t? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts.st_dev : nil
    }

    private static func parent(_ path: String, _ slash: String.Index) -> String {
        slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the path, or its closest parent folder that exists.
    private static func existing(_ path: String) -> String {
        var path = path
        while device(path) == nil, let slash = path.lastIndex(of: "/"), path != "/" {
            path = parent(path, slash)
        }
        return path
    }

    /// Returns this user's trash at the root of a file system, which exists or can be created; `nil` if there is none. A
    /// shared `.Trash` is used only if it is a folder with the sticky bit, as the specification requires.
    static func trash(atRoot root: String) -> String? {
        let base = root == "/" ? "" : root
        var facts = stat()
        let isShared =
            lstat("\(base)/.Trash", &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
            && facts.st_mode & S_ISVTX != 0
        let shared = isShared ? [(parent: "\(base)/.Trash", path: "\(base)/.Trash/\(getuid())")] : []
        return (shared + [(root, "\(base)/.Trash-\(getuid())")]).first { parent, path in
            if lstat(path, &facts) == 0 { return isOwnFolder(path) && access(path, W_OK) == 0 }
            return errno == ENOENT && access(parent, W_OK) == 0
        }?.path
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR && facts.st_uid == getuid()
    }

    /// Moves a file or folder to the trash.
    ///
    /// - Parameter item: Absolute path without symbolic links.
    /// - Throws: `FileError` with the operation "moving to the trash".
    package func move(_ item: String) throws(FileError) {
        let name = item.lastIndex(of: "/").map { String(item[item.index(after: $0)...]) } ?? item
        func failure(_ code: Int32) -> FileError {
            FileError(path: item, operation: Trash.operation, errno: code)
        }
        for folder in ["files", "info"] {
            try FolderCreation.make("\(path)/\(folder)", permissions: 0o700)
        }
        // Another user can create an entry in a shared `.Trash`.
        guard top == nil || Self.isOwnFolder(path) else { throw failure(EACCES) }
        let prefix = top.map { $0 == "/" ? "/" : "\($0)/" } ?? ""
        let original = item.hasPrefix(prefix) ? String(item.dropFirst(prefix.count)) : item
        let now = LocalTime(Date())
        let date = [now.year.padded(4), now.month.padded(2), now.day.padded(2)].joined(separator: "-")
        let time = [now.hour, now.minute, now.second].map { $0.padded(2) }.joined(separator: ":")
        let entry = Array(
            "[Trash Info]\nPath=\(original.percentEncoded)\nDeletionDate=\(date)T\(time)\n".utf8)
        for number in 1...10_000 {
            let unique = number == 1 ? name : "\(name)-\(number)"
            // A file without a description doesn't reserve its name, and rename(2) would replace an empty folder.
            var facts = stat()
            guard lstat("\(path)/files/\(unique)", &facts) != 0 else { continue }
            let note: ContainedFile
            do throws(FileError) {
                note = try ContainedFile("\(unique).trashinfo", in: "\(path)/info")
                let descriptor = try note.create(O_WRONLY | O_APPEND, permissions: 0o600)
                guard write(descriptor.number, entry, entry.count) == entry.count else {
                    note.discard()
                    throw failure(ENOSPC)
                }
            } catch {
                guard error.errno == EEXIST else { throw error }
                continue
            }
            if rename(item, "\(path)/files/\(unique)") == 0 { return }
            let code = errno
            note.discard()
            guard code == EEXIST || code == ENOTEMPTY else { throw failure(code) }
        }
        throw failure(EEXIST)
    }
}
