package import FoundationEssentials
internal import Glibc
internal import MulticamContainers
package import MulticamMedia
package import MulticamSystem

/// The folder of one recording. Creates the folder and writes its manifest and events. The `Writers` module writes the
/// media files.
package final class SessionFolder: Sendable {
    /// Absolute path at which the folder was created.
    package let path: String
    /// Current absolute path of the folder, which may have been renamed or moved; `path` if the folder was
    /// removed. Reading this property may block on disk I/O.
    package var currentPath: String {
        guard let file = events.currentPath, let end = file.lastIndex(of: "/") else { return path }
        return String(file[..<end])
    }
    /// Name of the event file, which a process locks while it records into the folder or recovers the recording.
    static let eventFileName = "events.ndjson"
    /// The folder, which is kept open so that a recording continues even if the folder is moved.
    private let contained: ContainedFolder
    private let events: LineFile

    /// Creates a new folder in `parent`, and creates the event file in that folder. Creates `parent` if it is
    /// missing. If the name is already in use, a number is appended.
    ///
    /// - Throws: `FileError` if the folder or its first files cannot be created.
    package convenience init(in parent: String, name: String) throws(FileError) {
        try self.init(taking: try Self.makeNew(in: parent, name: name))
    }

    /// Creates the folders of a recording and of its backup under the same name, which is unused in both parents.
    ///
    /// - Throws: `FileError` if a folder cannot be created, if both parents are the same directory, or if all candidate
    ///   names are in use.
    package static func pair(in parent: String, and other: String, name: String) throws(FileError) -> (
        SessionFolder, SessionFolder
    ) {
        let (first, second) = try makeNewPair(in: parent, and: other, name: name)
        do throws(FileError) {
            return (try SessionFolder(taking: first), try SessionFolder(taking: second))
        } catch {
            remove(first)
            remove(second)
            throw error
        }
    }

    /// Creates the event file in a newly created folder. If this fails, the folder is removed.
    private init(taking candidate: String) throws(FileError) {
        path = candidate
        do throws(FileError) {
            contained = try ContainedFolder(opening: candidate)
            events = try LineFile(creating: contained.file(Self.eventFileName))
            _ = events.lock()
            try FileReplacement.reserve(Self.reservedBytes, for: contained.file(Manifest.fileName))
        } catch {
            Self.remove(candidate)
            throw error
        }
    }

    /// Creates a new folder in `parent`. Creates `parent` if it is missing. If the name is already in use, a number is
    /// appended.
    ///
    /// - Returns: The absolute path of the new folder.
    /// - Throws: `FileError` with the operation "creating the session folder" or "creating the folder" if the folder
    ///   cannot be created.
    package static func makeNew(in parent: String, name: String) throws(FileError) -> String {
        let parent = URL(fileURLWithPath: parent).standardizedFileURL.path
        try FolderCreation.make(parent)
        let base = parent + "/" + name
        var candidate = base
        var number = 1
        while mkdir(candidate, 0o777) != 0 {
            guard errno == EEXIST, number < 1000 else {
                throw FileError(path: parent, operation: "creating the session folder", errno: errno)
            }
            number += 1
            candidate = "\(base)-\(number)"
        }
        return candidate
    }

    private static func makeNewPair(
        in parent: String, and other: String, name: String
    ) throws(FileError) -> (String, String) {
        let parents = [parent, other].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
        guard parents[0] != parents[1] else { throw backupIntoItselfError(for: other) }
        for number in 1..<1000 {
            let attempt = number == 1 ? name : "\(name)-\(number)"
            let first = try makeNew(in: parent, name: attempt)
            let second: String
            do throws(FileError) { second = try makeNew(in: other, name: attempt) } catch {
                rmdir(first)
                throw error
            }
            let names = [first, second].map { $0.split(separator: "/").last }
            if names[0] == names[1] { return (first, second) }
            rmdir(first)
            rmdir(second)
            // The two parents are the same directory under different names, for example through a bind mount. Trying
            // other names wouldn't help.
            if areSameFolder(parent, other) { throw backupIntoItselfError(for: other) }
        }
        throw FileError(
            path: other, operation: "creating the backup",
            detail:
                "the folders \(name) to \(name)-999 already exist. Choose another name.")
    }

    private static func areSameFolder(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    private static func backupIntoItselfError(for folder: String) -> FileError {
        FileError(
            path: folder, operation: FileError.backupIntoItself,
            detail:
                "the recording is already written to this folder. Choose another folder, ideally on another disk."
        )
    }

    /// Returns a file of this recording. The file doesn't have to exist, and it isn't created.
    package func place(of relative: String) -> ContainedFile { contained.file(relative) }

    /// Returns a file of this recording, and creates the file's parent folders. The file itself doesn't have
    /// to exist.
    ///
    /// - Throws: `FileError` with the operation "creating the folder".
    package func file(_ relative: String) throws(FileError) -> ContainedFile {
        let file = contained.file(relative)
        try file.makeParents()
        return file
    }

    /// Replaces the manifest atomically: readers see either the old or the new manifest, even after a power loss.
    ///
    /// While the recording is running, disk space for the next manifest stays reserved, so that the manifest can be
    /// updated on a full disk.
    ///
    /// - Throws: `FileError` with the operation "creating the file", "writing", "renaming", or "reserving disk space".
    package func write(_ manifest: Manifest) throws(FileError) {
        let target = contained.file(Manifest.fileName)
        try FileReplacement.write(Array(JSONText.pretty(manifest)), to: target, keepsDraft: true)
        if manifest.outcome == .recording { try FileReplacement.reserve(Self.reservedBytes, for: target) }
    }

    /// Disk space in bytes reserved for the next manifest. This space is sufficient for several cameras with hundreds
    /// of gaps.
    private static let reservedBytes = 65_536

    /// Writes a small file of this recording atomically: readers see either the complete file or no file. Creates
    /// missing folders.
    ///
    /// - Throws: `FileError` with the operation "creating the folder", "creating the file", "writing", or "renaming".
    package func write(_ content: Data, to relative: String) throws(FileError) {
        try Self.write(content, to: relative, in: contained)
    }

    /// Writes a small file atomically into the folder of a recording that has ended: readers see either the complete
    /// file or no file. Creates missing folders.
    ///
    /// - Throws: `FileError` with the operation "creating the folder", "creating the file", "writing", or "renaming".
    package static func write(_ content: Data, to relative: String, in folder: String) throws(FileError) {
        try write(content, to: relative, in: try ContainedFolder(opening: folder))
    }

    /// Writes a small file atomically below a session folder that is held open. See `write(_:to:in:)`.
    package static func write(
        _ content: Data, to relative: String, in folder: ContainedFolder
    ) throws(FileError) {
        let file = folder.file(relative)
        try file.makeParents()
        try FileReplacement.write(Array(content), to: file)
    }

    /// Appends an event to `events.ndjson`.
    ///
    /// - Parameters:
    ///   - event: The event to append.
    ///   - makeRoom: Called once if the disk is full, to release reserved space. Returns whether space was released.
    /// - Throws: `FileError` with the operation "writing" if the event could not be written completely.
    package func append(_ event: SessionEvent, makeRoom: () -> Bool) throws(FileError) {
        try events.append(event.line(), makeRoom: makeRoom)
    }

    /// Removes the folder of a recording that never started, including its empty files.
    ///
    /// Errors are ignored: a leftover folder is harmless, and the reason why nothing was recorded is more important.
    package func removeUnused() { Self.remove(currentPath) }

    private static func remove(_ path: String) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            return
        }
    }

    /// Returns the default name of a recording that starts at `date`, in local time: `2026-11-21_142310_pip`.
    package static func defaultName(date: Date, profile: String) -> String {
        var seconds = time_t(Int64(rounding: date.timeIntervalSince1970.rounded(.down)))
        var parts = tm()
        localtime_r(&seconds, &parts)
        return (parts.tm_year + 1900).padded(4) + "-" + (parts.tm_mon + 1).padded(2) + "-"
            + parts.tm_mday.padded(2)
            + "_" + parts.tm_hour.padded(2) + parts.tm_min.padded(2) + parts.tm_sec.padded(2) + "_"
            + profile
    }
}

