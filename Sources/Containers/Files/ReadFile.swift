import Glibc
package import MulticamMedia
package import MulticamSystem

/// A file that is open only for reading. The caller specifies the offset of each read.
package final class ReadFile: ReadableFile {
    /// Path of the file.
    package let path: String
    /// Size of the file in bytes when it was opened.
    package let byteCount: Int64
    private let descriptor: OwnedDescriptor

    /// Opens a regular file for reading.
    ///
    /// - Throws: `FileError` with the operation "opening", also if the path doesn't refer to a regular file.
    package init(_ file: ContainedFile) throws(FileError) {
        path = file.path
        descriptor = try file.openForReading()
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else {
            throw FileError(path: file.path, operation: "opening", errno: errno)
        }
        byteCount = Int64(status.st_size)
    }

    /// Opens a file that is already open a second time for reading, even if the file was renamed or removed. Waits up to
    /// one second for a free file descriptor.
    ///
    /// - Parameters:
    ///   - other: The file's descriptor, open for reading.
    ///   - path: Path of the file, used in errors.
    /// - Throws: `FileError` with the operation "opening".
    init(_ other: borrowing OwnedDescriptor, path: String) throws(FileError) {
        self.path = path
        var number = fcntl(other.number, F_DUPFD_CLOEXEC, 0)
        // At the limit for open files, the files that are being closed at the same time free descriptors.
        for _ in 0..<20 where number < 0 && errno == EMFILE {
            usleep(50_000)
            number = fcntl(other.number, F_DUPFD_CLOEXEC, 0)
        }
        guard number >= 0 else { throw FileError(path: path, operation: "opening", errno: errno) }
        descriptor = OwnedDescriptor(owning: number)
        var status = stat()
        guard fstat(number, &status) == 0 else {
            throw FileError(path: path, operation: "opening", errno: errno)
        }
        byteCount = Int64(status.st_size)
    }

    /// Drops the file's pages from the page cache, so that the next reads return the data on the disk. Pages
    /// that aren't written to the disk yet remain in the cache.
    func dropCache() {
        posix_fadvise(descriptor.number, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// Reads up to `count` bytes starting at `offset`, or fewer at the end of the file.
    package func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        try descriptor.read(count, at: offset, of: path)
    }
}

/// A file from which the caller can read at any offset.
protocol ReadableFile {
    /// Reads up to `count` bytes starting at `offset`, or fewer at the end of the file.
    ///
    /// - Throws: `FileError` with the operation "reading".
    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8]
}

/// Reads small files completely into memory.
package enum WholeFile {
    /// Reads all bytes of a regular file. Pipes are rejected, so only disk access can block the call.
    ///
    /// - Parameters:
    ///   - path: Path of the file, chosen by the user. Links are followed.
    ///   - limit: Maximum file size in bytes.
    /// - Returns: All bytes of the file.
    /// - Throws: `FileError` with the operation "opening" or "reading", also if the path doesn't refer to a
    ///   regular file or the file is too large.
    package static func bytes(of path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        try bytes(of: try ContainedFile(resolving: path), atMost: limit)
    }

    /// Reads all bytes of a file inside a folder, as `bytes(of:atMost:)` does, without following links.
    package static func bytes(of file: ContainedFile, atMost limit: Int) throws(FileError) -> [UInt8] {
        let file = try ReadFile(file)
        guard file.byteCount <= Int64(limit) else {
            throw FileError(
                path: file.path, operation: "reading",
                detail: "the file is too large: \(file.byteCount) bytes (limit: \(limit) bytes).")
        }
        return try file.read(Int(file.byteCount), at: 0)
    }
}
