internal import FoundationEssentials
internal import Glibc
internal import Media

/// Where a key is kept, so that no profile, argument or log has it.
public enum SecretSource: Sendable, Equatable {
    /// A file of one line: an absolute path, or one that begins with `~/`.
    case file(String)
    /// A variable of the environment.
    case environment(String)

    /// Why a key cannot be had.
    package struct Lack: Error {
        /// The words that follow “found”.
        package let found: String
        /// The words that follow “expected”.
        package let expected: String
    }

    /// The selector of a device whose address is kept apart, until it is read. No device has it.
    package static let selector = "url_from:"

    /// Most bytes of a key.
    private static let longest = 4096

    /// Reads the key.
    ///
    /// - Parameter environment: The process' environment.
    /// - Returns: The key without its line feed, and a sentence for the user where others may read its file.
    /// - Throws: `Lack` when there is no such file or variable, or when it does not hold one line.
    package func read(_ environment: [String: String]) throws(Lack) -> (text: String, warning: String?) {
        switch self {
        case .environment(let name):
            guard let value = environment[name] else {
                throw Lack(
                    found: "no variable \(name) in the environment",
                    expected: "one that holds the key: `export \(name)=…`")
            }
            return (try Self.line(value, of: "the variable \(name)"), nil)
        case .file(let path):
            return try Self.read(
                file: path.hasPrefix("~/") ? (environment["HOME"] ?? "") + path.dropFirst() : path)
        }
    }

    private static func read(file path: String) throws(Lack) -> (text: String, warning: String?) {
        let name = path.printable(limit: 1000)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let reason = errno == EACCES ? "no permission to read it" : String(cString: strerror(errno))
            throw Lack(
                found: "\(name), which cannot be read: \(reason.lowercased())",
                expected: "a file of yours with the key in one line")
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw Lack(found: "\(name), which is no file", expected: "a file with the key in one line")
        }
        var bytes = [UInt8](repeating: 0, count: longest + 2)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        let text = try line(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self), of: name)
        let isOpen = facts.st_mode & 0o044 != 0
        return (
            text,
            isOpen ? "others may read the key in \(name): `chmod 600 \(name.shellQuoted())` closes it." : nil
        )
    }

    /// The text without the line feed at its end.
    private static func line(_ text: String, of place: String) throws(Lack) -> String {
        let line = text.trimmed
        guard !line.isEmpty, line.utf8.count <= longest, line.printable(limit: longest) == line else {
            throw Lack(
                found: line.isEmpty ? "\(place), which is empty" : "\(place), which holds no line of text",
                expected: "the key alone, in one line of at most \(longest) bytes")
        }
        return line
    }
}
