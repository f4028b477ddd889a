import CMulticamFiles
import Glibc
import MulticamMedia
internal import MulticamSystem

/// Writes complete blocks of a file directly to the disk, bypassing the page cache (`O_DIRECT`, open(2)).
///
/// With direct writes, the kernel doesn't copy data: the data is copied once into the buffer of this object,
/// and the disk reads it from there. The page cache remains available for other programs. Not thread-safe:
/// use an instance from only one thread at a time.
package final class DirectFile {
    /// Block size in bytes: offsets and lengths of direct writes are multiples of this size. A block is at
    /// least one memory page, so that no page in the cache contains bytes that are written directly.
    let blockSize: Int
    private let descriptor: OwnedDescriptor
    private let buffer: UnsafeMutableRawBufferPointer
    private var acceptsDirectWrites = true

    /// Size of the write buffer and maximum size of one write, in bytes. The buffer fits into one huge page,
    /// which the kernel can pin as a unit. With a smaller buffer, the writing thread would wait for the disk
    /// more often; a larger buffer would need more memory per file.
    private static let bufferSize = 2 << 20
    private static let pageSize = 4096

    /// Opens a file a second time for direct writes. The result is `nil` if the file system doesn't report
    /// support for direct writes (statx(2)).
    ///
    /// - Parameters:
    ///   - file: The file to open.
    ///   - other: The descriptor of the same file, which is already open.
    init?(_ file: ContainedFile, openAs other: borrowing OwnedDescriptor) {
        guard let blockSize = Self.blockSize(of: other) else { return nil }
        do throws(FileError) {
            descriptor = try file.openForUpdate(O_WRONLY | files_O_DIRECT)
        } catch {
            return nil
        }
        // Another file may have been moved to this path since the file was first opened.
        var (own, its) = (stat(), stat())
        guard fstat(descriptor.number, &own) == 0, fstat(other.number, &its) == 0,
            own.st_ino == its.st_ino, own.st_dev == its.st_dev
        else { return nil }
        self.blockSize = blockSize
        buffer = .allocate(byteCount: Self.bufferSize, alignment: Self.bufferSize)
        madvise(buffer.baseAddress, Self.bufferSize, MADV_HUGEPAGE)
    }

    deinit {
        buffer.deallocate()
    }

    /// Returns the block size for direct writes to a file, in bytes; `nil` if the file doesn't support direct
    /// writes.
    private static func blockSize(of descriptor: borrowing OwnedDescriptor) -> Int? {
        let unit = Int(files_direct_unit(descriptor.number))
        // The direct write unit and the page size are powers of two, so the larger one is a multiple of the
        // smaller one.
        guard unit > 0, unit <= 1 << 16, unit & (unit - 1) == 0 else { return nil }
        return max(unit, pageSize)
    }

    /// Whether the file system of a folder supports direct writes. The test uses an unnamed file, which
    /// disappears when it is closed.
    package static func isSupported(in folder: String) -> Bool {
        do throws(FileError) {
            return blockSize(of: try ReservedSpace.makeUnnamedFile(in: folder)) != nil
        } catch {
            return false
        }
    }

    /// Whether a direct write may start at a file offset. The offset must be the start of a block, and no
    /// earlier direct write may have been rejected.
    func canWrite(at place: Int64) -> Bool { acceptsDirectWrites && place % Int64(blockSize) == 0 }

    /// Writes as many complete blocks of the data as fit into one write.
    ///
    /// - Parameters:
    ///   - pieces: Data to write.
    ///   - place: File offset in bytes for which `canWrite` returns `true`.
    /// - Returns: The number of bytes written, and an error number (0 for success). If both are 0, the data
    ///   must be written through the page cache.
    func write(_ pieces: UnwrittenPieces, at place: Int64) -> (written: Int, number: Int32) {
        let filled = pieces.copy(to: buffer)
        let length = filled - filled % blockSize
        guard length > 0 else { return (0, 0) }
        var block = iovec(iov_base: buffer.baseAddress, iov_len: length)
        let written = pwritev(descriptor.number, &block, 1, Int(place))
        if written < 0, errno == EINVAL || errno == EOPNOTSUPP {
            // The file system reported support for direct writes, but the underlying network or device
            // rejects them.
            acceptsDirectWrites = false
            return (0, 0)
        }
        return written < 0 ? (0, errno) : (written, written == 0 ? EIO : 0)
    }
}
