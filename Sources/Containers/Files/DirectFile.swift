import CFiles
internal import FileSystem
import Glibc
import Media

/// Writes whole blocks of a file past the page cache (`O_DIRECT`, open(2)).
///
/// The kernel copies nothing then: the disk reads the bytes from this value's memory, into which they are put once. The page
/// cache keeps what other programs have in it. Only one thread at a time may use it.
package final class DirectFile {
    /// Unit in bytes of places and lengths of writes: at least a page of memory, so that no page of the cache holds bytes that
    /// are written past it.
    let blockSize: Int
    private let descriptor: OwnedDescriptor
    private let buffer: UnsafeMutableRawBufferPointer
    private var mayWrite = true

    /// Largest number of bytes in one write: a huge page of memory, which the kernel pins for the disk as one where it has one. Fewer cost
    /// more waits for the disk, more cost memory of each file.
    private static let bufferSize = 2 << 20
    private static let pageSize = 4096

    /// Opens a file once more; `nil` where its file system cannot write past the cache, or does not say that it can (statx(2)).
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - other: The file's descriptor.
    init?(_ path: String, openAs other: borrowing OwnedDescriptor) {
        guard let blockSize = Self.blockSize(of: other) else { return nil }
        do throws(FileError) {
            descriptor = try OwnedDescriptor(
                opening: path, flags: O_WRONLY | O_NOFOLLOW | files_O_DIRECT, operation: "open")
        } catch {
            return nil
        }
        // Somebody may have put another file in its place.
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

    /// The unit in which a file can be written past the cache; `nil` where it cannot.
    private static func blockSize(of descriptor: borrowing OwnedDescriptor) -> Int? {
        let unit = Int(files_direct_unit(descriptor.number))
        // Both are powers of two, so that the larger is a multiple of the smaller.
        guard unit > 0, unit <= 1 << 16, unit & (unit - 1) == 0 else { return nil }
        return max(unit, pageSize)
    }

    /// Whether files in a folder can be written past the cache. A file without a name tells, which leaves nothing behind.
    package static func isPossible(in folder: String) -> Bool {
        do throws(FileError) {
            return blockSize(of: try ReservedSpace.makeNameless(in: folder)) != nil
        } catch {
            return false
        }
    }

    /// Whether a write may begin at a place: at the start of a block, and while the disk takes such writes.
    func takes(writeAt place: Int64) -> Bool { mayWrite && place % Int64(blockSize) == 0 }

    /// Writes as many of the bytes as fit one write, without the last ones that fill no block.
    ///
    /// - Parameters:
    ///   - pieces: What is to be written.
    ///   - place: A place in the file that `takes` allows.
    /// - Returns: The number of bytes written, or an error number; 0 and no error where the file must be written otherwise.
    func write(_ pieces: UnwrittenPieces, at place: Int64) -> (written: Int, number: Int32) {
        let filled = pieces.copy(to: buffer)
        let length = filled - filled % blockSize
        guard length > 0 else { return (0, 0) }
        var block = iovec(iov_base: buffer.baseAddress, iov_len: length)
        let written = pwritev(descriptor.number, &block, 1, Int(place))
        if written < 0, errno == EINVAL || errno == EOPNOTSUPP {
            // It said that it can: a network or a device below it thinks otherwise.
            mayWrite = false
            return (0, 0)
        }
        return written < 0 ? (0, errno) : (written, written == 0 ? EIO : 0)
    }
}
