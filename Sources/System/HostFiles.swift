import Glibc
import MulticamMedia

/// Reads small files in `/proc` and `/sys` with which the kernel describes the computer. Tests can replace
/// the root folder of these files.
///
/// Only regular files of up to `limit` bytes are read. Reading never waits for a writer.
struct HostFiles: Sendable {
    /// Prefix of `/sys` and `/proc`; empty for the actual folders.
    let root: String

    /// Default maximum file size in bytes. sysfs files are at most one page long, and the proc files that
    /// this type reads are less than half a page long.
    static let limit = 4096
    /// Maximum number of folder entries to read. Real computers have fewer entries in these folders.
    private static let maxEntries = 4096

    /// Returns the content of a file without leading and trailing whitespace.
    ///
    /// - Parameters:
    ///   - path: Path of the file below the root folder.
    ///   - limit: Maximum size of the file in bytes.
    /// - Returns: The content of the file, which may be empty.
    /// - Throws: `HostFileError` if the file can't be read, isn't a regular file, or exceeds the limit.
    func text(_ path: String, limit: Int = HostFiles.limit) throws(HostFileError) -> String {
        let number = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw Self.error(path, errno) }
        defer { close(number) }
        var facts = stat()
        guard fstat(number, &facts) == 0 else { throw Self.error(path, errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw HostFileError(reason: "\(path) is not a regular file")
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
        // The buffer has one byte more than the limit, so that files that exceed the limit are detected.
        while count < memory.count {
            let taken = Glibc.read(number, memory.baseAddress.map { $0 + count }, memory.count - count)
            if taken < 0, errno == EINTR { continue }
            guard taken >= 0 else { throw error(path, errno) }
            guard taken > 0 else { return memory[..<count] }
            count += taken
        }
        throw HostFileError(reason: "\(path) is longer than \(memory.count - 1) bytes")
    }

    /// Removes leading and trailing whitespace from bytes.
    private static func trimmed(
        _ bytes: Slice<UnsafeMutableRawBufferPointer>
    ) -> Slice<UnsafeMutableRawBufferPointer> {
        let rest = bytes.drop { $0 <= 32 }
        guard let last = rest.lastIndex(where: { $0 > 32 }) else { return rest }
        return rest[...last]
    }

    /// Reads an integer from a file and checks that it is in the valid range.
    func integer(_ path: String, in range: ClosedRange<Int64>) throws(HostFileError) -> Int64 {
        let text = try text(path)
        guard let number = Int64(text) else {
            throw HostFileError(
                reason: "\(path) contains `\(text.printable(limit: 40))`, which is not a number")
        }
        guard range.contains(number) else {
            throw HostFileError(reason: "\(path) contains \(number), which is not a plausible value")
        }
        return number
    }

    /// Reads an integer from a file and checks that it is in the valid range. Returns `nil` if the file
    /// doesn't exist, because some drivers omit the file.
    func optionalInteger(_ path: String, in range: ClosedRange<Int64>) throws(HostFileError) -> Int64? {
        do throws(HostFileError) {
            return try integer(path, in: range)
        } catch {
            if error.isAbsent { return nil }
            throw error
        }
    }

    /// Returns the content of a file without leading and trailing whitespace; `nil` if the file doesn't
    /// exist.
    func optionalText(_ path: String) throws(HostFileError) -> String? {
        do throws(HostFileError) {
            return try text(path)
        } catch {
            if error.isAbsent { return nil }
            throw error
        }
    }

    /// Returns the names in a folder that consist of a word and a number (`cpu7`), in ascending order of the
    /// number. The result is empty if the folder doesn't exist.
    func numberedEntries(withPrefix word: String, in folder: String) -> [String] {
        entries(folder).compactMap { name -> (name: String, number: Int)? in
            guard name.hasPrefix(word), let number = Int(name.dropFirst(word.count)), number >= 0 else {
                return nil
            }
            return (name, number)
        }.sorted { $0.number < $1.number }.map(\.name)
    }

    /// Returns the names in a folder, sorted; empty if the folder doesn't exist.
    func entries(_ folder: String) -> [String] {
        FolderListing.names(in: root + folder, atMost: Self.maxEntries)
    }

    private static func error(_ path: String, _ number: Int32) -> HostFileError {
        if number == ENOENT || number == ENOTDIR {
            return HostFileError(reason: "\(path) is missing", isAbsent: true)
        }
        return HostFileError(
            reason: "\(path) cannot be read (\(String(cString: strerror(number))))")
    }
}

extension HostFiles {
    /// Returns the folder of this process's version 2 control group (kernel, admin-guide/cgroup-v2.rst).
    ///
    /// - Throws: `HostFileError` if the folder doesn't exist, or isn't visible because the process runs in a
    ///   container.
    func ownControlGroup() throws(HostFileError) -> String {
        let lines = try text("/proc/self/cgroup").split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("0::/") }) else {
            throw HostFileError(reason: "this process is not in a version 2 control group")
        }
        let path = line.dropFirst("0::".count)
        guard path == "/" || String(path.dropFirst()).isSafeRelativePath else {
            throw HostFileError(reason: "this process's control group is outside this container")
        }
        let mount = try controlGroups()
        return path == "/" ? mount : mount + path
    }

    /// Returns the mount point of version 2 control groups, regardless of whether version 1 control groups
    /// are also mounted.
    func controlGroups() throws(HostFileError) -> String {
        for folder in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
            if try optionalText("\(folder)/cgroup.controllers") != nil { return folder }
        }
        throw HostFileError(reason: "version 2 control groups are not mounted under /sys/fs/cgroup")
    }
}

/// Reason why a proc or sysfs file couldn't be used. `reason` is the end of a sentence.
struct HostFileError: Error, Equatable {
    let reason: String
    /// Whether the file doesn't exist, for example because the computer doesn't have the hardware that the
    /// file describes.
    var isAbsent = false
}
