public import Foundation
internal import Glibc
public import Media

/// One recording on disk: makes the folder, writes its manifest and its events. Files of media are the writers'.
public final class SessionFolder: Sendable {
    public let path: String
    private let events: LineFile

    /// Makes a new folder in `parent`, which is made too where it is missing.
    ///
    /// A folder of that name that is there already is left alone: the new one gets a number.
    /// - Throws: When the folder cannot be made or written.
    public convenience init(in parent: String, name: String) throws(FileError) {
        try self.init(taking: try Self.makeNew(in: parent, name: name))
    }

    /// The folders of a recording and of its safety copy: of one name, which neither parent has yet.
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

    /// Begins a recording's events in a folder that was made for it. Where that fails the folder is removed.
    private init(taking candidate: String) throws(FileError) {
        path = candidate
        do throws(FileError) {
            events = try LineFile(path: candidate + "/events.ndjson")
            _ = events.lock()
            try Self.reserveDraft(candidate + Self.draft)
        } catch {
            Self.remove(candidate)
            throw error
        }
    }

    /// Makes a new folder in `parent`, which is made too where it is missing; of a name that is there already a number makes
    /// another.
    ///
    /// - Returns: Its absolute path.
    public static func makeNew(in parent: String, name: String) throws(FileError) -> String {
        let parent = URL(fileURLWithPath: parent).standardizedFileURL.path
        try Self.makeFolders(parent)
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
            // The same place by two names, as a bind mount makes them: it will never be otherwise.
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

    /// The absolute path of a file of this recording; the folders on the way are made.
    public func file(_ relative: String) throws(FileError) -> String {
        let full = path + "/" + relative
        try Self.makeFolders(URL(fileURLWithPath: full).deletingLastPathComponent().path)
        return full
    }

    /// Replaces the manifest at once: a reader sees the old one or the new one, whole, after a power cut too.
    ///
    /// While the recording runs, room for the next one stays reserved: a disk that fills up must not hide what is on it.
    public func write(_ manifest: Manifest) throws(FileError) {
        let draft = path + Self.draft
        let target = path + "/manifest.json"
        try Self.fill(draft, with: JSONText.pretty(manifest))
        guard rename(draft, target) == 0 else {
            throw FileError(path: target, operation: "rename", errno: errno)
        }
        if manifest.outcome == .recording { try Self.reserveDraft(draft) }
    }

    private static let draft = "/manifest.json.new"
    /// Enough for a session of some cameras with hundreds of gaps.
    private static let reservedBytes = 65_536

    /// Makes the file that the next manifest is written into, with its blocks.
    private static func reserveDraft(_ path: String) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileError(path: path, operation: "create", errno: errno) }
        defer { close(descriptor) }
        let number = posix_fallocate(descriptor, 0, reservedBytes)
        // Other answers mean that this file system cannot reserve.
        guard number != ENOSPC, number != EDQUOT else {
            throw FileError(path: path, operation: "reserve room", errno: number)
        }
    }

    /// Puts `content` into the blocks that the file has and cuts off the rest.
    private static func fill(_ path: String, with content: Data) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileError(path: path, operation: "create", errno: errno) }
        defer { close(descriptor) }
        var rest = Array(content)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, operation: "write", errno: errno) }
            rest = rest.dropFirst(count)
        }
        guard ftruncate(descriptor, content.count) == 0, fsync(descriptor) == 0 else {
            throw FileError(path: path, operation: "write", errno: errno)
        }
    }

    /// Puts a small file in place at once: a reader sees all of it or none.
    public func write(_ content: Data, to relative: String) throws(FileError) {
        try Self.write(content, to: relative, in: path)
    }

    /// Likewise into the folder of a recording that has ended; the folders on the way are made.
    public static func write(_ content: Data, to relative: String, in folder: String) throws(FileError) {
        let target = URL(fileURLWithPath: folder).standardizedFileURL.path + "/" + relative
        try Self.makeFolders(URL(fileURLWithPath: target).deletingLastPathComponent().path)
        let draft = target + ".new"
        do throws(FileError) {
            try Self.fill(draft, with: content)
            guard rename(draft, target) == 0 else {
                throw FileError(path: target, operation: "rename", errno: errno)
            }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Appends an event to `events.ndjson`.
    ///
    /// - Parameters:
    ///   - event: Any.
    ///   - makeRoom: Asked once where the disk is full, for room that was held.
    /// - Throws: "write".
    package func append(_ event: SessionEvent, makeRoom: () -> Bool) throws(FileError) {
        try events.append(event.line(), makeRoom: makeRoom)
    }

    /// Removes the folder of a recording that never began, whose files hold nothing yet.
    ///
    /// What cannot be removed stays: an empty folder is no loss, and the reason why nothing was recorded matters more.
    public func removeUnused() { Self.remove(path) }

    private static func remove(_ path: String) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            return
        }
    }

    /// Makes what is missing of an absolute path.
    package static func makeFolders(_ path: String) throws(FileError) {
        var folder = ""
        // The system reads bytes, not characters.
        for name in path.utf8.split(separator: UInt8(ascii: "/")) {
            folder += "/" + Substring(name)
            var status = stat()
            if stat(folder, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else {
                    throw FileError(path: path, operation: "make the folder", errno: ENOTDIR)
                }
            } else if mkdir(folder, 0o777) != 0, errno != EEXIST {
                throw FileError(path: path, operation: "make the folder", errno: errno)
            }
        }
    }

    /// `2026-11-21_142310_pip`: the usual name of a recording that began then, by the local clock.
    public static func usualName(date: Date, profile: String) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        func padded(_ number: Int32, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return padded(parts.tm_year + 1900, 4) + "-" + padded(parts.tm_mon + 1, 2) + "-"
            + padded(parts.tm_mday, 2)
            + "_" + padded(parts.tm_hour, 2) + padded(parts.tm_min, 2) + padded(parts.tm_sec, 2) + "_"
            + profile
    }
}
