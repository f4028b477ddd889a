package import Containers
package import FoundationEssentials
package import Media

/// Writes one movie of a recording to a file on each disk. Thread-safe.
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

/// Writes one movie to one disk. Packets that don't fit in the writer's queue are dropped according to
/// `PacketShedding`.
package typealias MovieFileWriter = FileWriter<SegmentedMovie>

extension MovieFileWriter {
    /// Enqueues a packet for the file, or drops it if the queue is full.
    ///
    /// - Parameters:
    ///   - packet: The packet, with timestamps in ticks of the stream's time scale, relative to T0.
    ///   - stream: Index of the packet's stream in the file, starting at 0.
    func append(_ packet: EncodedPacket, stream: Int) {
        let (isAudio, claim, silence) = shared.withLock { shared in
            (
                shared.intake.streams[stream].isAudio,
                shared.intake.shedding[stream].requiredRoom(isKey: packet.isKey),
                shared.intake.silence[stream]
            )
        }
        let isTaken =
            claim.map { least in
                queue.offer(
                    .packet(packet, after: silence, stream: stream), bytes: packet.bytes.count,
                    as: isAudio ? .audio : .frame(least: least))
            } ?? false
        shared.withLock { shared in
            shared.intake.shedding[stream].record(packet, isAccepted: isTaken)
            if isTaken {
                shared.intake.silence[stream] = AudioFateRun()
            } else {
                shared.intake.silence[stream].append(packet.samples.superseded(by: .disk))
                shared.result.ledgers[stream].dropped.add(packet.fate)
            }
        }
    }

    /// Ends a stream. No further packets of this stream are accepted.
    func finishStream(_ stream: Int) {
        let silence = shared.withLock { shared in
            defer { shared.intake.silence[stream] = AudioFateRun() }
            return shared.intake.silence[stream]
        }
        enqueueCommand(.finishStream(stream, after: silence))
    }

    /// Requests that the movie continue in a new file. No file is created if the current file has failed, or
    /// if it ended before the split.
    func split(_ part: MovieWriter.Part) {
        shared.withLock { $0.isSplitting = true }
        enqueueCommand(.split(part))
    }

    /// Discards all packets whose presentation time is at or after `time`. Later calls are ignored.
    ///
    /// - Parameter time: A time relative to T0 that no stream has reached yet.
    func conclude(at time: MediaTime) {
        shared.withLock { $0.result.conclusion = $0.result.conclusion ?? time }
        enqueueCommand(.conclude(time))
    }

    /// Number of packets, in all streams, that were dropped because the queue was full.
    package var shedCount: Int { shared.withLock { $0.intake.shedding.reduce(0) { $0 + $1.count } } }
}

/// The destination of one stream of packets, which is a movie, a listener, or both. Thread-safe, but the packets of one
/// stream must be appended one at a time.
package struct TrackSink: Sendable {
    /// The movie that contains the stream; `nil` for a stream that isn't written.
    package let writer: MovieWriter?
    /// Index of the stream in the file, starting at 0.
    package let stream: Int
    /// Path of the movie's first file relative to the session folder. For a stream that isn't written, this
    /// is the name of the stream in messages.
    package let name: String

    private let tally = ConditionLock(FateCounts())

    /// Counts of the packets received so far, by fate.
    package var receivedCounts: FateCounts { tally.withLock { $0 } }

    /// A listener that receives each packet in addition to the file. The listener must not block.
    private let listener: (@Sendable (EncodedPacket) -> Void)?
    /// A function that is called when the stream ends, before the stream's file can be finalized.
    private let ending: (@Sendable () -> Void)?

    /// Creates the sink of one stream. Each parameter sets the property of the same name.
    package init(
        writer: MovieWriter, stream: Int, listener: (@Sendable (EncodedPacket) -> Void)? = nil,
        ending: (@Sendable () -> Void)? = nil
    ) {
        self.ending = ending
        self.writer = writer
        self.stream = stream
        self.listener = listener
        name = writer.relativePath
    }

    /// Creates the sink of a stream that isn't written.
    ///
    /// - Parameters:
    ///   - name: Name of the stream in messages.
    ///   - listener: A closure that receives each packet. The closure must not block.
    package init(named name: String, listener: @escaping @Sendable (EncodedPacket) -> Void) {
        writer = nil
        ending = nil
        stream = 0
        self.name = name
        self.listener = listener
    }

    /// Enqueues a packet for the movie's files. If the queue of a file is full, the packet is dropped from that file.
    ///
    /// - Parameter packet: The packet, with timestamps in ticks of the stream's time scale, relative to T0.
    package func append(_ packet: EncodedPacket) {
        if let fate = packet.fate { tally.withLock { $0.add(fate) } }
        listener?(packet)
        writer?.append(packet, stream: stream)
    }

    /// Declares that this stream has no packets at the most recently requested split, so that the split
    /// doesn't wait for this stream.
    package func skipSplit() { writer?.skipSplit(stream) }

    /// Ends the file early, at a time relative to T0, if this stream is the only one in the file.
    package func endIfOnlyStream(at time: MediaTime) {
        if let writer, writer.streamCount == 1 { writer.setEnd(time) }
    }

    /// Declares that no more packets follow, so that splits don't wait for this stream. The stream must still
    /// be ended with `finish`.
    package func stop() { writer?.stop(stream) }

    /// Counts the next samples, which have no packet. The files play silence instead of these samples.
    package func appendSilence(_ fates: AudioFateRun) {
        if !fates.isEmpty { writer?.appendSilence(fates, stream: stream) }
    }

    /// Ends the stream. No further packets are accepted.
    package func finish() {
        ending?()
        writer?.finishStream(stream)
    }
}
