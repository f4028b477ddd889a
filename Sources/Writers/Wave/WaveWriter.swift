package import Foundation
package import Media

/// One microphone's sound: its file in the recording's folder, and in that of a safety copy. Each has a thread, a queue and
/// failures of its own. Timeline's thread, until joined.
package final class WaveWriter: Sendable {
    /// A file that continues the one before it.
    package struct Part: Sendable {
        package let relativePath: String
        /// Its place in the recording.
        package let firstSample: Int64

        package init(relativePath: String, firstSample: Int64) {
            self.relativePath = relativePath
            self.firstSample = firstSample
        }
    }

    package let relativePath: String
    /// By the disk's number.
    private let files: [(disk: Int, writer: WaveFileWriter)]

    /// Makes the files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: That it is written to: at least one.
    ///   - relativePath: From the session folder.
    ///   - channels: Of the track.
    ///   - startedAt: The date of its first sample, or about that: see `begin`.
    /// - Throws: When a file cannot be made; that of a safety copy fails by itself.
    package init(_ disks: [RecordingDisk], relativePath: String, channels: Int, startedAt: Date)
        throws(FileError)
    {
        precondition(!disks.isEmpty, "a microphone's audio is written somewhere")
        self.relativePath = relativePath
        var files: [(disk: Int, writer: WaveFileWriter)] = []
        do throws(FileError) {
            for disk in disks {
                files.append(
                    (
                        disk.index,
                        try WaveFileWriter(
                            disk, relativePath: relativePath, channels: channels, startedAt: startedAt)
                    ))
            }
        } catch {
            Self.abandon(files.map(\.writer))
            throw error
        }
        self.files = files
    }

    /// Tells where it begins, once that is known. Before the first samples.
    ///
    /// - Parameters:
    ///   - startedAt: The date of its first sample.
    ///   - first: That sample's number in the recording.
    package func begin(startedAt: Date, from first: Int64 = 0) {
        for file in files { file.writer.begin(startedAt: startedAt, from: first) }
    }

    package func append(_ samples: [Float]) {
        for file in files { file.writer.append(samples) }
    }

    /// Goes on in new files, where these have not failed or ended.
    package func split(_ part: Part, startedAt: Date) {
        for file in files where file.writer.isOpen { file.writer.split(part, startedAt: startedAt) }
    }

    /// Takes nothing more on one disk from a sample on that has not come.
    package func conclude(onDisk index: Int, at sample: Int64) { file(index)?.conclude(at: sample) }

    package func finish() {
        for file in files { file.writer.finish() }
    }

    /// How long the next samples have waited, for the disk that keeps up best.
    package var backlog: Nanoseconds { files.filter(\.writer.isOpen).map(\.writer.backlog).min() ?? .zero }

    /// Whether it can go on in a new file.
    package var isOpen: Bool { files.contains { $0.writer.isOpen } }

    /// The file on a disk; `nil` where it is not written there.
    package func file(_ disk: Int) -> WaveFileWriter? { files.first { $0.disk == disk }?.writer }

    /// Waits until the files are closed.
    ///
    /// - Returns: What each holds, by the disk's number.
    func join() -> [Int: WaveFileWriter.Result] {
        Dictionary(uniqueKeysWithValues: files.map { ($0.disk, $0.writer.join()) })
    }

    /// Closes the files with what they have, for a recording that does not begin.
    package func abandon() { Self.abandon(files.map(\.writer)) }

    private static func abandon(_ writers: [WaveFileWriter]) {
        for writer in writers {
            writer.finish()
            _ = writer.join()
        }
    }
}
