package import FoundationEssentials
package import MulticamContainers
package import MulticamMedia

/// Writes one movie of a recording to a file on each disk, with a `MovieFileWriter` per disk. Thread-safe.
package typealias MovieWriter = MirroredFileWriter<SegmentedMovie>

extension MovieWriter {
    /// Creates the movie's files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: The disks to write to. There must be at least one.
    ///   - relativePath: Path of the first file relative to the session folder.
    ///   - streams: Descriptions of the streams of packets.
    ///   - startedAt: The approximate date of T0. `begin` sets the exact date.
    /// - Throws: `FileError` if the file in the recording's own folder cannot be created. An error in the
    ///   backup's folder ends only the file in the backup.
    package convenience init(
        _ disks: [RecordingDisk], relativePath: String, streams: [MovieTrack], startedAt: Date
    ) throws(FileError) {
        try self.init(disks, relativePath: relativePath, streamCount: streams.count) {
            (disk) throws(FileError) in
            let finishing = PartFinalizer(of: relativePath)
            return try FileWriter(
                disk,
                SegmentedMovie(
                    disk, relativePath: relativePath, streams: streams, startedAt: startedAt,
                    finishing: finishing),
                streamCount: streams.count, intake: SegmentedMovie.Intake(streams), finishing: finishing)
        }
    }

    /// Sets the exact date of T0 and the start of the file. Call this method before the first packet is
    /// enqueued.
    ///
    /// - Parameters:
    ///   - startedAt: The date of T0.
    ///   - start: Start of the file, relative to T0.
    package func begin(startedAt: Date, from start: MediaTime = .zero) {
        forEachWriter { $0.enqueueCommand(.begin(startedAt, from: start)) }
    }

    /// Enqueues a packet on each disk. If the queue of a disk is full, the packet is dropped on that disk.
    ///
    /// - Parameters:
    ///   - packet: The packet, with timestamps in ticks of the stream's time scale, relative to T0.
    ///   - stream: Index of the packet's stream in the file, starting at 0.
    func append(_ packet: EncodedPacket, stream: Int) {
        forEachWriter { $0.append(packet, stream: stream) }
    }

    /// Ends a stream. No further packets of this stream are accepted.
    func finishStream(_ stream: Int) {
        forEachWriter { $0.finishStream(stream) }
    }

    /// Declares that no more packets of a stream follow, so that splits don't wait for this stream. The
    /// stream must still be ended with `finishStream`.
    func stop(_ stream: Int) {
        forEachWriter { $0.enqueueCommand(.stopStream(stream)) }
    }

    /// Counts the next samples of an audio stream, which have no packet. The files play silence instead of
    /// these samples.
    func appendSilence(_ fates: AudioFateRun, stream: Int) {
        forEachWriter { file in file.shared.withLock { $0.intake.silence[stream].append(fates) } }
    }

    /// Declares that a stream has no packets at the most recently requested split, so that the split doesn't
    /// wait for this stream.
    func skipSplit(_ stream: Int) {
        forEachWriter { $0.enqueueCommand(.skipSplit(stream)) }
    }

    /// Continues in a new file on each disk whose file has neither failed nor ended.
    ///
    /// - Parameter part: Path and start of the new file.
    package func split(_ part: Part) {
        forEachWriter { if $0.isOpen { $0.split(part) } }
    }

    /// Sets the metadata of the movie's files that are not finalized yet. Each call replaces the previous
    /// metadata.
    ///
    /// - Parameter notes: The metadata, with times relative to T0.
    package func setMetadata(_ notes: MovieMetadata) { forEachWriter { $0.enqueueCommand(.metadata(notes)) } }

    /// Sets the cover image (a JPEG) of the movie's files that are not finalized yet.
    package func setCover(_ cover: SharedBytes) { forEachWriter { $0.enqueueCommand(.cover(cover)) } }

    /// Ends the movie on one disk. On this disk, packets whose presentation time is at or after `time` are
    /// discarded.
    ///
    /// - Parameters:
    ///   - index: Index of the disk: 0 for the recording, 1 for the backup.
    ///   - time: A time relative to T0 that no stream has reached yet.
    package func conclude(onDisk index: Int, at time: MediaTime) { writer(onDisk: index)?.conclude(at: time) }
}
