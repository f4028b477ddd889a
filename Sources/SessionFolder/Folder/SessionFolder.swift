internal import FileSystem
public import FoundationEssentials
internal import Glibc
public import Media

/// The folder of one recording: makes it, and writes its manifest and events. Media files are written by `Writers`.
public final class SessionFolder: Sendable {
    /// Absolute path of the folder.
    public let path: String
    private let events: LineFile

    /// Makes a new folder in `parent` and begins its events. `parent` is made where it is missing; a folder that has the name
    /// already stays as it is, and the new one gets a number.
    ///
    /// - Throws: `FileError` when the folder or its first files cannot be made.
    public convenience init(in parent: String, name: String) throws(FileError) {
        try self.init(taking: try Self.makeNew(in: parent, name: name))
    }

    /// Makes the folders of a recording and of its safety copy, with one name that neither parent has yet.
    ///
    /// - Throws: `FileError` when one of them cannot be made, when both parents are the same place, or when every name that is
    ///   tried exists already.
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

    /// Begins a recording's events in a folder that was made for it, and removes the folder where that fails.
    private init(taking candidate: String) throws(FileError) {
        path = candidate
        do throws(FileError) {
            events = try LineFile(path: candidate + "/events.ndjson")
            _ = events.lock()
            try FileReplacement.reserve(Self.reservedBytes, for: candidate + "/manifest.json")
        } catch {
            Self.remove(candidate)
            throw error
        }
    }

    /// Makes a new folder in `parent`. `parent` is made where it is missing; where the name exists already, a number is added to
    /// it.
    ///
    /// - Returns: Absolute path of the new folder.
    /// - Throws: `FileError` "make a session folder" or "make the folder" when it cannot be made.
    public static func makeNew(in parent: String, name: String) throws(FileError) -> String {
        let parent = URL(fileURLWithPath: parent).standardizedFileURL.path
        try FolderCreation.make(parent)
        let base = parent + "/" + name
        var candidate = base
        var number = 1
        while mkdir(candidate, 0o777) != 0 {
            guard errno == EEXIST, number < 1000 else {
                throw FileError(path: parent, operation: "make a session folder", errno: errno)
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
        guard parents[0] != parents[1] else { throw isTheRecordingsOwn(other) }
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
            // The parents are one place by two names, as with a bind mount: no other name will help.
            if isOnePlace(parent, other) { throw isTheRecordingsOwn(other) }
        }
        throw FileError(
            path: other, operation: "make a safety copy",
            detail:
                "folders of the name \(name) are there already, as often as is tried. Choose another name.")
    }

    private static func isOnePlace(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    private static func isTheRecordingsOwn(_ folder: String) -> FileError {
        FileError(
            path: folder, operation: FileError.copyIntoItself,
            detail: "it is the folder of the recording itself. Choose another, best on another disk.")
    }

    /// Returns the absolute path of a file of this recording, and makes the folders on the way to it.
    ///
    /// - Throws: `FileError` "make the folder" when one of them cannot be made.
    public func file(_ relative: String) throws(FileError) -> String {
        let full = path + "/" + relative
        try FolderCreation.make(URL(fileURLWithPath: full).deletingLastPathComponent().path)
        return full
    }

    /// Replaces the manifest atomically: a reader sees the old one or the new one as a whole, even after a power cut.
    ///
    /// While the recording runs, room for the next manifest stays reserved, so that a full disk cannot hide what is on it.
    ///
    /// - Throws: `FileError` "create", "write", "rename" or "reserve room".
    public func write(_ manifest: Manifest) throws(FileError) {
        let target = path + "/manifest.json"
        try FileReplacement.write(Array(JSONText.pretty(manifest)), to: target, keepsDraft: true)
        if manifest.outcome == .recording { try FileReplacement.reserve(Self.reservedBytes, for: target) }
    }

    /// Room that is reserved for the next manifest, in bytes: enough for some cameras with hundreds of gaps.
    private static let reservedBytes = 65_536

    /// Writes a small file of this recording atomically: a reader sees all of it or none. Missing folders are made.
    ///
    /// - Throws: `FileError` "make the folder", "create", "write" or "rename".
    public func write(_ content: Data, to relative: String) throws(FileError) {
        try Self.write(content, to: relative, in: path)
    }

    /// Writes a small file atomically into the folder of a recording that has ended: a reader sees all of it or none. Missing
    /// folders are made.
    ///
    /// - Throws: `FileError` "make the folder", "create", "write" or "rename".
    public static func write(_ content: Data, to relative: String, in folder: String) throws(FileError) {
        let target = URL(fileURLWithPath: folder).standardizedFileURL.path + "/" + relative
        try FolderCreation.make(URL(fileURLWithPath: target).deletingLastPathComponent().path)
        try FileReplacement.write(Array(content), to: target)
    }

    /// Appends an event to `events.ndjson`.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - makeRoom: Called once when the disk is full, to release reserved room; returns whether it released any.
    /// - Throws: `FileError` "write" when the event could not be written as a whole.
    package func append(_ event: SessionEvent, makeRoom: () -> Bool) throws(FileError) {
        try events.append(event.line(), makeRoom: makeRoom)
    }

    /// Removes the folder of a recording that never began, with its empty files.
    ///
    /// An error is ignored: a folder that stays is no loss, and the reason why nothing was recorded matters more.
    public func removeUnused() { Self.remove(path) }

    private static func remove(_ path: String) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            return
        }
    }

    /// The usual name of a recording that begins at `date`, by the local clock: `2026-11-21_142310_pip`.
    public static func usualName(date: Date, profile: String) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return (parts.tm_year + 1900).padded(4) + "-" + (parts.tm_mon + 1).padded(2) + "-"
            + parts.tm_mday.padded(2)
            + "_" + parts.tm_hour.padded(2) + parts.tm_min.padded(2) + parts.tm_sec.padded(2) + "_"
            + profile
    }
}
