internal import Glibc
package import MulticamMedia
internal import MulticamSystem

/// An output file of a recording. The caller specifies the offset of each write.
///
/// There is no current file position: the writer tracks the valid part of the file, so a failed write doesn't
/// affect later writes. The file is locked while it is open (flock(2)), so that `multicam recover` can't
/// modify it during the recording.
final class OutputFile: ReadableFile, Sendable {
    let file: ContainedFile
    private let descriptor: OwnedDescriptor
    private let hooks: FileWriteHooks
    /// Whether the file system reported a link count above 0 when the file was opened. Some FUSE file systems
    /// always report 0.
    private let hadName: Bool

    /// Creates a new file.
    ///
    /// - Throws: `FileError` with the operation "creating the file", also if the file already exists.
    init(creating file: ContainedFile, disk: FileWriteHooks) throws(FileError) {
        self.file = file
        self.hooks = disk
        descriptor = try file.create()
        hadName = Self.hasName(descriptor.number)
        // A failed lock is ignored, because recording must also work on file systems without locks.
        _ = flock(descriptor.number, LOCK_EX | LOCK_NB)
    }

    /// Opens an existing file for reading and writing.
    ///
    /// - Throws: `FileError` with the operation "opening", also if the path doesn't refer to a regular file.
    ///   `FileError.isBusy` is true if another process has locked the file.
    init(opening file: ContainedFile, disk: FileWriteHooks) throws(FileError) {
        self.file = file
        self.hooks = disk
        descriptor = try file.openForUpdate()
        hadName = Self.hasName(descriptor.number)
        if flock(descriptor.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw FileError(path: file.path, operation: FileError.openWhileBusy, detail: FileError.busy)
        }
    }

    deinit {
        unlock()
    }

    /// Path of the file, used in messages.
    var path: String { file.path }

    /// Releases the file lock explicitly. Closing the descriptor may not release the lock, because a child
    /// process that is being started briefly holds a copy of the descriptor.
    func unlock() {
        _ = flock(descriptor.number, LOCK_UN)
    }

    private var hasName: Bool { Self.hasName(descriptor.number) }

    private static func hasName(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_nlink > 0
    }

    /// Returns the size of the file in bytes.
    ///
    /// - Throws: `FileError` with the operation "reading".
    func byteCount() throws(FileError) -> Int64 {
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else {
            throw FileError(path: path, operation: "reading", errno: errno)
        }
        return Int64(status.st_size)
    }

    /// Opens the same file for reading, even if the file was renamed while it was being written.
    ///
    /// - Throws: `FileError` with the operation "opening".
    func reader() throws(FileError) -> ReadFile { try ReadFile(descriptor, path: path) }

    /// Opens the file a second time for direct writes that bypass the page cache. The result is `nil` if the
    /// file system doesn't report support for direct writes.
    func makeDirectFile() -> DirectFile? { DirectFile(file, openAs: descriptor) }

    /// Writes all pieces one after another, starting at `offset`, with as few system calls as possible.
    ///
    /// If the disk is full, `makeRoom` is called. If `makeRoom` frees space, the write resumes at the same
    /// position.
    ///
    /// - Parameters:
    ///   - pieces: Data to write.
    ///   - offset: File offset in bytes.
    ///   - direct: The object that writes complete blocks directly if `offset` is the start of a block; `nil`
    ///     to write all data through the page cache.
    /// - Throws: `FileError` with the operation "writing".
    func write(_ pieces: [SharedBytes], at offset: Int64, by direct: DirectFile? = nil) throws(FileError) {
        let end = pieces.reduce(offset) { $0 + Int64($1.count) }
        var place = offset
        var rest = UnwrittenPieces(pieces)
        var mayMakeRoom = true
        while !rest.isEmpty {
            var (written, number) = (0, hooks.beforeWrite(path, end))
            if number == 0 { (written, number) = write(rest, at: place, by: direct) }
            if number == EINTR { continue }
            if number == ENOSPC || number == EDQUOT, mayMakeRoom, hooks.makeRoom() {
                mayMakeRoom = false
                continue
            }
            guard number == 0 else { throw FileError(path: path, operation: "writing", errno: number) }
            place += Int64(written)
            rest.advance(by: written)
        }
        hooks.afterChange?(.write(pieces.flatMap { Array($0.bytes) }, at: offset))
    }

