import CFiles
import Glibc
import Media
internal import System

/// Writes complete blocks of a file without the page cache (`O_DIRECT`, open(2)).
///
/// The kernel then doesn't copy data: the disk reads the bytes from this object's buffer, into which they are copied
/// once. The page cache remains available for the data of other programs. Not thread-safe: use it from one thread at a
/// time.
package final class DirectFile {
    /// Unit of write offsets and lengths in bytes. The unit is at least one memory page, so that no cached page
    /// contains bytes that are written directly.
    let blockSize: Int
    private let descriptor: OwnedDescriptor
    private let buffer: UnsafeMutableRawBufferPointer
    private var mayWrite = true

    /// Maximum number of bytes in one write: one huge page, which the kernel pins as a unit if available. With a
    /// smaller buffer, the writer waits for the disk more often. A larger buffer needs more memory per file.
    private static let bufferSize = 2 << 20
    private static let pageSize = 4096

    /// Opens a file a second time; `nil` if its file system doesn't support direct writes or doesn't report that it
    /// does (statx(2)).
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - other: The file's descriptor.
    init?(_ file: ContainedFile, openAs other: borrowing OwnedDescriptor) {
        guard let blockSize = Self.blockSize(of: other) else { return nil }
        do throws(FileError) {
            descriptor = try file.openForUpdate(O_WRONLY | files_O_DIRECT)
        } catch {
            return nil
        }
        // Another file may have been moved to this path in the meantime.
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

    /// Returns the unit for direct writes to a file; `nil` if they aren't supported.
    private static func blockSize(of descriptor: borrowing OwnedDescriptor) -> Int? {
        let unit = Int(files_direct_unit(descriptor.number))
        // Both sizes are powers of two, so the larger is a multiple of the smaller.
        guard unit > 0, unit <= 1 << 16, unit & (unit - 1) == 0 else { return nil }
        return max(unit, pageSize)
    }

    /// Whether files in a folder can be written directly. The test uses an unnamed file, which leaves no traces.
    package static func isPossible(in folder: String) -> Bool {
        do throws(FileError) {
            return blockSize(of: try ReservedSpace.makeNameless(in: folder)) != nil
        } catch {
            return false
        }
    }

    /// Whether a write may start at an offset: only at the start of a block, and only while the disk accepts direct
    /// writes.
    func takes(writeAt place: Int64) -> Bool { mayWrite && place % Int64(blockSize) == 0 }

    /// Writes as many of the bytes as fit into one write, except an incomplete last block.
    ///
    /// - Parameters:
    ///   - pieces: Data to write.
    ///   - place: File offset that `takes` accepts.
    /// - Returns: The number of bytes written, or an error number. If both numbers are 0, the data must be written
    ///   through the page cache.
    func write(_ pieces: UnwrittenPieces, at place: Int64) -> (written: Int, number: Int32) {
        let filled = pieces.copy(to: buffer)
        let length = filled - filled % blockSize
        guard length > 0 else { return (0, 0) }
        var block = iovec(iov_base: buffer.baseAddress, iov_len: length)
        let written = pwritev(descriptor.number, &block, 1, Int(place))
        if written < 0, errno == EINVAL || errno == EOPNOTSUPP {
            // The file system reported support, but an underlying network or device doesn't support direct writes.
            mayWrite = false
            return (0, 0)
        }
        return written < 0 ? (0, errno) : (written, written == 0 ? EIO : 0)
    }
}
