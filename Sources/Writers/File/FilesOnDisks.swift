package import Media

/// What one movie or microphone is recorded to: a file in the recording's folder, and one in that of a safety copy. Each has a
/// thread, a queue and failures of its own. Any thread.
package final class FilesOnDisks<Content: SegmentedContent>: Sendable {
    package typealias Part = Content.Part

    package let relativePath: String
    package let streamCount: Int
    /// By the disk's number.
    private let files: [(disk: Int, writer: FileWriter<Content>)]
    /// The same for what comes from several threads: all files get it in one order, and so are the same to the byte. (A monitor of
    /// nothing would do, but ThreadSanitizer takes its change for one of the object itself.)
    private let ordered: ConditionLock<[FileWriter<Content>]>

    /// Makes the files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: That it is written to: at least one.
    ///   - relativePath: From the session folder.
    ///   - streamCount: How many streams each file has.
    ///   - make: Makes the file on a disk.
    /// - Throws: When a file cannot be made; those of a safety copy fail by themselves.
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

    func each(_ body: (FileWriter<Content>) -> Void) {
        ordered.withLock { writers in
            for writer in writers { body(writer) }
        }
    }

    /// Whether no file has come to the part that was asked for last. What one has come to the others will: all get the same, and a
    /// disk that hangs keeps nobody waiting.
    package var isSplitting: Bool {
        let open = files.filter(\.writer.isOpen)
        return !open.isEmpty && open.allSatisfy(\.writer.isSplitting)
    }

    /// Whether it can go on in a new file.
    package var isOpen: Bool { files.contains { $0.writer.isOpen } }

    /// How long what comes next has waited, for the disk that keeps up best: while one has everything, nothing need be given up.
    package var backlog: Nanoseconds { files.filter(\.writer.isOpen).map(\.writer.backlog).min() ?? .zero }

    /// The file on a disk; `nil` where it is not written there.
    package func file(_ disk: Int) -> FileWriter<Content>? { files.first { $0.disk == disk }?.writer }

    /// Tells where all streams end, before the last of them is finished.
    package func setEnd(_ end: Content.Place) {
        for file in files { file.writer.setEnd(end) }
    }

    /// Closes the files with what they have, for a recording that does not begin.
    package func abandon() { Self.abandon(files.map(\.writer)) }

    /// Waits until the files are closed.
    ///
    /// - Returns: What each holds, by the disk's number.
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
