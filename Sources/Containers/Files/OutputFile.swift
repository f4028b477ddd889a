internal import FileSystem
import Glibc
public import Media

/// A recording's file that is written at offsets of the caller's choosing.
///
/// It keeps no position: the writer knows what is whole so far, and a failed write moves nothing. While it is open it is locked
/// (flock(2)), so that nobody repairs what is being recorded.
final class OutputFile: ReadableFile, Sendable {
    let path: String
    private let descriptor: OwnedDescriptor
    private let disk: DiskConduct
    /// Whether the file had a name when it was opened: some FUSE file systems never report one.
    private let hadName: Bool

    /// Creates a new file.
    ///
    /// - Throws: `FileError` "create", also where the file exists.
    init(creating path: String, disk: DiskConduct) throws(FileError) {
        self.path = path
        self.disk = disk
        descriptor = try OwnedDescriptor(opening: path, flags: O_CREAT | O_EXCL | O_RDWR, operation: "create")
        hadName = Self.hasName(descriptor.number)
        // A file system without locks is no reason not to record.
        _ = flock(descriptor.number, LOCK_EX | LOCK_NB)
    }

    /// Opens an existing file for reading and writing.
    ///
    /// - Throws: `FileError` "open"; its `isBusy` is true where another process has locked the file.
    init(opening path: String, disk: DiskConduct) throws(FileError) {
        self.path = path
        self.disk = disk
        // `O_NONBLOCK` keeps the opening of a named pipe from blocking.
        descriptor = try OwnedDescriptor(opening: path, flags: O_RDWR | O_NONBLOCK, operation: "open")
        hadName = Self.hasName(descriptor.number)
        if flock(descriptor.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw FileError(path: path, operation: FileError.openWhileBusy, detail: FileError.busy)
        }
    }

    deinit {
        unlock()
    }

    /// Releases the lock explicitly, since a child process that is just being started holds the descriptor too, for a moment.
    func unlock() {
        _ = flock(descriptor.number, LOCK_UN)
    }

    private var hasName: Bool { Self.hasName(descriptor.number) }

    private static func hasName(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_nlink > 0
    }

    /// Size of the file in bytes, and whether it is a regular file.
    ///
    /// - Throws: `FileError` "read".
    func facts() throws(FileError) -> (byteCount: Int64, isRegular: Bool) {
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else {
            throw FileError(path: path, operation: "read", errno: errno)
        }
        return (Int64(status.st_size), status.st_mode & S_IFMT == S_IFREG)
    }

    /// Opens the file once more to write it past the page cache; `nil` where its file system cannot, or does not say that it can.
    func makeDirect() -> DirectFile? { DirectFile(path, openAs: descriptor) }

    /// Writes all pieces one after the other from `offset` on, in as few calls as the system allows.
    ///
    /// Where the disk is full and `makeRoom` has released room, it continues from where it stopped.
    ///
    /// - Parameters:
    ///   - pieces: What is to be written.
    ///   - offset: Place in the file in bytes.
    ///   - direct: Writes all whole blocks past the page cache, if `offset` is the start of one; `nil` for none.
    /// - Throws: `FileError` "write".
    func write(_ pieces: [SharedBytes], at offset: Int64, by direct: DirectFile? = nil) throws(FileError) {
        let end = pieces.reduce(offset) { $0 + Int64($1.count) }
        var place = offset
        var rest = UnwrittenPieces(pieces)
        var mayMakeRoom = true
        while !rest.isEmpty {
            var (written, number) = (0, disk.beforeWrite(path, end))
            if number == 0 { (written, number) = write(rest, at: place, by: direct) }
            if number == EINTR { continue }
            if number == ENOSPC || number == EDQUOT, mayMakeRoom, disk.makeRoom() {
                mayMakeRoom = false
                continue
            }
            guard number == 0 else { throw FileError(path: path, operation: "write", errno: number) }
            place += Int64(written)
            rest.advance(by: written)
        }
        disk.afterChange?(.write(pieces.flatMap { Array($0.bytes) }, at: offset))
    }

    /// Makes one call of pwrite(2) or pwritev(2).
    ///
    /// - Returns: The number of bytes written, or an error number.
    private func write(_ pieces: UnwrittenPieces, at place: Int64, by direct: DirectFile?) -> (
        written: Int, number: Int32
    ) {
        if let direct, direct.takes(writeAt: place) {
            let (written, number) = direct.write(pieces, at: place)
            if written > 0 || number != 0 { return (written, number) }
        }
        let vectors = pieces.vectors
        let written = pwritev(descriptor.number, vectors, Int32(vectors.count), Int(place))
        if written < 0 { return (0, errno) }
        // A device that takes nothing is an error: it would be retried for ever.
        return (written, written == 0 && vectors.contains { $0.iov_len > 0 } ? EIO : 0)
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(FileError) {
        try write([SharedBytes(bytes)], at: offset)
    }

    /// Reads up to `count` bytes from `offset` on; fewer where the file ends.
    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        try descriptor.read(count, at: offset, of: path)
    }

    /// Truncates the file at `end`, or extends it to there with zeros that take no room on the disk.
    func setEnd(_ end: Int64) throws(FileError) {
        var result: Int32
        repeat { result = ftruncate(descriptor.number, Int(end)) } while result < 0 && errno == EINTR
        guard result == 0 else { throw FileError(path: path, operation: "truncate", errno: errno) }
        disk.afterChange?(.end(end))
    }

    /// Waits until everything written would survive a power cut.
    ///
    /// - Throws: `FileError` "fdatasync"; "write" where the file was removed while it was recorded.
    func makeDurable() throws(FileError) {
        if hadName, !hasName {
            throw FileError(
                path: path, operation: "write",
                detail:
                    "somebody removed the file while it was recorded. Leave the folder alone until the end.")
        }
        guard fdatasync(descriptor.number) == 0 else {
            throw FileError(path: path, operation: "fdatasync", errno: errno)
        }
        disk.afterChange?(.durable)
    }

    /// Waits until the file's name would survive a power cut; the folder needs an fsync(2) of its own.
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
        // EINVAL: the file system cannot synchronise folders.
        guard fsync(descriptor.number) == 0 || errno == EINVAL else {
            throw FileError(path: folder, operation: "fsync", errno: errno)
        }
        disk.afterChange?(.nameDurable)
    }
}

extension FileError {
    fileprivate static let openWhileBusy = "open what is in use"
    fileprivate static let busy =
        "another program is still recording it, or recovers it. Wait until it has ended."

    /// Whether another process records the file or recovers it.
    public var isBusy: Bool { operation == Self.openWhileBusy }
}
