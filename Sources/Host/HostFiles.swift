internal import FileSystem
import Glibc
import Media

/// Reads the small files in which the kernel describes the machine, below a root that tests can replace.
///
/// Only ordinary files are read, at most `limit` bytes, and without waiting for a writer.
struct HostFiles: Sendable {
    /// Prefix of `/sys` and `/proc`; empty for the real ones.
    let root: String

    /// Most bytes of a file by default: sysfs gives at most a page, and the files of proc that are read here hold less
    /// than half of one.
    static let limit = 4096
    /// Most entries of a folder that are read; no machine has as many of what is looked for.
    private static let mostEntries = 4096

    /// The content of a file, without white space at its ends.
    ///
    /// - Parameters:
    ///   - path: Path below the root.
    ///   - limit: Most bytes that the file may have.
    /// - Returns: The text; it may be empty.
    /// - Throws: `HostFileError` when the path cannot be read, is no file, or the file is longer.
    func text(_ path: String, limit: Int = HostFiles.limit) throws(HostFileError) -> String {
        let number = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw Self.error(path, errno) }
        defer { close(number) }
        var facts = stat()
        guard fstat(number, &facts) == 0 else { throw Self.error(path, errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw HostFileError(reason: "\(path) is no ordinary file")
        }
        return try withUnsafeTemporaryAllocation(byteCount: limit + 1, alignment: 1) {
            memory throws(HostFileError) in
            String(decoding: Self.trimmed(try Self.read(number, into: memory, path)), as: UTF8.self)
        }
    }

    private static func read(
        _ number: Int32, into memory: UnsafeMutableRawBufferPointer, _ path: String
    ) throws(HostFileError) -> Slice<UnsafeMutableRawBufferPointer> {
        var count = 0
        // The buffer has one byte more than allowed, which shows that the file is longer.
        while count < memory.count {
            let taken = Glibc.read(number, memory.baseAddress.map { $0 + count }, memory.count - count)
            if taken < 0, errno == EINTR { continue }
            guard taken >= 0 else { throw error(path, errno) }
            guard taken > 0 else { return memory[..<count] }
            count += taken
        }
        throw HostFileError(reason: "\(path) is longer than the \(memory.count - 1) bytes that it may have")
    }

    /// Removes white space at both ends.
    private static func trimmed(
        _ bytes: Slice<UnsafeMutableRawBufferPointer>
    ) -> Slice<UnsafeMutableRawBufferPointer> {
        let rest = bytes.drop { $0 <= 32 }
        guard let last = rest.lastIndex(where: { $0 > 32 }) else { return rest }
        return rest[...last]
    }

    /// Reads a whole number that must lie in a range.
    func integer(_ path: String, in range: ClosedRange<Int64>) throws(HostFileError) -> Int64 {
        let text = try text(path)
        guard let number = Int64(text) else {
            throw HostFileError(reason: "\(path) says `\(text.printable(limit: 40))`, which is no number")
        }
        guard range.contains(number) else {
            throw HostFileError(reason: "\(path) says \(number), which cannot be")
        }
        return number
    }

    /// Reads a whole number that must lie in a range; `nil` where the file does not exist, as some drivers leave it
    /// out.
    func optionalInteger(_ path: String, in range: ClosedRange<Int64>) throws(HostFileError) -> Int64? {
        do throws(HostFileError) {
            return try integer(path, in: range)
        } catch {
            if error.isAbsent { return nil }
            throw error
        }
    }

    /// Reads the content of a file, without white space at its ends; `nil` where the file does not exist.
    func optionalText(_ path: String) throws(HostFileError) -> String? {
        do throws(HostFileError) {
            return try text(path)
        } catch {
            if error.isAbsent { return nil }
            throw error
        }
    }

    /// Names in a folder that consist of a word and a number (`cpu7`), ordered by that number; empty where there is no
    /// such folder.
    func numbered(_ word: String, in folder: String) -> [String] {
        entries(folder).compactMap { name -> (name: String, number: Int)? in
            guard name.hasPrefix(word), let number = Int(name.dropFirst(word.count)), number >= 0 else {
                return nil
            }
            return (name, number)
        }.sorted { $0.number < $1.number }.map(\.name)
    }

    /// Names in a folder, sorted; empty where there is no such folder.
    func entries(_ folder: String) -> [String] {
        FolderListing.names(in: root + folder, atMost: Self.mostEntries)
    }

    private static func error(_ path: String, _ number: Int32) -> HostFileError {
        if number == ENOENT || number == ENOTDIR {
            return HostFileError(reason: "there is no \(path)", isAbsent: true)
        }
        return HostFileError(
            reason: "\(path) cannot be read (\(String(cString: strerror(number))))")
    }
}
