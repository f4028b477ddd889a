internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// A file that persists a value between runs, for example `$XDG_STATE_HOME/multicam/devices.json`.
///
/// Readers never see a partial file, because a change is written under another name and the file is then renamed. A
/// lock serializes changes by several processes.
package struct StateFile<Content: StateFileContent>: Equatable {
    let path: String
    /// Maximum wait for another process that is changing the file. A change takes milliseconds; a process that hangs
    /// must not block this one.
    private let lockTimeout: Nanoseconds

    /// Finds the file's path below `XDG_STATE_HOME`, or below `~/.localTime/state` if that isn't set. Returns `nil` if the
    /// environment defines neither `XDG_STATE_HOME` nor `HOME`.
    ///
    /// - Parameter environment: The process's environment variables.
    init?(environment: [String: String]) {
        guard let folder = StateFolder.path(environment) else { return nil }
        self.init(path: "\(folder)/\(Content.fileName)")
    }

    init(path: String, lockTimeout: Nanoseconds = .seconds(2)) {
        self.path = path
        self.lockTimeout = lockTimeout
    }

    /// Reads the content. Returns empty content if the file doesn't exist.
    ///
    /// - Returns: The content, and a warning for the user if the file is corrupt. A corrupt file is renamed,
    ///   so the user sees the warning only once. If renaming fails, the warning also says so.
    func read() -> (content: Content, warning: String?) {
        switch reading() {
        case .valid(let content): return (content, nil)
        case .invalid(let why): return (Content(), setAside(because: why))
        }
    }

    /// Changes the content atomically with respect to other processes.
    ///
    /// - Returns: A warning for the user if the file was corrupt and has been renamed.
    /// - Throws: `StateFileError` if the file can't be written. The file is unchanged in this case.
    package func update(_ change: (inout Content) -> Void) throws(StateFileError) -> String? {
        try makeFolder()
        return try FileLock.hold(path + ".lock", for: Content.subject, timeout: lockTimeout) {
            () throws(StateFileError) in
            var warning: String?
            let before: Content
            switch reading() {
            case .valid(let content): before = content
            case .invalid(let why):
                before = Content()
                warning = renamedSentence(why)
            }
            var content = before
            change(&content)
            if content != before || warning != nil { try write(content) }
            return warning
        }
    }

    // MARK: Reading

    private enum Reading {
        case valid(Content)
        case invalid(String)
    }

    /// Maximum size of a file that is read, in bytes. This limit is far larger than a file for any realistic
    /// number of devices.
    private static var greatestSize: Int { 1 << 20 }

    private func reading() -> Reading {
        // Open the file without blocking, because a named pipe at this path must not hang the process.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR
                ? .valid(Content()) : .invalid(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return .invalid("not a regular file")
        }
        guard facts.st_size <= Self.greatestSize else { return .invalid("the file is too large") }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        var count = 0
        while count < bytes.count {
            let part = bytes.withUnsafeMutableBytes { memory in
                Glibc.read(descriptor, memory.baseAddress.map { $0 + count }, memory.count - count)
            }
            if part < 0, errno == EINTR { continue }
            guard part >= 0 else { return .invalid(String(cString: strerror(errno))) }
            guard part > 0 else { break }
            count += part
        }
        do {
            let content = try JSONText.decoder().decode(Content.self, from: Data(bytes.prefix(count)))
            guard content.schema == Content.currentSchema else {
                return .invalid("the file was written by another version of multicam")
            }
            return .valid(content)
        } catch {
            return .invalid("invalid content")
        }
    }

    private func setAside(because why: String) -> String {
        do throws(StateFileError) {
            return try FileLock.hold(path + ".lock", for: Content.subject, timeout: lockTimeout) {
                () throws(StateFileError) in
                // Another process may have repaired the file in the meantime.
                guard case .invalid(let why) = reading() else {
                    return
                        "\(path.printable(limit: 1000)): the file with \(Content.subject) was invalid and was removed."
                }
                return renamedSentence(why)
            }
        } catch {
            return keptSentence(why)
        }
    }

    private func renamedSentence(_ why: String) -> String {
        guard rename(path, path + ".broken") == 0 else { return keptSentence(why) }
        return
            "\(path.printable(limit: 1000)): \(Content.subject) cannot be read (\(why.printable())). The file was renamed to \(Content.fileName).broken, and a new file will be created."
    }

    private func keptSentence(_ why: String) -> String {
        "\(path.printable(limit: 1000)): \(Content.subject) cannot be read (\(why.printable())). Delete the file, or fix its permissions with `chmod`."
    }

    // MARK: Writing

    private func makeFolder() throws(StateFileError) {
        do throws(FileError) {
            try FolderCreation.make(folder, permissions: 0o700)
        } catch {
            throw StateFileError(
                path: folder, subject: Content.subject, operation: "save", errno: error.errno)
        }
    }

    /// The folder that contains the file. The folder may not exist yet.
    var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)) }

    private func write(_ content: Content) throws(StateFileError) {
        do throws(FileError) {
            try FileReplacement.write(
                Array(JSONText.pretty(content) + Data("\n".utf8)), to: path, permissions: 0o600,
                syncsFolder: true)
        } catch {
            throw StateFileError(
                path: path, subject: Content.subject, operation: "write", errno: error.errno)
        }
    }
}

