package import FoundationEssentials
internal import Glibc
package import MulticamContainers
package import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Writes the file of one movie in one folder, and its continuation files after splits. Use this type only on
/// the file's thread.
///
/// At a split, each stream switches to the new file independently. Video streams switch at the first key
/// frame at or after the split, and audio streams at the packets around the split. (An audio packet needs its
/// predecessor for decoding; the new file's edit list hides the predecessor.) Streams that have finished or
/// have no packets at the split don't delay the split. When all streams have switched, another thread
/// finalizes the old file while the new one continues. No packet is lost, and no frame or sample is played
/// twice.
package final class SegmentedMovie: SegmentedContent {
    /// An item of the movie's queue. All times are relative to T0.
    package enum Item: Sendable {
        /// Sets the exact date of T0 and the start of the first file.
        case begin(Date, from: MediaTime)
        /// Writes a packet of the stream with this index. The samples in `after`, which precede the packet,
        /// have no packet and play as silence.
        case packet(EncodedPacket, after: AudioFateRun, stream: Int)
        /// Starts a new file.
        case split(Part)
        /// The stream with this index has no packet at the split, so the split doesn't wait for this stream.
        case skipSplit(Int)
        /// Discards packets with a presentation time at or after this time.
        case conclude(MediaTime)
        /// Sets the metadata of all files that are not finalized yet. If several such items are enqueued, the
        /// last one applies.
        case metadata(MovieMetadata)
        /// Sets the cover image (a JPEG) of all files that are not finalized yet.
        case cover(SharedBytes)
        /// No more packets of the stream with this index follow, so that splits don't wait for this stream.
        case stopStream(Int)
        /// Ends the stream with this index. The samples in `after`, which are the last samples of the stream,
        /// have no packet and play as silence.
        case finishStream(Int, after: AudioFateRun)
    }

    /// A file that continues the previous one from `start`.
    package struct Part: Sendable {
        /// Path of the file relative to the session folder.
        package let relativePath: String
        /// Start of the file, relative to T0.
        package let start: MediaTime
        /// New parameters of the streams that change at the split, such as a different frame size, by stream index.
        package var changes: [Int: StreamParameters] = [:]

        /// Describes a part. Each parameter sets the property of the same name.
        package init(relativePath: String, start: MediaTime, changes: [Int: StreamParameters] = [:]) {
            self.relativePath = relativePath
            self.start = start
            self.changes = changes
        }
    }

    /// A range of a stream that was dropped because the disk was too slow.
    package struct Shed: Sendable, Equatable {
        /// Presentation time of the first dropped packet, relative to T0; never negative.
        package let from: MediaTime
        /// End of the last dropped packet, relative to T0.
        package let to: MediaTime
        /// Number of dropped packets.
        package let count: Int
    }

    /// The record, for each stream, of the packets that were dropped before they reached the queue. The
    /// enqueuing thread maintains this record. Dropped frames are counted in the result; dropped audio
    /// becomes silence in the file.
    package struct Intake: Sendable {
        let streams: [MovieTrack]
        var shedding: [PacketShedding]
        /// For each audio stream, the samples that have no packet and haven't been enqueued as silence yet.
        var silence: [AudioFateRun]

        init(_ streams: [MovieTrack]) {
            silence = Array(repeating: AudioFateRun(), count: streams.count)
            self.streams = streams
            shedding = streams.map { PacketShedding(needsKeys: $0.needsKeys) }
        }
    }

    private let relativePath: String
    private var streams: [MovieTrack]
    /// Description of each stream in the file that starts at the current split.
    private var nextStreams: [MovieTrack]
    private var startedAt: Date
    private let folder: SessionFolder
    private let hooks: FileWriteHooks
    private let finishing: PartFinalizer
    /// Time limit relative to T0: packets at or after this time are discarded. `nil` writes packets until the
    /// end of the recording.
    private var conclusion: MediaTime?
    /// End of all streams, relative to T0. If the value is `nil`, each stream ends with its last packet.
    private var end: MediaTime?
    /// The file that is being written. If the file could not be created or was abandoned, the value is `nil`,
    /// and all packets are discarded.
    private var current: MovieSegment?
    /// The file that starts at the current split and that some streams haven't reached yet; `nil` if no split
    /// is in progress.
    private var next: MovieSegment?
    /// A pending part that starts with changed parameters of a stream. The part was requested while an earlier split
    /// was waiting for that stream.
    private var pendingPart: Part?
    /// The continuation files, in order.
    package private(set) var parts: [Part] = []
    /// The first error that occurred while a part was created; `nil` if no error has occurred. After the
    /// error, the previous file continues.
    package private(set) var splitFailure: FileError?
    /// Number of packets of each stream in the files that `fail` abandoned.
    package private(set) var abandonedCounts: [Int]
    /// Ledgers of each stream's content in the files that `fail` abandoned, and of the discarded content.
    package private(set) var ledgers: [StreamLedger]
    /// Whether each stream has reached the next file.
    private var hasSwitched: [Bool]
    /// Number of streams that have not ended.
    private var openCount: Int
    private var isFinished: [Bool]
    /// Index of the next sample of each audio stream, counted from T0; 0 for video.
    private var nextSample: [Int64]
    /// The last packet of each audio stream; `nil` for video.
    private var lastAudio: [EncodedPacket?]
    /// The metadata of the movie, with times relative to T0; `nil` if no metadata has been set.
    private var metadata: MovieMetadata?
    private var cover: SharedBytes?

    /// Creates a movie without its first file, which `makeFirst` creates.
    ///
    /// - Parameters:
    ///   - disk: The disk with the session folder for the files.
    ///   - relativePath: Path of the first file relative to the session folder.
    ///   - streams: Descriptions of the streams of packets.
    ///   - startedAt: The approximate date of T0.
    ///   - finishing: Finalizes the file that each split completes.
    init(
        _ disk: RecordingDisk, relativePath: String, streams: [MovieTrack], startedAt: Date,
        finishing: PartFinalizer
    ) {
        self.relativePath = relativePath
        self.finishing = finishing
        hooks = disk.writeHooks
        folder = disk.folder
        self.streams = streams
        nextStreams = streams
        self.startedAt = startedAt
        openCount = streams.count
        ledgers = Array(repeating: StreamLedger(), count: streams.count)
        abandonedCounts = Array(repeating: 0, count: streams.count)
        hasSwitched = Array(repeating: false, count: streams.count)
        isFinished = hasSwitched
        lastAudio = Array(repeating: nil, count: streams.count)
        nextSample = Array(repeating: 0, count: streams.count)
    }

    /// Creates the first file, which starts at T0.
    ///
    /// - Throws: `FileError` if the file cannot be created.
    package func makeFirst() throws(FileError) {
        current = try segment(relativePath, streams, from: .zero)
    }

    /// Processes an item of the queue. Packets are discarded if no file is open.
    ///
    /// - Returns: Whether the item completes a split, because all streams have reached the next file or the next file
    ///   could not be created.
    /// - Throws: `FileError` if nothing more can be written.
    package func process(_ item: Item) throws(FileError) -> Bool {
        var isSplit = next != nil
        switch item {
        case .begin(let date, let start): begin(startedAt: date, from: start)
        case .packet(let packet, let silence, let stream):
            appendSilence(silence, stream: stream)
            try append(packet, stream: stream)
        case .split(let part):
            try split(part)
            isSplit = true
        case .skipSplit(let stream): try skipSplit(stream: stream)
        case .conclude(let time): conclusion = time
        case .metadata(let notes):
            self.metadata = notes
            applyMetadata()
        case .cover(let cover):
            self.cover = cover
            applyMetadata()
        case .stopStream(let stream): try stop(stream)
        case .finishStream(let stream, let silence):
            appendSilence(silence, stream: stream)
            openCount -= 1
            try stop(stream)
        }
        return isSplit && next == nil
    }

    /// Whether all streams have ended.
    package var isComplete: Bool { openCount <= 0 }

    private func segment(
        _ relativePath: String, _ tracks: [MovieTrack], from start: MediaTime
    ) throws(FileError) -> MovieSegment {
        let segment = try MovieSegment(
            in: folder, relativePath: relativePath, streams: tracks,
            timecode: streams.timecode(at: startedAt),
            createdAt: startedAt.addingTimeInterval(Nanoseconds(start.nanoseconds).inSeconds), start: start,
            disk: hooks)
        if let completeMetadata { segment.setMetadata(completeMetadata) }
        return segment
    }

    /// The most recent metadata, including the cover image.
    private var completeMetadata: MovieMetadata? {
        guard let cover else { return metadata }
        var whole = metadata ?? MovieMetadata()
        whole.cover = cover
        return whole
    }

    private func applyMetadata() {
        guard let completeMetadata else { return }
        for segment in [current, next] { segment?.setMetadata(completeMetadata) }
    }

    /// Sets the date of T0 and the start of the first file, before the first packet is written.
    private func begin(startedAt: Date, from start: MediaTime) {
        self.startedAt = startedAt
        current?.begin(at: start, timecode: streams.timecode(at: startedAt), createdAt: startedAt)
    }

    private func append(_ packet: EncodedPacket, stream: Int) throws(FileError) {
        if streams[stream].isAudio {
            nextSample[stream] = max(packet.presentation, 0) + Int64(packet.samples.count)
        }
        let limit = limit(ofStream: stream)
        guard current != nil, packet.presentation < limit else {
            return ledgers[stream].dropped.add(packet)
        }
        do throws(FileError) {
            try startPendingPart(with: packet, stream: stream)
        } catch {
            ledgers[stream].dropped.add(packet)
            throw error
        }
        guard let current = self.current else { return ledgers[stream].dropped.add(packet) }
        let samples = packet.samples(before: limit)
        ledgers[stream].dropped.add(packet.samples.dropFirst(samples.count))
        guard let next else {
            try current.append(packet, stream: stream, samples: samples)
            recordLastAudio(packet, stream: stream)
            return
        }
        let origin = next.origin(ofStream: stream)
        if streams[stream].isAudio {
            try appendAudio(
                packet, samples: samples, stream: stream, from: current, to: next, origin: origin)
        } else if hasSwitched[stream] || (packet.isKey && packet.presentation >= origin) {
            hasSwitched[stream] = true
            try next.append(packet, stream: stream)
        } else {
            try current.append(packet, stream: stream)
        }
        recordLastAudio(packet, stream: stream)
        try completeSplitIfReady()
    }

    /// Returns a stream's time limit, at or after which packets are discarded, in ticks of the stream's time
    /// scale since T0.
    private func limit(ofStream stream: Int) -> Int64 {
        conclusion.map { streams[stream].ticks(at: $0) } ?? .max
    }

    private func stop(_ stream: Int) throws(FileError) {
        // Splits don't wait for a stream that was stopped.
        isFinished[stream] = true
        try completeSplitIfReady()
    }

    /// Counts samples of an audio stream that have no packet. The samples are counted in the file that
    /// contains the stream's last packet.
    private func appendSilence(_ fates: AudioFateRun, stream: Int) {
        guard !fates.isEmpty else { return }
        let file = hasSwitched[stream] ? next : current
        let played =
            file == nil
            ? AudioFateRun() : fates.prefix(Int(clamping: limit(ofStream: stream) - nextSample[stream]))
        nextSample[stream] += Int64(fates.count)
        file?.appendSilence(played, stream: stream)
        ledgers[stream].dropped.add(fates.dropFirst(played.count))
    }

    /// Starts the pending part when the first packet with the changed parameters arrives. From then on, the
    /// previous split no longer waits for this stream.
    private func startPendingPart(with packet: EncodedPacket, stream: Int) throws(FileError) {
        guard let part = pendingPart, part.changes[stream] != nil, packet.isKey,
            packet.presentation >= streams[stream].ticks(at: part.start)
        else { return }
        pendingPart = nil
        try completeSplit()
        try split(part)
    }

    /// Declares that a stream has no packets at the split. The next packet of the stream belongs to the new file.
    private func skipSplit(stream: Int) throws(FileError) {
        guard next != nil else { return }
        hasSwitched[stream] = true
        try completeSplitIfReady()
    }

    /// Starts a new file, and completes an earlier split that is still waiting for a stream. If the parameters of a
    /// stream change, the new file starts with the first packet that has the new parameters.
    ///
    /// If the new file cannot be created, the old file continues, and the error is stored in `splitFailure`.
    ///
    /// - Throws: `FileError` if the new file cannot be created and the parameters of a stream change, so that the old
    ///   file cannot continue.
    private func split(_ part: Part) throws(FileError) {
        if let next {
            if part.start <= next.start, !hasSwitched.contains(true) {
                // The new part replaces the previous part.
                abandonNext()
            } else if pendingPart == nil, part.changes.keys.contains(where: { !hasSwitched[$0] }) {
                // The stream may still deliver packets with its current parameters for the previous split.
                pendingPart = part
                return
            } else {
                // The packets that would have completed the previous split were dropped, so the movie doesn't
                // wait for them.
                try completeSplit()
            }
        }
        guard current != nil, next == nil else { return }
        nextStreams = streams.indices.map { index in
            streams[index].continued(
                priming: priming(ofStream: index, at: part.start), as: part.changes[index])
        }
        do throws(FileError) {
            next = try segment(part.relativePath, nextStreams, from: part.start)
            parts.append(part)
        } catch {
            guard part.changes.isEmpty else { throw error }
            splitFailure = splitFailure ?? error
        }
    }

    /// Writes all pending packets to disk. Removes a new part that no stream has reached or that starts at or
    /// after the end.
    ///
    /// - Parameter end: End of all streams, relative to T0. If the value is `nil`, each stream ends with its last
    ///   packet.
    /// - Throws: `FileError` if the file cannot be written.
    package func writeRest(until end: MediaTime?) throws(FileError) {
        self.end = conclusion.map { conclusion in end.map { min($0, conclusion) } ?? conclusion } ?? end
        if let next, !hasSwitched.contains(true) || self.end.map({ $0 <= next.start }) ?? false {
            abandonNext()
        }
        if let next { switchFile(to: next) }
        try current?.writeRest(until: self.end)
    }

    /// Finalizes the last file and verifies it.
    ///
    /// - Returns: The outcome of finalizing the last file; `nil` if no file is open.
    package func close() -> PartFinalizer.Outcome? { current?.close(at: end, isContinued: false) }

    /// The expected next write of the open file; `nil` if the next write can't be predicted. During a split,
    /// when the packets are distributed over two files, the value is `nil` unless every packet is written
    /// immediately.
    package var rhythm: WriteSchedule? {
        let rhythm = current?.file.writeSchedule
        return next == nil || rhythm?.remainingPackets == 1 ? rhythm : nil
    }

    /// Number of bytes needed to finalize the open files now.
    package var finishingByteCount: Int64 {
        [current, next].compactMap { $0?.file.finishingByteCount }.reduce(0, +)
    }

    /// Time up to which all streams are in the open file, relative to T0; `nil` if no file is open.
    package var writtenEnd: MediaTime? {
        current.map { $0.start.advanced(by: Nanoseconds($0.file.writtenEnd.nanoseconds)) }
    }

    /// Abandons the open files after an error. The files stay fragmented and can be played up to their last fragment.
    package func fail() {
        for segment in [current, next].compactMap(\.self) {
            abandonedCounts = zip(abandonedCounts, segment.sampleCounts).map(+)
            for (stream, ledger) in segment.ledgers(isFinished: false).enumerated() {
                ledgers[stream].add(ledger)
            }
            segment.file.abandon()
        }
        current = nil
        next = nil
        pendingPart = nil
    }

    /// Returns the ranges of each stream that were dropped because the disk was too slow, in order.
    package static func shed(_ intake: Intake) -> [[Shed]] {
        zip(intake.streams, intake.shedding).map { track, shedding in
            shedding.droppedRanges.map {
                Shed(
                    from: max(track.time(ofTicks: $0.from), .zero), to: track.time(ofTicks: $0.to),
                    count: $0.count)
            }
        }
    }

    /// Ends all streams of a movie's file, so that the file's thread closes the file.
    package static func end(_ file: FileWriter<SegmentedMovie>) {
        for stream in 0..<file.streamCount { file.finishStream(stream) }
    }

    /// Writes an audio packet around a split. The packet that spans the split is written to both files, and each file
    /// plays its own samples.
    private func appendAudio(
        _ packet: EncodedPacket, samples: AudioFateRun, stream: Int, from old: MovieSegment,
        to new: MovieSegment, origin: Int64
    ) throws(FileError) {
        let own = samples.prefix(packet.samples(before: origin).count)
        if packet.presentation < origin { try old.append(packet, stream: stream, samples: own) }
        guard packet.presentation + packet.duration > origin else { return }
        if !hasSwitched[stream], let before = lastAudio[stream] {
            try new.append(before, stream: stream, samples: AudioFateRun())
        }
        hasSwitched[stream] = true
        try new.append(packet, stream: stream, samples: samples.dropFirst(own.count))
    }

    private func recordLastAudio(_ packet: EncodedPacket, stream: Int) {
        if streams[stream].isAudio { lastAudio[stream] = packet }
    }

    /// Returns the duration of the audio in the new file's first packets that precedes the split.
    ///
    /// - Parameters:
    ///   - index: Index of the stream in the file, starting at 0.
    ///   - start: Time of the split, relative to T0.
    /// - Returns: The duration in ticks of the stream's time scale. The value is 0 for video, and for audio
    ///   streams that are still empty.
    private func priming(ofStream index: Int, at start: MediaTime) -> Int64 {
        let parameters = streams[index].parameters
        guard streams[index].isAudio, let last = lastAudio[index] else { return 0 }
        let origin = start.ticks(perSecond: parameters.timeScale)
        // Packets are contiguous, so all packets have the same phase.
        let phase = (origin - last.presentation) % last.duration
        return (phase < 0 ? phase + last.duration : phase) + last.duration
    }

    /// Removes the new file of a split if it has received no packets, or only packets at or after the end.
    private func abandonNext() {
        guard let next else { return }
        next.file.abandon()
        for (stream, ledger) in next.ledgers(isFinished: false).enumerated() {
            ledgers[stream].dropped.add(ledger.written)
            ledgers[stream].dropped.add(ledger.dropped)
        }
        next.file.containedFile.discard()
        self.next = nil
        parts.removeLast()
    }

    /// Completes the current split without waiting for the remaining streams.
    private func completeSplit() throws(FileError) {
        hasSwitched = hasSwitched.map { _ in true }
        try completeSplitIfReady()
    }

    private func completeSplitIfReady() throws(FileError) {
        // If all streams have finished before reaching the new file, the new file would be empty.
        guard let next, hasSwitched.contains(true),
            streams.indices.allSatisfy({ hasSwitched[$0] || isFinished[$0] })
        else { return }
        switchFile(to: next)
        hasSwitched = hasSwitched.map { _ in false }
        guard let part = pendingPart else { return }
        pendingPart = nil
        try split(part)
    }

    /// Passes the current file to the finalization thread and continues with `next`.
    private func switchFile(to next: MovieSegment) {
        if let current {
            // After this point, only the finalization thread uses the file.
            nonisolated(unsafe) let left = current
            let end = next.start
            finishing.add(byteCount: left.file.finishingByteCount) { left.close(at: end, isContinued: true) }
        }
        current = next
        streams = nextStreams
        self.next = nil
    }
}
