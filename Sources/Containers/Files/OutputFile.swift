internal import Glibc
public import Media
internal import System

/// File of a recording, written at offsets that the caller chooses.
///
/// The object has no file position. The writer tracks the valid part of the file, so a failed write doesn't affect
/// later writes. The file is locked while it is open (flock(2)), so that it can't be recovered during the recording.
final class OutputFile: ReadableFile, Sendable {
    let file: ContainedFile
    private let descriptor: OwnedDescriptor
    private let disk: FileWriteHooks
    /// Whether the file had a name when it was opened. Some FUSE file systems never report a name.
    private let hadName: Bool

    /// Creates a new file.
    ///
    /// - Throws: `FileError` with the operation "creating the file", including if the file exists.
    init(creating file: ContainedFile, disk: FileWriteHooks) throws(FileError) {
        self.file = file
        self.disk = disk
        descriptor = try file.create()
        hadName = Self.hasName(descriptor.number)
        // Recording must also work on a file system without locks.
        _ = flock(descriptor.number, LOCK_EX | LOCK_NB)
    }

    /// Opens an existing file for reading and writing.
    ///
    /// - Throws: `FileError` with the operation "opening", including if it isn't a regular file. The error's `isBusy`
    ///   is true if another process has locked the file.
    init(opening file: ContainedFile, disk: FileWriteHooks) throws(FileError) {
        self.file = file
        self.disk = disk
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

    /// Releases the lock explicitly, because a child process that is being started also briefly holds the
    /// descriptor.
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

    /// Returns the file opened for reading, even if it was renamed while it was being written.
    ///
    /// - Throws: `FileError` with the operation "opening".
    func reader() throws(FileError) -> ReadFile { try ReadFile(descriptor, path: path) }

    /// Opens the file a second time for direct writes without the page cache; `nil` if its file system doesn't support
    /// them or doesn't report that it does.
    func makeDirect() -> DirectFile? { DirectFile(file, openAs: descriptor) }

    /// Writes all pieces one after another starting at `offset`, in as few system calls as possible.
    ///
    /// If the disk is full and `makeRoom` has freed space, writing resumes at the same position.
    ///
    /// - Parameters:
    ///   - pieces: Data to write.
    ///   - offset: File offset in bytes.
    ///   - direct: Writes all complete blocks without the page cache, if `offset` is the start of a block; `nil` if
    ///     unused.
    /// - Throws: `FileError` with the operation "writing".
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
            guard number == 0 else { throw FileError(path: path, operation: "writing", errno: number) }
            place += Int64(written)
            rest.advance(by: written)
        }
        disk.afterChange?(.write(pieces.flatMap { Array($0.bytes) }, at: offset))
    }

    /// Calls pwrite(2) or pwritev(2) once.
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
        // A device that accepts no bytes is an error, because it would be retried forever.
        return (written, written == 0 && vectors.contains { $0.iov_len > 0 } ? EIO : 0)
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(FileError) {
        try write([SharedBytes(bytes)], at: offset)
    }

    /// Reads up to `count` bytes starting at `offset`, or fewer at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        try descriptor.read(count, at: offset, of: path)
    }

    /// Truncates the file at `end`, or extends it to `end` with zeros that use no disk space.
    func setEnd(_ end: Int64) throws(FileError) {
        var result: Int32
        repeat { result = ftruncate(descriptor.number, Int(end)) } while result < 0 && errno == EINTR
        guard result == 0 else { throw FileError(path: path, operation: "truncating the file", errno: errno) }
        disk.afterChange?(.end(end))
    }

    /// Waits until all written data would survive a power loss.
    ///
    /// - Throws: `FileError` with the operation "fdatasync"; "writing" if the file was removed during the recording.
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
        disk.afterChange?(.durable)
    }

    /// Waits until the file's name would survive a power loss. This requires a separate fsync(2) of the folder.
    func makeNameDurable() throws(FileError) {
        let descriptor: OwnedDescriptor
        do {
            descriptor = try file.openParentForSync()
        } catch {
            return  // A folder that is writable but not readable, such as a drop box, can't be synced.
        }
        // EINVAL: the file system can't sync folders.
        guard fsync(descriptor.number) == 0 || errno == EINVAL else {
            throw FileError(path: path, operation: "fsync", errno: errno)
        }
        disk.afterChange?(.nameDurable)
    }
}

extension FileError {
    fileprivate static let openWhileBusy = "getting exclusive access"
    fileprivate static let busy =
        "another program is still recording or recovering this file. Wait until that program has finished."

    /// Whether another process is recording or recovering the file.
    public var isBusy: Bool { operation == Self.openWhileBusy }
}