/// The content of a `StateFile`.
package protocol StateFileContent: Equatable, Codable {
    /// The file's name in the state folder.
    static var fileName: String { get }
    /// Name of the content as it appears in messages, for example "the device settings".
    static var subject: String { get }
    /// The only supported schema version.
    static var currentSchema: Int { get }
    /// The schema version of this content.
    var schema: Int { get }

    /// Creates empty content.
    init()
}

extension StateFileContent {
    /// The file that stores this content for the user of this process, or `nil` if there is no state folder.
    package static var file: StateFile<Self>? { StateFile(environment: ProcessInfo.processInfo.environment) }
}

/// The reason why a state file can't be locked, read, or written. This error never prevents a recording.
public struct StateFileError: Error, Sendable, Equatable {
    /// The path of the file or folder, or the environment variables that should define one.
    package let path: String
    /// Name of the content as it appears in messages, for example "the device settings".
    package let subject: String
    /// The failed operation, as a verb: `lock`, `save`, `open`.
    package let operation: String
    /// System error number, or 0 if another process doesn't release the lock.
    package let errno: Int32

    /// Creates an error. Each parameter sets the property of the same name.
    package init(path: String, subject: String, operation: String, errno: Int32) {
        self.path = path
        self.subject = subject
        self.operation = operation
        self.errno = errno
    }

    /// Whether the cause is a missing permission or a read-only file system.
    package var isPermission: Bool { errno == EACCES || errno == EPERM || errno == EROFS }
}

extension StateFileError: CustomStringConvertible {
    /// The error as a sentence for the user, including what to do.
    public var description: String {
        let reason =
            errno == 0
            ? "another program has locked the file. Try again."
            : MachineLimit(errno: errno)?.explanation
                ?? "\(String(cString: strerror(errno))). "
                + "Fix the permissions with `chmod`, or set XDG_STATE_HOME to another folder."
        return
            "\(path.printable(limit: 1000)): failed to \(operation) \(subject): \(reason)"
    }
}

/// An exclusive lock between processes.
enum FileLock {
    /// Waits for the lock, then runs `body` while holding it. Don't call this from a Swift task.
    ///
    /// - Parameters:
    ///   - path: A file used only as a lock, which is created if it doesn't exist.
    ///   - subject: Name of the locked content, used in messages.
    ///   - timeout: Maximum wait for another process.
    ///   - body: The work to do while holding the lock.
    /// - Returns: The result of `body`.
    /// - Throws: `StateFileError` if the file can't be created or another process holds the lock for too long. Errors
    ///   thrown by `body` are rethrown.
    static func hold<Result>(
        _ path: String, for subject: String, timeout: Nanoseconds,
        _ body: () throws(StateFileError) -> Result
    ) throws(StateFileError) -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StateFileError(path: path, subject: subject, operation: "lock", errno: errno)
        }
        // The lock is released when the descriptor is closed or the process exits.
        defer { close(descriptor) }
        let deadline = MonotonicClock().now + timeout
        let pause = Cancellation()
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR else {
                throw StateFileError(path: path, subject: subject, operation: "lock", errno: number)
            }
            guard MonotonicClock().now < deadline else {
                throw StateFileError(path: path, subject: subject, operation: "lock", errno: 0)
            }
            _ = pause.wait(until: MonotonicClock().now + .milliseconds(5))
        }
        return try body()
    }
}
