package import Foundation
package import Media

/// One microphone's audio, with a file on each disk. Timeline's thread, until joined.
package typealias WaveWriter = FilesOnDisks<SegmentedWave>

extension WaveWriter {
    /// Makes the files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: That it is written to: at least one.
    ///   - relativePath: From the session folder.
    ///   - channels: Of the track.
    ///   - startedAt: The date of its first sample, or about that: see `begin`.
    /// - Throws: When a file cannot be made; that of a safety copy fails by itself.
    package convenience init(
        _ disks: [RecordingDisk], relativePath: String, channels: Int, startedAt: Date
    ) throws(FileError) {
        try self.init(disks, relativePath: relativePath, streamCount: 1) { (disk) throws(FileError) in
            let finishing = PartFinishing(of: relativePath)
            return try FileWriter(
                disk,
                SegmentedWave(
                    disk, relativePath: relativePath, channels: channels, startedAt: startedAt,
                    finishing: finishing),
                streamCount: 1,
                intake: SegmentedWave.Intake(channels: channels, limits: disk.memory.limits),
                finishing: finishing)
        }
    }

    /// Tells where it begins, once that is known. Before the first samples.
    ///
    /// - Parameters:
    ///   - startedAt: The date of its first sample.
    ///   - first: That sample's number in the recording.
    package func begin(startedAt: Date, from first: Int64 = 0) {
        each { $0.begin(startedAt: startedAt, from: first) }
    }

    package func append(_ samples: [Float]) {
        each { $0.append(samples) }
    }

    /// Goes on in new files, where these have not failed or ended.
    package func split(_ part: Part, startedAt: Date) {
        each { if $0.isOpen { $0.split(part, startedAt: startedAt) } }
    }

    /// Takes nothing more on one disk from a sample on that has not come.
    package func conclude(onDisk index: Int, at sample: Int64) { file(index)?.conclude(at: sample) }

    package func finish() {
        each { $0.finish() }
    }
}
