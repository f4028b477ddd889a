import Glibc
import Media

/// A new file that is written at places of the caller's choosing, and never over a file that was there.
///
/// It keeps no position: whoever writes knows what is whole so far, and a failed write moves nothing.
final class OutputFile: Sendable {
    let path: String
    private let descriptor: OwnedDescriptor
    /// Where the disk ends: a test's stand-in for a full disk.
    private let capacity: Int64

    /// Linux takes at most 1024 pieces in one call (`UIO_MAXIOV`, writev(2)).
    private static let piecesPerCall = 1024

    init(creating path: String, capacity: Int64 = .max) throws(FileError) {
        self.path = path
        self.capacity = capacity
        descriptor = try OwnedDescriptor(opening: path, flags: O_CREAT | O_EXCL | O_RDWR, operation: "create")
    }

    /// Writes all the pieces one after the other, in as few calls as the system allows.
    func write(_ pieces: [SharedBytes], at offset: Int64) throws(FileError) {
        let total = pieces.reduce(Int64(0)) { $0 + Int64($1.count) }
        guard offset + total <= capacity else {
            throw FileError(path: path, operation: "write", errno: ENOSPC)
        }
        var offset = offset
        var first = 0
        var skipped = 0
        while first < pieces.count {
            let call = pieces[first..<min(first + Self.piecesPerCall, pieces.count)]
            var vectors = call.map { iovec(iov_base: $0.start, iov_len: $0.count) }
            vectors[0].iov_base = vectors[0].iov_base.map { $0 + skipped }
            vectors[0].iov_len -= skipped
            var written = pwritev(descriptor.number, vectors, Int32(vectors.count), Int(offset))
            if written < 0 {
                let number = errno
                if number == EINTR { continue }
                throw FileError(path: path, operation: "write", errno: number)
            }
            if written == 0, vectors.contains(where: { $0.iov_len > 0 }) {
                throw FileError(path: path, operation: "write", errno: EIO)
            }
            offset += Int64(written)
            while first < pieces.count, written >= pieces[first].count - skipped {
                written -= pieces[first].count - skipped
                skipped = 0
                first += 1
            }
            skipped += written
        }
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(FileError) {
        try write([SharedBytes(bytes)], at: offset)
    }

    /// Cuts off, or adds zeros that take no room, so that the file ends at `end`.
    func setEnd(_ end: Int64) throws(FileError) {
        var result: Int32
        repeat { result = ftruncate(descriptor.number, Int(end)) } while result < 0 && errno == EINTR
        guard result == 0 else { throw FileError(path: path, operation: "truncate", errno: errno) }
    }

    /// Waits until what was written would survive a power cut.
    func makeDurable() throws(FileError) {
        guard fdatasync(descriptor.number) == 0 else {
            throw FileError(path: path, operation: "fdatasync", errno: errno)
        }
    }

    /// Waits until the file's name would survive a power cut (fsync(2): the folder needs its own call).
    func makeNameDurable() throws(FileError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor: OwnedDescriptor
        do {
            descriptor = try OwnedDescriptor(
                opening: folder, flags: O_RDONLY | O_DIRECTORY, operation: "open")
        } catch {
            return  // A folder that may be written but not read, as a drop box, cannot be synchronised.
        }
        // EINVAL: file systems that have no such thing.
        guard fsync(descriptor.number) == 0 || errno == EINVAL else {
            throw FileError(path: folder, operation: "fsync", errno: errno)
        }
    }
}