    /// Calls pwrite(2) or pwritev(2) once.
    ///
    /// - Returns: The number of bytes written, and an error number (0 for success).
    private func write(_ pieces: UnwrittenPieces, at place: Int64, by direct: DirectFile?) -> (
        written: Int, number: Int32
    ) {
        if let direct, direct.canWrite(at: place) {
            let (written, number) = direct.write(pieces, at: place)
            if written > 0 || number != 0 { return (written, number) }
        }
        let vectors = pieces.vectors
        let written = pwritev(descriptor.number, vectors, Int32(vectors.count), Int(place))
        if written < 0 { return (0, errno) }
        // A write that accepts no bytes counts as a failure, because the write would otherwise be retried
        // forever.
        return (written, written == 0 && vectors.contains { $0.iov_len > 0 } ? EIO : 0)
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(FileError) {
        try write([SharedBytes(bytes)], at: offset)
    }

    /// Reads up to `count` bytes starting at `offset`, or fewer at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        try descriptor.read(count, at: offset, of: path)
    }

    /// Sets the file size to `end` bytes. A shorter file is extended with zeros that use no disk space.
    func setEnd(_ end: Int64) throws(FileError) {
        var result: Int32
        repeat { result = ftruncate(descriptor.number, Int(end)) } while result < 0 && errno == EINTR
        guard result == 0 else { throw FileError(path: path, operation: "truncating the file", errno: errno) }
        hooks.afterChange?(.end(end))
    }

    /// Flushes all written data to the disk and waits for completion. The data then survives a power loss.
    ///
    /// - Throws: `FileError` with the operation "fdatasync", or with "writing" if the file was removed during
    ///   the recording.
    func makeDurable() throws(FileError) {
        if hadName, !hasName {
            throw FileError(
                path: path, operation: "writing",
                detail:
                    "the file was deleted during the recording. Don't change the session folder until the recording has ended."
            )
        }
        guard fdatasync(descriptor.number) == 0 else {
            throw FileError(path: path, operation: "fdatasync", errno: errno)
        }
        hooks.afterChange?(.durable)
    }

    /// Flushes the file's directory entry with fsync(2) of the folder, so that the file name survives a power
    /// loss.
    func makeNameDurable() throws(FileError) {
        let descriptor: OwnedDescriptor
        do {
            descriptor = try file.openParentForSync()
        } catch {
            return  // A folder that is writable but not readable, such as a drop box, can't be synced.
        }
        // fsync fails with EINVAL if the file system can't sync folders.
        guard fsync(descriptor.number) == 0 || errno == EINVAL else {
            throw FileError(path: path, operation: "fsync", errno: errno)
        }
        hooks.afterChange?(.nameDurable)
    }
}

extension FileError {
    fileprivate static let openWhileBusy = "getting exclusive access"
    fileprivate static let busy =
        "another program is still recording or recovering this file. Wait until that program has finished."

    /// Whether another process is recording or recovering the file.
    package var isBusy: Bool { operation == Self.openWhileBusy }
}

extension OwnedDescriptor {
    /// Opens a file with the close-on-exec flag. If a signal interrupts the call, it is repeated.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - flags: Flags of open(2). A created file has the permissions 0666, modified by the process's umask.
    ///   - operation: The operation that errors name.
    /// - Throws: `FileError` with the operation `operation`.
    init(opening path: String, flags: Int32, operation: String) throws(FileError) {
        var number: Int32
        repeat { number = open(path, flags | O_CLOEXEC, 0o666) } while number < 0 && errno == EINTR
        guard number >= 0 else { throw FileError(path: path, operation: operation, errno: errno) }
        self.init(owning: number)
    }

    /// Reads up to `count` bytes starting at `offset`, or fewer at the end of the file.
    ///
    /// - Throws: `FileError` with the operation "reading" and the path `path`.
    func read(_ count: Int, at offset: Int64, of path: String) throws(FileError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    number, buffer.baseAddress.map { $0 + filled }, count - filled, Int(offset) + filled)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                filled += got
            }
        }
        guard failure == 0 else { throw FileError(path: path, operation: "reading", errno: failure) }
        return bytes
    }
}

/// The part of a list of buffers that hasn't been written to the file yet.
struct UnwrittenPieces {
    private let pieces: [SharedBytes]
    /// Index of the first piece that isn't completely written, and the number of bytes of this piece that are
    /// already written.
    private var (first, skipped) = (0, 0)

    /// Maximum number of pieces per call on Linux (`UIO_MAXIOV`, writev(2)).
    private static let piecesPerCall = 1024

    init(_ pieces: [SharedBytes]) {
        self.pieces = pieces
    }

