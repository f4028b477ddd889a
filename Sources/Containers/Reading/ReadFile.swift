internal import FileSystem
import Glibc
package import Media

/// A file that is only read, at offsets of the caller's choosing.
package final class ReadFile: ReadableFile {
    /// Path of the file.
    package let path: String
    /// Size of the file in bytes when it was opened.
    package let byteCount: Int64
    private let descriptor: OwnedDescriptor

    /// Opens the file.
    ///
    /// - Throws: `FileError` "open", also for what is no regular file.
    package init(_ path: String) throws(FileError) {
        self.path = path
        // `O_NONBLOCK` keeps the opening of a named pipe from blocking.
        descriptor = try OwnedDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK, operation: "open")
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else {
            throw FileError(path: path, operation: "open", errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(path: path, operation: "open", detail: "it is not an ordinary file.")
        }
        byteCount = Int64(status.st_size)
    }

    /// Reads up to `count` bytes from `offset` on; fewer where the file ends.
    package func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        try descriptor.read(count, at: offset, of: path)
    }
}
