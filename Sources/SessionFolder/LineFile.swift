internal import FoundationEssentials
internal import Glibc
package import MulticamMedia
package import MulticamSystem

/// An append-only NDJSON file such as `events.ndjson`. Each line is written with a single system call, so all
/// written lines are complete after a crash. Only one thread at a time may append.
package final class LineFile: Sendable {
    /// Writes bytes to a descriptor and returns the number of bytes written, like write(2). Tests inject
    /// short writes.
    package typealias Writing = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

    private let descriptor: OwnedDescriptor
    private let path: String
    private let write: Writing

    /// Creates a new, empty file.
    ///
    /// - Throws: `FileError` with the operation "creating the file" if the file can't be created, for example because
    ///   it already exists.
    package init(
        creating file: ContainedFile,
        write: @escaping Writing = { Glibc.write($0, $1.baseAddress, $1.count) }
    ) throws(FileError) {
        path = file.path
        self.write = write
        descriptor = try file.create(O_WRONLY | O_APPEND)
    }

    deinit {
        // Unlock the file explicitly, because a child process that is starting also holds the descriptor for a moment.
        flock(descriptor.number, LOCK_UN)
    }

    /// Current path of the file, resolved from its descriptor, because its folder may have been renamed; `nil` if the
    /// file was removed.
    var currentPath: String? {
        var (own, named) = (stat(), stat())
        guard fstat(descriptor.number, &own) == 0, own.st_nlink > 0 else { return nil }
        // Prefer the original path, which keeps the symbolic links that the user entered.
        if stat(path, &named) == 0, own.st_dev == named.st_dev, own.st_ino == named.st_ino { return path }
        do {
            return try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(descriptor.number)")
        } catch {
            return nil
        }
    }

    /// Locks the file for the lifetime of this object, so that other processes can detect that the recording is in use.
    ///
    /// - Returns: `false` if another process holds the lock. Returns `true` on file systems without lock support.
    func lock() -> Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }

    /// Appends the complete line, or nothing at all.
    ///
    /// - Parameters:
    ///   - line: The line without its newline.
    ///   - makeRoom: Called once if the disk is full, to release reserved space. Returns whether space was released.
    /// - Throws: `FileError` with the operation "writing" if the line could not be written completely.
    package func append(_ line: String, makeRoom: () -> Bool = { false }) throws(FileError) {
        let bytes = Array((line + "\n").utf8)
        var rest = bytes[...]
        var mayMakeRoom = true
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor.number, $0) }
            if written > 0 {
                rest = rest.dropFirst(written)
                continue
            }
            let number = written < 0 ? errno : ENOSPC
            if number == EINTR { continue }
            if number == ENOSPC || number == EDQUOT, mayMakeRoom, makeRoom() {
                mayMakeRoom = false
                continue
            }
            removeTail(bytes.count - rest.count)
            throw FileError(path: path, operation: "writing", errno: number)
        }
    }

    /// Removes the last `count` bytes, which are a partially written line, so that the next line starts at a
    /// line boundary. If truncation fails because of a disk error, later lines can't be written either.
    private func removeTail(_ count: Int) {
        var status = stat()
        guard count > 0, fstat(descriptor.number, &status) == 0, status.st_size >= count else { return }
        ftruncate(descriptor.number, status.st_size - count)
    }
}

/// Removes incomplete lines that a crash left at the end of an NDJSON file, and zeros left by a power loss.
enum TornLines {
    private static let window: Int64 = 1 << 16

    /// Truncates a file after its last valid JSON line. A file without a valid line stays unchanged.
    ///
    /// - Throws: `FileError` with the operation "opening", "reading", or "truncating the file".
    static func cut(_ file: ContainedFile) throws(FileError) {
        let path = file.path
        let opened = try file.openForUpdate()
        let descriptor = opened.number
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw FileError(path: path, operation: "reading", errno: errno)
        }
        let end = Int64(status.st_size)
        var count = min(window, end)
        while true {
            let bytes = try read(Int(count), at: end - count, of: descriptor, path)
            if let whole = validByteCount(bytes, isFromStart: count == end) {
                let kept = end - count + Int64(whole)
                guard kept == end || ftruncate(descriptor, Int(kept)) == 0 else {
                    throw FileError(path: path, operation: "truncating the file", errno: errno)
                }
                return
            }
            guard count < end else { return }
            count = min(count * 4, end)
        }
    }

    /// Returns the end offset in bytes of the last valid JSON line, or `nil` if there is none.
    static func validByteCount(_ bytes: [UInt8], isFromStart: Bool) -> Int? {
        let newline = UInt8(ascii: "\n")
        var end = bytes.lastIndex(of: newline)
        while let last = end {
            let before = bytes[..<last].lastIndex(of: newline)
            // The first line is incomplete if it starts before the first of these bytes.
            guard before != nil || isFromStart else { return nil }
            let line = bytes[(before.map { $0 + 1 } ?? 0)..<last]
            do {
                _ = try JSONDecoder().decode(AnyJSON.self, from: Data(line))
                return last + 1
            } catch {
                end = before
            }
        }
        return nil
    }

    private static func read(
        _ count: Int, at offset: Int64, of descriptor: Int32, _ path: String
    ) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = pread(descriptor, &bytes[filled], count - filled, Int(offset) + filled)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw FileError(path: path, operation: "reading", errno: errno) }
            guard got > 0 else { break }
            filled += got
        }
        return Array(bytes[..<filled])
    }
}

/// Any JSON value. The decoder parses the complete text before it calls `init(from:)`.
private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) {}
}
