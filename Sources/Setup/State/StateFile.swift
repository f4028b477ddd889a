internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// A file that keeps a value between runs: `$XDG_STATE_HOME/multicam/devices.json`, for example.
///
/// The file is whole at every instant: it is written under another name and then renamed. Processes take turns to change it.
package struct StateFile<Content: StateFileContent>: Equatable {
    let path: String
    /// The longest wait for another process that changes the file. A change takes milliseconds; a process stopped in the middle
    /// must not stop this one.
    private let patience: Nanoseconds

    /// Finds the file's path below XDG_STATE_HOME, else below `~/.local/state`; `nil` when the environment has neither.
    ///
    /// - Parameter environment: The process's variables.
    init?(environment: [String: String]) {
        guard let folder = StateFolder.path(environment) else { return nil }
        self.init(path: "\(folder)/\(Content.fileName)")
    }

    init(path: String, patience: Nanoseconds = .seconds(2)) {
        self.path = path
        self.patience = patience
    }

    /// Reads the content; an empty one when there is no file.
    ///
    /// - Returns: The content, and a sentence for the user when the file is broken. A broken file is renamed, so that the
    ///   sentence comes once; when that fails, the sentence says so.
    func read() -> (content: Content, warning: String?) {
        switch reading() {
        case .whole(let content): return (content, nil)
        case .broken(let why): return (Content(), setAside(because: why))
        }
    }

    /// Changes the content, as one step for all processes.
    ///
    /// - Returns: A sentence for the user when the file was broken; it is renamed then.
    /// - Throws: `StateFileError` when the file cannot be written; it is unchanged then.
    package func update(_ change: (inout Content) -> Void) throws(StateFileError) -> String? {
        try makeFolder()
        return try FileLock.hold(path + ".lock", for: Content.subject, patience: patience) {
            () throws(StateFileError) in
            var warning: String?
            let before: Content
            switch reading() {
            case .whole(let content): before = content
            case .broken(let why):
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
        case whole(Content)
        case broken(String)
    }

    /// The largest file that is read, in bytes: far more than any number of devices needs.
    private static var greatestSize: Int { 1 << 20 }

    private func reading() -> Reading {
        // Opened without waiting: a pipe in place of the file must not block the program.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR
                ? .whole(Content()) : .broken(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return .broken("it is no file")
        }
        guard facts.st_size <= Self.greatestSize else { return .broken("it is too long") }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        var count = 0
        while count < bytes.count {
            let part = bytes.withUnsafeMutableBytes { memory in
                Glibc.read(descriptor, memory.baseAddress.map { $0 + count }, memory.count - count)
            }
            if part < 0, errno == EINTR { continue }
            guard part >= 0 else { return .broken(String(cString: strerror(errno))) }
            guard part > 0 else { break }
            count += part
        }
        do {
            let content = try JSONText.decoder().decode(Content.self, from: Data(bytes.prefix(count)))
            guard content.schema == Content.currentSchema else {
                return .broken("it is of another version of multicam")
            }
            return .whole(content)
        } catch {
            return .broken("it is not as multicam writes it")
        }
    }

    private func setAside(because why: String) -> String {
        do throws(StateFileError) {
            return try FileLock.hold(path + ".lock", for: Content.subject, patience: patience) {
                () throws(StateFileError) in
                // Another process may have repaired it meanwhile.
                guard case .broken(let why) = reading() else {
                    return "\(path.printable(limit: 1000)): \(Content.subject) was broken and is gone."
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
            "\(path.printable(limit: 1000)): \(Content.subject) cannot be read (\(why.printable())); it was "
            + "set aside as \(Content.fileName).broken and begins anew."
    }

    private func keptSentence(_ why: String) -> String {
        "\(path.printable(limit: 1000)): \(Content.subject) cannot be read (\(why.printable())), so nothing is known; "
            + "remove it, or allow it with `chmod`."
    }

    // MARK: Writing

    private func makeFolder() throws(StateFileError) {
        do throws(FileError) {
            try FolderCreation.make(folder, permissions: 0o700)
        } catch {
            throw StateFileError(
                path: folder, subject: Content.subject, operation: "keep", errno: error.errno)
        }
    }

    /// The folder that contains the file, whether it exists or not.
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
