package import MulticamContainers
package import MulticamMedia

/// The files of one movie or microphone: one in the recording's folder, and one in the backup's folder.
///
/// Each file has its own thread, queue, and error state. Thread-safe.
package final class MirroredFileWriter<Content: SegmentedContent>: Sendable {
    /// A file that continues the previous one after a split.
    package typealias Part = Content.Part

    /// Path of the first file relative to the session folder, which is the same on all disks.
    package let relativePath: String
    /// Number of streams in each file.
    package let streamCount: Int
    /// The writers and the index of each writer's disk (`RecordingDisk.index`).
    private let files: [(disk: Int, writer: FileWriter<Content>)]
    /// The writers. The lock ensures that all files receive the items of several threads in the same order,
    /// so that the files are identical. (A lock without a value would suffice, but ThreadSanitizer reports
    /// changes of the lock as changes of the whole object.)
    private let ordered: ConditionLock<[FileWriter<Content>]>

    /// Creates the files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: The disks to write to. There must be at least one.
    ///   - relativePath: Path of the file relative to the session folder.
    ///   - streamCount: Number of streams in each file.
    ///   - make: Creates the file on one disk.
    /// - Throws: `FileError` if the recording's own file cannot be created. An error in the backup's file
    ///   ends only that file.
    init(
        _ disks: [RecordingDisk], relativePath: String, streamCount: Int,
        make: (RecordingDisk) throws(FileError) -> FileWriter<Content>
    ) throws(FileError) {
        precondition(!disks.isEmpty, "at least one disk is required")
        self.relativePath = relativePath
        self.streamCount = streamCount
        var files: [(disk: Int, writer: FileWriter<Content>)] = []
        do throws(FileError) {
            for disk in disks { files.append((disk.index, try make(disk))) }
        } catch {
            Self.abandon(files.map(\.writer))
            throw error
        }
        self.files = files
        ordered = ConditionLock(files.map(\.writer))
    }

    /// Calls `body` with the writer of each disk, under a lock that keeps the order of items identical on all disks.
    func forEachWriter(_ body: (FileWriter<Content>) -> Void) {
        ordered.withLock { writers in
            for writer in writers { body(writer) }
        }
    }

    /// Whether no open file has reached the most recently requested part yet.
    ///
    /// All files receive the same items, so once one file has reached the part, the other files will reach it
    /// as well. Therefore, a disk that hangs doesn't delay callers.
    package var isSplitting: Bool {
        let open = files.filter(\.writer.isOpen)
        return !open.isEmpty && open.allSatisfy(\.writer.isSplitting)
    }

    /// Whether the recording can continue in a new file on at least one disk.
    package var isOpen: Bool { files.contains { $0.writer.isOpen } }

    /// Time for which the oldest queued item has waited for the fastest disk that is still in use. The value
    /// is zero if no file is open.
    ///
    /// If at least one disk is fast enough, that disk receives all data, and the governor doesn't have to
    /// reduce quality.
    package var backlog: Nanoseconds {
        // A loop is used because this property is read often, and generic key paths and chained collection
        // operations would be instantiated at each use.
        var least: Nanoseconds?
        for file in files where file.writer.isOpen {
            let backlog = file.writer.backlog
            least = least.map { min($0, backlog) } ?? backlog
        }
        return least ?? .zero
    }

    /// Returns the file's writer on one disk.
    ///
    /// - Parameter disk: Index of the disk: 0 for the recording, 1 for the backup.
    /// - Returns: The writer, or `nil` if the file isn't written to that disk.
    package func writer(onDisk disk: Int) -> FileWriter<Content>? { files.first { $0.disk == disk }?.writer }

    /// Sets the end of all streams on all disks. If this method is called several times, the earliest end applies.
    ///
    /// This method must be called before the last stream is finished.
    ///
    /// - Parameter end: For a movie, the end as a time relative to T0; for a WAV file, the end as a sample
    ///   index.
    package func setEnd(_ end: Content.Place) {
        for file in files { file.writer.setEnd(end) }
    }

    /// Closes the files of a recording that doesn't start, and waits until the files are closed.
    package func abandon() { Self.abandon(files.map(\.writer)) }

    /// Waits until the files on all disks are closed.
    ///
    /// - Returns: The content of the files, keyed by disk index.
    func join() -> [Int: FileResult<Content>] {
        Dictionary(uniqueKeysWithValues: files.map { ($0.disk, $0.writer.join()) })
    }

    private static func abandon(_ writers: [FileWriter<Content>]) {
        for writer in writers {
            Content.end(writer)
            _ = writer.join()
        }
    }
}

/// The result of writing one track or movie to one disk. The result contains the content of the first file and its
/// parts after they were closed, and the errors.
package struct FileResult<Content: SegmentedContent>: Sendable {
    /// The continuation files, in order.
    package var parts: [Content.Part] = []
    /// The files that were finalized and verified, in order.
    package var closed: [ClosedFile] = []
    /// Number of packets (movie) or samples per channel (WAV file) of each stream, summed over all files.
    package var counts: [Int]
    /// The ledgers of the content that each stream received, summed over all files.
    package var ledgers: [StreamLedger]
    /// The ranges of each stream that were dropped because the disk was too slow.
    package var shed: [[Content.Shed]]
    /// Position where writing ended early because the disk was full; `nil` if writing continued to the end of the
    /// recording. The position is a time relative to T0 for a movie, and a sample index counted from T0 for a WAV file.
    package var conclusion: Content.Place?
    /// The first error that ended writing to the file; `nil` if the file was written completely.
    package var failure: FileError?
    /// The first error during a split, after which the recording continues; `nil` if all splits succeeded.
    ///
    /// Either the next file could not be created and writing continues in the previous file, or the previous file could
    /// not be finalized and stays fragmented.
    package var splitFailure: FileError?

    /// Creates the result of an empty file. All counts of the result are 0.
    ///
    /// - Parameter streamCount: Number of streams in the file; 1 for a WAV file.
    package init(streamCount: Int) {
        counts = Array(repeating: 0, count: streamCount)
        ledgers = Array(repeating: StreamLedger(), count: streamCount)
        shed = Array(repeating: [], count: streamCount)
    }
}

/// A media file that was finalized and verified by reading it back.
package struct ClosedFile: Sendable, Equatable {
    /// Path of the file relative to the session folder.
    package let relativePath: String
    /// Size of the finalized file in bytes.
    package let byteCount: Int64
    /// Checksum of the finalized file; `nil` if no checksum was computed.
    package let checksum: FileChecksum?
    /// A sentence that describes the fault found by verification; `nil` if the file is identical to the written data.
    package let fault: String?
}