/// State of a session folder: whether it contains a recording, and whether the recording is running, has ended or was
/// interrupted.
package enum FolderState: Sendable, Equatable {
    /// The folder has neither a manifest nor events.
    case noRecording
    /// A session is recording into the folder, or a recovery is running.
    case running
    /// The recording was interrupted, and no process is using the folder.
    case unfinished
    /// The recording was interrupted before any frame or sample was written, so there is nothing to recover.
    case empty
    /// The recording ended or was recovered. This state is also used if the manifest cannot be read, because the code
    /// that reads manifests reports this problem more precisely.
    case ended

    /// Determines the state of a folder from its manifest, the lock on its events, and its files. `folder` may be any
    /// path.
    package init(of folder: String) {
        do throws(FileError) {
            self.init(of: try ContainedFolder(opening: folder))
        } catch {
            self = .noRecording
        }
    }

    /// Determines the state of a folder that is held open.
    package init(of folder: ContainedFolder) {
        let manifest = folder.file(Manifest.fileName)
        let events = folder.file(SessionFolder.eventFileName)
        guard manifest.exists || events.exists else {
            self = .noRecording
            return
        }
        do {
            if manifest.exists {
                guard try Manifest(reading: manifest).outcome == .recording else {
                    self = .ended
                    return
                }
            }
        } catch {
            self = Self.isLocked(events) ? .running : .ended
            return
        }
        self = Self.isLocked(events) ? .running : FileSearch(in: folder).hasNoContent ? .empty : .unfinished
    }

    /// Whether another process, which is recording or recovering, holds the lock on the event file.
    private static func isLocked(_ events: ContainedFile) -> Bool {
        do throws(FileError) {
            let descriptor = try events.openForReading()
            guard flock(descriptor.number, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
            flock(descriptor.number, LOCK_UN)
            return false
        } catch {
            return false
        }
    }

    /// What to do about a running recording, as a sentence.
    static let runningRemedy = "the recording is still running. Stop it first."

    /// Returns a sentence that explains what to do about a recording that has not ended; `nil` if the recording has
    /// ended or doesn't exist.
    ///
    /// - Parameter folder: Path of the session folder.
    /// - Returns: The sentence, in which commands are quoted for the shell.
    package func remedy(for folder: String) -> String? {
        switch self {
        case .noRecording, .ended: nil
        case .running: Self.runningRemedy
        case .unfinished:
            "the recording was interrupted. Run `multicam recover \(Self.absolute(folder).shellQuoted())`."
        case .empty:
            "the recording was interrupted before any frame or sample was written, so there is nothing to recover. Delete the folder."
        }
    }

    private static func absolute(_ folder: String) -> String {
        guard let path = realpath(folder, nil) else { return folder }
        defer { free(path) }
        return String(validatingCString: path) ?? folder
    }
}
