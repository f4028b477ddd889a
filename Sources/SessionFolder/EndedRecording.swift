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
                path: path, operation: "opening",
                detail: state.remedy(for: path) ?? "the recording is running.")
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
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        guard let trash = Trash(for: parent) else {
            throw FileError(
                path: path, operation: "moving to the trash",
                detail:
                    "this computer has no trash for the file system of this folder. To delete the recording permanently, use `--permanently`."
            )
        }
        try trash.move(path)
    }

    /// Deletes the session folder and all of its files permanently.
    ///
    /// - Throws: `FileError` with the operation "deleting" if a file can't be deleted.
    package func deletePermanently() throws(FileError) {
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
}

/// A trash of the user's desktop (freedesktop.org Trash specification 1.0).
package struct Trash: Sendable, Equatable {
    /// Path of the trash, with the subfolders `files` and `info`.
    let path: String
    /// Path that the entries' original paths are relative to; `nil` for absolute paths, as in the home trash.
    let top: String?

    /// Finds the trash for the files in a folder: the home trash if the folder is on the same file system, and otherwise the
    /// trash at the root of the folder's file system, which is created if necessary. The result is `nil` if there is neither,
    /// or if the user has no desktop.
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

    /// Returns this user's trash at the root of a file system, and creates it; `nil` if that isn't possible. A shared `.Trash`
    /// is used only if it is a folder with the sticky bit, as the specification requires.
    private static func trash(atRoot root: String) -> String? {
        let base = root == "/" ? "" : root
        var facts = stat()
        var path = "\(base)/.Trash-\(getuid())"
        if lstat("\(base)/.Trash", &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR,
            facts.st_mode & S_ISVTX != 0
        {
            path = "\(base)/.Trash/\(getuid())"
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST, lstat(path, &facts) == 0,
            facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == getuid()
        else { return nil }
        return path
    }

    /// Moves a file or folder to the trash.
    ///
    /// - Parameter item: Absolute path without symbolic links.
    /// - Throws: `FileError` with the operation "moving to the trash".
    package func move(_ item: String) throws(FileError) {
        let name = item.lastIndex(of: "/").map { String(item[item.index(after: $0)...]) } ?? item
        func failure(_ code: Int32) -> FileError {
            FileError(path: item, operation: "moving to the trash", errno: code)
        }
        for folder in ["files", "info"] {
            try FolderCreation.make("\(path)/\(folder)", permissions: 0o700)
        }
        let prefix = top.map { $0 == "/" ? "/" : "\($0)/" } ?? ""
        let original = item.hasPrefix(prefix) ? String(item.dropFirst(prefix.count)) : item
        let now = LocalTime(Date())
        let date = [now.year.padded(4), now.month.padded(2), now.day.padded(2)].joined(separator: "-")
        let time = [now.hour, now.minute, now.second].map { $0.padded(2) }.joined(separator: ":")
        let entry = Array(
            "[Trash Info]\nPath=\(original.percentEncoded)\nDeletionDate=\(date)T\(time)\n".utf8)
        var number = 1
        while true {
            let unique = number == 1 ? name : "\(name)-\(number)"
            let note: ContainedFile
            do throws(FileError) {
                note = try ContainedFile("\(unique).trashinfo", in: "\(path)/info")
                let descriptor = try note.create(O_WRONLY | O_APPEND, permissions: 0o600)
                guard write(descriptor.number, entry, entry.count) == entry.count else {
                    note.discard()
                    throw failure(ENOSPC)
                }
            } catch {
                guard error.errno == EEXIST, number < 10_000 else { throw error }
                number += 1
                continue
            }
            guard rename(item, "\(path)/files/\(unique)") == 0 else {
                let code = errno
                note.discard()
                throw failure(code)
            }
            return
        }
    }
}
