internal import Foundation
internal import Glibc
internal import Media
internal import Session

/// The file that device memory is kept in: `$XDG_STATE_HOME/multicam/devices.json`.
///
/// Always whole: written under another name and put in place at once. Processes take turns to change it.
struct DeviceMemoryFile: Equatable {
    let path: String
    /// How long to wait for another process that changes the file. It takes milliseconds; one that was stopped in the middle
    /// must not stop us.
    private let patience: Nanoseconds

    /// - Parameter environment: The process's variables. A relative path in XDG_STATE_HOME counts as not set, as the XDG
    ///   Base Directory Specification says; `nil` where there is no home either: nothing is remembered then.
    init?(environment: [String: String]) {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            self.init(path: state + "/multicam/devices.json")
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            self.init(path: home + "/.local/state/multicam/devices.json")
        } else {
            return nil
        }
    }

    init(path: String, patience: Nanoseconds = .seconds(2)) {
        self.path = path
        self.patience = patience
    }

    /// What is remembered: nothing where there is no file.
    ///
    /// - Returns: The memory, and a sentence for the user where the file is broken. It is set aside then, so that the
    ///   sentence comes once; where even that fails, the sentence says so.
    func read() -> (memory: DeviceMemory, warning: String?) {
        switch content() {
        case .memory(let memory): return (memory, nil)
        case .broken(let why): return (DeviceMemory(), setAside(because: why))
        }
    }

    /// Changes what is remembered, as one step for all processes.
    ///
    /// - Returns: As of `read`.
    /// - Throws: When it cannot be written; the file is as it was then.
    func update(_ change: (inout DeviceMemory) -> Void) throws(DeviceMemoryError) -> String? {
        try makeFolder()
        return try FileLock.hold(path + ".lock", patience: patience) { () throws(DeviceMemoryError) in
            var warning: String?
            let before: DeviceMemory
            switch content() {
            case .memory(let memory): before = memory
            case .broken(let why):
                before = DeviceMemory()
                warning = renamedSentence(why)
            }
            var memory = before
            change(&memory)
            if memory != before || warning != nil { try write(memory) }
            return warning
        }
    }

    // MARK: Reading

    private enum Content {
        case memory(DeviceMemory)
        case broken(String)
    }

    /// Far more than any number of cameras needs.
    private static let greatestSize = 1 << 20

    private func content() -> Content {
        // Not waiting: whatever has been put there in its place, a pipe, say, must not stop anybody.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR
                ? .memory(DeviceMemory()) : .broken(String(cString: strerror(errno)))
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
            let memory = try JSONDecoder().decode(DeviceMemory.self, from: Data(bytes.prefix(count)))
            guard memory.schema == DeviceMemory.currentSchema else {
                return .broken("it is of another version of multicam")
            }
            return .memory(memory)
        } catch {
            return .broken("it is not as multicam writes it")
        }
    }

    private func setAside(because why: String) -> String {
        do throws(DeviceMemoryError) {
            return try FileLock.hold(path + ".lock", patience: patience) { () throws(DeviceMemoryError) in
                // Another process may have put it right meanwhile.
                guard case .broken(let why) = content() else {
                    return
                        "\(path.printable(limit: 1000)): what was remembered of devices was broken and is gone."
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
            "\(path.printable(limit: 1000)): what is remembered of devices cannot be read (\(why.printable())); it was "
            + "set aside as devices.json.broken and begins anew."
    }

    private func keptSentence(_ why: String) -> String {
        "\(path.printable(limit: 1000)): what is remembered of devices cannot be read (\(why.printable())), so nothing is; "
            + "remove it, or allow it with `chmod`."
    }

    // MARK: Writing

    private func makeFolder() throws(DeviceMemoryError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            // Foundation keeps the number in the error below its own.
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw DeviceMemoryError(path: folder, operation: "keep", errno: Int32(cause?.code ?? Int(EACCES)))
        }
    }

    private var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)) }

    private func write(_ memory: DeviceMemory) throws(DeviceMemoryError) {
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("write") }
        do throws(DeviceMemoryError) {
            defer { close(descriptor) }
            var rest = Array(JSONText.pretty(memory) + Data("\n".utf8))[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure("write") }
                rest = rest.dropFirst(count)
            }
            guard fsync(descriptor) == 0 else { throw failure("write") }
            guard rename(draft, path) == 0 else { throw failure("write") }
        } catch {
            unlink(draft)
            throw error
        }
        // The new name lasts too. A folder that cannot be opened for that has it in the end all the same.
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    private func failure(_ operation: String) -> DeviceMemoryError {
        DeviceMemoryError(path: path, operation: operation, errno: Glibc.errno)
    }
}
