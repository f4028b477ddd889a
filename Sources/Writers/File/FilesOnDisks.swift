package import Media

/// The files that one movie or microphone is recorded to: one in the recording's folder, and one in the safety copy's.
///
/// Each file has a thread, a queue and failures of its own. Callable from any thread.
package final class FilesOnDisks<Content: SegmentedContent>: Sendable {
    /// A file that continues the one before it after a split.
    package typealias Part = Content.Part

    /// Path of the first file relative to the session folder, the same on every disk.
    package let relativePath: String
    /// Number of streams in each file.
    package let streamCount: Int
    /// The writers, each with the index of its disk (`RecordingDisk.index`).
    private let files: [(disk: Int, writer: FileWriter<Content>)]
    /// The writers behind a lock, so that all files get the items of several threads in one order and are equal to the byte.
    /// (A lock around nothing would do, but ThreadSanitizer takes its change for one of the object itself.)
    private let ordered: ConditionLock<[FileWriter<Content>]>

    /// Creates the files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: The disks to write to, at least one.
    ///   - relativePath: Path of the file relative to the session folder.
    ///   - streamCount: Number of streams in each file.
    ///   - make: Creates the file on one disk.
    /// - Throws: `FileError` when the recording's own file cannot be created; an error of the safety copy's file ends that file
    ///   alone.
    init(
        _ disks: [RecordingDisk], relativePath: String, streamCount: Int,
        make: (RecordingDisk) throws(FileError) -> FileWriter<Content>
    ) throws(FileError) {
        precondition(!disks.isEmpty, "a movie or a microphone's audio is written somewhere")
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

    /// Calls `body` with the writer of each disk, under a lock that keeps the order of items the same on all disks.
    func each(_ body: (FileWriter<Content>) -> Void) {
        ordered.withLock { writers in
            for writer in writers { body(writer) }
        }
    }

    /// Whether no open file has reached the part that was requested last.
    ///
    /// All files get the same items, so that the others follow the first one; a hanging disk delays no caller.
    package var isSplitting: Bool {
        let open = files.filter(\.writer.isOpen)
        return !open.isEmpty && open.allSatisfy(\.writer.isSplitting)
    }

    /// Whether the recording can continue in a new file on at least one disk.
    package var isOpen: Bool { files.contains { $0.writer.isOpen } }

    /// How long the oldest queued item has waited on the fastest of the open disks; zero when no file is open.
    ///
    /// While one disk keeps up, that disk gets everything and quality need not be reduced.
    package var backlog: Nanoseconds {
        // A loop: of a generic type, key paths and chains of collections are made anew at each use, and this is asked for often.
        var least: Nanoseconds?
        for file in files where file.writer.isOpen {
            let backlog = file.writer.backlog
            least = least.map { min($0, backlog) } ?? backlog
        }
        return least ?? .zero
    }

    /// Returns the file's writer on one disk.
    ///
    /// - Parameter disk: Index of the disk: 0 for the recording's own, 1 for the safety copy's.
    /// - Returns: The writer, or `nil` when the file is not written there.
    package func file(_ disk: Int) -> FileWriter<Content>? { files.first { $0.disk == disk }?.writer }

    /// Sets where all streams end on every disk; of several calls the earliest end holds.
    ///
    /// To be called before the last stream is finished.
    ///
    /// - Parameter end: A movie's end since T0, or a wave file's end as a sample index.
    package func setEnd(_ end: Content.Place) {
        for file in files { file.writer.setEnd(end) }
    }

    /// Closes the files of a recording that does not begin, and waits until they are closed.
    package func abandon() { Self.abandon(files.map(\.writer)) }

    /// Waits until the files on all disks are closed.
    ///
    /// - Returns: What the files hold, by the index of their disk.
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