extension OwnedDescriptor {
    /// Opens a file. Retries if a signal interrupts the call, and marks the descriptor to be closed on exec.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - flags: Flags of open(2). A created file has the permissions 0666, modified by the process's umask.
    ///   - operation: Operation named in errors.
    /// - Throws: `FileError` with that operation.
    init(opening path: String, flags: Int32, operation: String) throws(FileError) {
        var number: Int32
        repeat { number = open(path, flags | O_CLOEXEC, 0o666) } while number < 0 && errno == EINTR
        guard number >= 0 else { throw FileError(path: path, operation: operation, errno: errno) }
        self.init(owning: number)
    }

    /// Reads up to `count` bytes starting at `offset`, or fewer at the end of the file.
    ///
    /// - Throws: `FileError` with the operation "reading", which names `path`.
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

/// Remaining part of memory pieces that are written consecutively to a file.
struct UnwrittenPieces {
    private let pieces: [SharedBytes]
    /// Index of the first piece that isn't completely written, and the number of its bytes that are already written.
    private var (first, skipped) = (0, 0)

    /// Maximum number of pieces per call on Linux (`UIO_MAXIOV`, writev(2)).
    private static let piecesPerCall = 1024

    init(_ pieces: [SharedBytes]) {
        self.pieces = pieces
    }

    var isEmpty: Bool { first == pieces.count }

    /// The pieces for one call of pwritev(2).
    var vectors: [iovec] {
        var vectors = pieces[first..<min(first + Self.piecesPerCall, pieces.count)].map {
            iovec(iov_base: $0.start, iov_len: $0.count)
        }
        vectors[0].iov_base = vectors[0].iov_base.map { $0 + skipped }
        vectors[0].iov_len -= skipped
        return vectors
    }

    /// Copies as many bytes from the start as fit into `room`.
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

    /// Marks the next bytes as written.
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

/// Hooks for file writes: freeing space on a full disk, and replacements for tests.
public struct FileWriteHooks: Sendable {
    /// Called on the writing thread when the disk is full, to free reserved space. If the disk is still full
    /// afterwards, the write fails.
    ///
    /// - Returns: Whether to retry the write.
    public var makeRoom: @Sendable () -> Bool
    /// Called before each write with the file's path and the byte offset of the end of the write. Returns an error
    /// number, or 0. Tests use this hook to simulate a disk that is full, fails, or hangs.
    package var beforeWrite: @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
    /// Called after each change of the file, to test the state after a crash; `nil` outside tests.
    package var afterChange: (@Sendable (FileChange) -> Void)?

    /// Creates hooks that only use `makeRoom`.
    public init(makeRoom: @escaping @Sendable () -> Bool = { false }) {
        self.makeRoom = makeRoom
    }

    /// Creates hooks for tests that simulate a disk with files limited to `capacity` bytes.
    package init(capacity: Int64) {
        self.init()
        beforeWrite = { _, end in end > capacity ? ENOSPC : 0 }
    }
}

/// One change to a file of a recording. Tests replay the changes up to any byte, to reproduce the file after a crash.
package enum FileChange: Sendable, Equatable {
    /// Bytes were written at a byte offset.
    case write([UInt8], at: Int64)
    /// The file was truncated or extended to a size in bytes.
    case end(Int64)
    /// All earlier changes would survive a power loss.
    case durable
    /// The file's name would survive a power loss.
    case nameDurable
}

/// Time until a file's next write, expressed in terms of the packets that it receives: the duration that is
/// still missing, and the duration of each packet.
///
/// The caller that passes packets to the file's thread may batch this number of packets. The thread then
/// wakes up once per write.
package struct WriteRhythm: Sendable, Equatable {
    /// Duration of the packets that must still arrive before the next write.
    let missing: Nanoseconds
    /// Duration of one packet.
    let step: Nanoseconds
    /// Whether the file receives only these packets, so that they can be counted.
    let isAlone: Bool

    private var count: Int64 {
        // Durations are rounded, so a missing sixteenth of a packet counts as complete.
        step > .zero ? max(1, (missing.count - step.count / 16 - 1) / step.count + 1) : 1
    }

    /// Number of packets that complete the write, at least 1; `nil` if the file also receives other packets.
    package var packets: Int? { isAlone ? Int(clamping: count) : nil }

    /// Maximum time for batching packets, counted from the arrival of the first. Batching ends when the packet that
    /// completes the write arrives, minus half a packet's duration, because packets may arrive slightly early or late.
    /// Zero if the next packet completes the write.
    package var batchingTime: Nanoseconds {
        max(.zero, Nanoseconds(step.count * (count - 1) - step.count / 2))
    }
}