    var isEmpty: Bool { first == pieces.count }

    /// The pieces to pass to the next call of pwritev(2).
    var vectors: [iovec] {
        var vectors = pieces[first..<min(first + Self.piecesPerCall, pieces.count)].map {
            iovec(iov_base: $0.start, iov_len: $0.count)
        }
        vectors[0].iov_base = vectors[0].iov_base.map { $0 + skipped }
        vectors[0].iov_len -= skipped
        return vectors
    }

    /// Copies as many unwritten bytes as fit into `room`.
    ///
    /// - Returns: The number of bytes copied.
    func copy(to room: UnsafeMutableRawBufferPointer) -> Int {
        guard let start = room.baseAddress else { return 0 }
        var (filled, offset) = (0, skipped)
        for piece in pieces[first...] {
            let count = min(piece.count - offset, room.count - filled)
            (start + filled).copyMemory(from: piece.start + offset, byteCount: count)
            filled += count
            offset = 0
            if filled == room.count { break }
        }
        return filled
    }

    /// Marks the next `count` bytes as written.
    mutating func advance(by count: Int) {
        var count = count
        while first < pieces.count, count >= pieces[first].count - skipped {
            count -= pieces[first].count - skipped
            skipped = 0
            first += 1
        }
        skipped += count
    }
}

/// Callbacks for file writes, which free space on a full disk or simulate failures in tests.
package struct FileWriteHooks: Sendable {
    /// Called on the writing thread to free reserved space when the disk is full. If the disk is still full
    /// after the call, the write fails.
    ///
    /// - Returns: Whether space may be available now, so that the write is retried.
    package var makeRoom: @Sendable () -> Bool
    /// Called before each write with the path of the file and the byte offset at which the write ends. The
    /// callback returns an error number, or 0 to perform the write. Tests use this callback to simulate a
    /// disk that is full, fails, or hangs.
    package var beforeWrite: @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
    /// Called after each change of the file, for tests that reproduce a crash; `nil` outside tests.
    package var afterChange: (@Sendable (FileChange) -> Void)?

    /// Creates callbacks with only `makeRoom`.
    package init(makeRoom: @escaping @Sendable () -> Bool = { false }) {
        self.makeRoom = makeRoom
    }

    /// Creates callbacks for tests that simulate a full disk by limiting each file to `capacity` bytes.
    package init(capacity: Int64) {
        self.init()
        beforeWrite = { _, end in end > capacity ? ENOSPC : 0 }
    }
}

/// One change to a file of a recording. Tests replay the changes up to an arbitrary byte to reproduce the
/// file's state after a crash.
package enum FileChange: Sendable, Equatable {
    /// Bytes were written at a byte offset.
    case write([UInt8], at: Int64)
    /// The file was truncated or extended to a size in bytes.
    case end(Int64)
    /// All earlier changes were flushed to the disk and survive a power loss.
    case durable
    /// The file's directory entry was flushed to the disk, so the file name survives a power loss.
    case nameDurable
}

/// Time until the next write of a file, in terms of media packets: the media duration that must still arrive,
/// and the duration of each packet.
///
/// A caller may batch the packets that it passes to the file's thread, so that the thread wakes up only once
/// per write.
package struct WriteSchedule: Sendable, Equatable {
    /// Duration of the packets that must still arrive before the next write.
    let remainingDuration: Nanoseconds
    /// Duration of one packet.
    let packetDuration: Nanoseconds
    /// Whether the file receives packets of only one stream, so that the packets until the next write can be
    /// counted.
    let hasSingleStream: Bool

    private var count: Int64 {
        // Packet durations are rounded, so the data counts as complete if less than a sixteenth of a packet
        // is missing.
        packetDuration > .zero
            ? max(1, (remainingDuration.count - packetDuration.count / 16 - 1) / packetDuration.count + 1) : 1
    }

    /// Number of packets that must arrive until the next write, at least 1; `nil` if the file receives
    /// packets of several streams.
    package var remainingPackets: Int? { hasSingleStream ? Int(clamping: count) : nil }

    /// Maximum time for batching packets, starting with the arrival of the first packet. Batching ends half a
    /// packet's duration before the packet that triggers the write is expected, because packets may arrive
    /// slightly early or late. The time is zero if the next packet triggers the write.
    package var batchingTime: Nanoseconds {
        max(.zero, Nanoseconds(packetDuration.count * (count - 1) - packetDuration.count / 2))
    }
}
