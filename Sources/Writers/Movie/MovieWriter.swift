package import Containers
package import Foundation
package import Media

/// One movie of a recording: its file in the recording's folder, and in that of a safety copy. Each has a thread, a queue and
/// failures of its own. Any thread.
package final class MovieWriter: Sendable {
    /// A file that continues the one before it from `start` on.
    package struct Part: Sendable {
        package let relativePath: String
        package let start: MediaTime
        /// Of streams that go on as something else, by their place: frames of another size.
        package var changes: [Int: StreamParameters] = [:]

        package init(relativePath: String, start: MediaTime, changes: [Int: StreamParameters] = [:]) {
            self.relativePath = relativePath
            self.start = start
            self.changes = changes
        }
    }

    package let relativePath: String
    package let streamCount: Int
    /// By the disk's number.
    private let files: [(disk: Int, writer: MovieFileWriter)]
    /// The same for what comes from several threads: all files get it in one order, and so are the same to the byte. (A monitor of
    /// nothing would do, but ThreadSanitizer takes its change for one of the object itself.)
    private let ordered: ConditionLock<[MovieFileWriter]>

    /// Makes the files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: That it is written to: at least one.
    ///   - relativePath: From the session folder.
    ///   - streams: What packets come for.
    ///   - startedAt: The date of T0, or about that: see `begin`.
    /// - Throws: When a file cannot be made; those of a safety copy fail by themselves.
    package init(_ disks: [RecordingDisk], relativePath: String, streams: [MovieTrack], startedAt: Date)
        throws(FileError)
    {
        precondition(!disks.isEmpty, "a movie is written somewhere")
        self.relativePath = relativePath
        streamCount = streams.count
        var files: [(disk: Int, writer: MovieFileWriter)] = []
        do throws(FileError) {
            for disk in disks {
                files.append(
                    (
                        disk.index,
                        try MovieFileWriter(
                            disk, relativePath: relativePath, streams: streams, startedAt: startedAt)
                    ))
            }
        } catch {
            Self.abandon(files.map(\.writer), streamCount: streams.count)
            throw error
        }
        self.files = files
        ordered = ConditionLock(files.map(\.writer))
    }

    /// Tells the date of T0, once it is known, and when the file begins. Before the first packet.
    package func begin(startedAt: Date, from start: MediaTime = .zero) {
        each { $0.begin(startedAt: startedAt, from: start) }
    }

    func append(_ packet: EncodedPacket, stream: Int) {
        each { $0.append(packet, stream: stream) }
    }

    func finishStream(_ stream: Int) {
        each { $0.finishStream(stream) }
    }

    /// A stream has nothing to send at the split that was asked for last: it is not waited for there.
    func pass(_ stream: Int) {
        each { $0.pass(stream) }
    }

    /// Goes on in new files, where these have not failed or ended.
    package func split(_ part: Part) {
        each { if $0.isOpen { $0.split(part) } }
    }

    private func each(_ body: (MovieFileWriter) -> Void) {
        ordered.withLock { writers in
            for writer in writers { body(writer) }
        }
    }

    /// Takes nothing more on one disk that is shown from a time on, which no stream has come to.
    package func conclude(onDisk index: Int, at time: MediaTime) { file(index)?.conclude(at: time) }

    /// Whether no file has come to the part that was asked for last. What one has come to the others will: all get the same, and a
    /// disk that hangs keeps nobody waiting.
    package var isSplitting: Bool {
        let open = files.filter(\.writer.isOpen)
        return !open.isEmpty && open.allSatisfy(\.writer.isSplitting)
    }

    /// Whether it can go on in a new file.
    package var isOpen: Bool { files.contains { $0.writer.isOpen } }

    /// How long the next packet has waited, for the disk that keeps up best: while one has everything, nothing need be given up.
    package var backlog: Nanoseconds { files.filter(\.writer.isOpen).map(\.writer.backlog).min() ?? .zero }

    /// The file on a disk; `nil` where it is not written there.
    package func file(_ disk: Int) -> MovieFileWriter? { files.first { $0.disk == disk }?.writer }

    /// Tells where all streams end, before the last of them is finished.
    package func setEnd(_ end: MediaTime) {
        for file in files { file.writer.setEnd(end) }
    }

    /// Closes the files with what they have, for a recording that does not begin.
    package func abandon() { Self.abandon(files.map(\.writer), streamCount: streamCount) }

    /// Waits until the files are closed.
    ///
    /// - Returns: What each holds, by the disk's number.
    func join() -> [Int: MovieFileWriter.Result] {
        Dictionary(uniqueKeysWithValues: files.map { ($0.disk, $0.writer.join()) })
    }

    private static func abandon(_ writers: [MovieFileWriter], streamCount: Int) {
        for writer in writers {
            for stream in 0..<streamCount { writer.finishStream(stream) }
            _ = writer.join()
        }
    }
}
