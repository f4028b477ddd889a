package import FoundationEssentials
package import Media

/// Writes one microphone's audio to a wave file on each disk. Timeline's thread only, until joined.
package typealias WaveWriter = FilesOnDisks<SegmentedWave>

extension WaveWriter {
    /// Creates the wave files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: The disks to write to, at least one.
    ///   - relativePath: Path of the first file relative to the session folder.
    ///   - channels: Number of channels.
    ///   - startedAt: The approximate date of the first sample; `begin` sets the exact one.
    /// - Throws: `FileError` when the file in the recording's own folder cannot be created; an error of the safety copy ends the
    ///   copy's file alone.
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

    /// Sets the exact start of the audio. To be called before the first samples.
    ///
    /// - Parameters:
    ///   - startedAt: The date of the first sample.
    ///   - first: Index of the first sample since T0, per channel.
    package func begin(startedAt: Date, from first: Int64 = 0) {
        each { $0.begin(startedAt: startedAt, from: first) }
    }

    /// Queues samples on each disk, or silence of the same length where the queue has no room.
    ///
    /// - Parameter samples: Samples interleaved by channel, at 48 000 samples per second and channel.
    package func append(_ samples: [Float]) {
        each { $0.append(samples) }
    }

    /// Continues in a new file on each disk whose file has neither failed nor ended.
    ///
    /// - Parameters:
    ///   - part: Path and first sample of the new file.
    ///   - startedAt: The date of the new file's first sample.
    package func split(_ part: Part, startedAt: Date) {
        each { if $0.isOpen { $0.split(part, startedAt: startedAt) } }
    }

    /// Ends the audio on one disk: samples from an index on are discarded there.
    ///
    /// - Parameters:
    ///   - index: Index of the disk: 0 for the recording's own, 1 for the safety copy's.
    ///   - sample: Index since T0 of the first sample to discard, per channel; no sample that already came is discarded.
    package func conclude(onDisk index: Int, at sample: Int64) { file(index)?.conclude(at: sample) }

    /// Ends the audio on each disk, so that the files are closed once their queues are empty.
    package func finish() {
        each { $0.finish() }
    }
}
