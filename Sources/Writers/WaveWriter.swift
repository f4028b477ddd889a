package import FoundationEssentials
internal import Glibc
package import MulticamContainers
package import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Writes one microphone's audio to a WAV file on each disk. Use this type only on the timeline's thread
/// until the writer is joined.
package typealias WaveWriter = MirroredFileWriter<SegmentedWave>

extension WaveWriter {
    /// Creates the WAV files and starts their threads.
    ///
    /// - Parameters:
    ///   - disks: The disks to write to. There must be at least one.
    ///   - relativePath: Path of the first file relative to the session folder.
    ///   - channels: Number of audio channels.
    ///   - startedAt: The approximate date of the first sample. `begin` sets the exact date.
    /// - Throws: `FileError` if the file in the recording's own folder cannot be created. An error in the
    ///   backup's folder ends only the file in the backup.
    package convenience init(
        _ disks: [RecordingDisk], relativePath: String, channels: Int, startedAt: Date
    ) throws(FileError) {
        try self.init(disks, relativePath: relativePath, streamCount: 1) { (disk) throws(FileError) in
            let finishing = PartFinalizer(of: relativePath)
            return try FileWriter(
                disk,
                SegmentedWave(
                    disk, relativePath: relativePath, channels: channels, startedAt: startedAt,
                    finishing: finishing),
                streamCount: 1,
                intake: SegmentedWave.Intake(limits: disk.memory.limits),
                finishing: finishing)
        }
    }

    /// Sets the exact start of the audio. Call this method before the first samples are enqueued.
    ///
    /// - Parameters:
    ///   - startedAt: The date of the first sample.
    ///   - first: Index of the first sample per channel, counted from T0.
    package func begin(startedAt: Date, from first: Int64 = 0) {
        forEachWriter { $0.begin(startedAt: startedAt, from: first) }
    }

    /// Enqueues samples on each disk, or silence of the same length if the queue is full.
    ///
    /// - Parameter block: The next samples of the microphone.
    package func append(_ block: AudioBlock) {
        forEachWriter { $0.append(block) }
    }

    /// Continues in a new file on each disk whose file has neither failed nor ended.
    ///
    /// - Parameter part: Path and first sample of the new file.
    package func split(_ part: Part) {
        forEachWriter { if $0.isOpen { $0.split(part) } }
    }

    /// Ends the audio on one disk. On this disk, samples at and after an index are discarded.
    ///
    /// - Parameters:
    ///   - index: Index of the disk: 0 for the recording, 1 for the backup.
    ///   - sample: Index of the first sample to discard, per channel and counted from T0. Samples that the
    ///     writer has already received are not discarded.
    package func conclude(onDisk index: Int, at sample: Int64) { writer(onDisk: index)?.conclude(at: sample) }

    /// Ends the audio on each disk. The files are closed when all queued samples have been written.
    package func finish() {
        forEachWriter { $0.finish() }
    }
}

/// Writes one microphone's audio to one disk. Audio that doesn't fit in the writer's queue is replaced with
/// silence of the same length. The queue holds 40 s of stereo audio.
package typealias WaveFileWriter = FileWriter<SegmentedWave>

extension WaveFileWriter {
    /// Sets the exact date of the first sample and its index, counted from T0. Call this method before the
    /// first samples are enqueued.
    func begin(startedAt: Date, from first: Int64) {
        shared.withLock { $0.intake.position = first }
        enqueueCommand(.begin(startedAt, from: first))
    }

    /// Enqueues the next samples. If the queue is full, silence of the same length is recorded instead of the
    /// samples.
    ///
    /// - Parameter block: The next samples of the microphone.
    func append(_ block: AudioBlock) {
        let (position, limits, conclusion) = shared.withLock {
            ($0.intake.position, $0.intake.limits, $0.result.conclusion)
        }
        let rest = conclusion.map { max(0, $0 - position) } ?? .max
        let kept = block[0..<Int(min(Int64(block.count), rest))]
        if kept.count < block.count {
            shared.withLock { $0.result.ledgers[0].dropped.add(block.fates.dropFirst(kept.count)) }
        }
        guard kept.count > 0 else { return }
        // Only this thread adds audio to the queue, so there is still enough space after the silence is enqueued.
        let byteCount = kept.samples.count * 4
        let isTaken = limits.hasRoom(forAudio: byteCount, file: queue.byteCount)
        if isTaken {
            enqueueSilence()
            _ = queue.offer(.samples(kept), bytes: byteCount, as: .audio)
        }
        shared.withLock { $0.intake.advance(by: kept.fates, isAccepted: isTaken) }
    }

    /// Continues in a new file, starting with the next sample.
    ///
    /// - Parameter part: Path and first sample of the new file.
    func split(_ part: WaveWriter.Part) {
        enqueueSilence()
        enqueueCommand(.split(part))
    }

    /// Discards all samples at and after an index counted from T0, except samples that the writer has already
    /// received. Later calls are ignored.
    func conclude(at sample: Int64) {
        shared.withLock { $0.result.conclusion = $0.result.conclusion ?? max(sample, $0.intake.position) }
    }

    /// Ends the audio. The thread closes the file when all queued samples have been written.
    func finish() {
        enqueueSilence()
        queue.finish()
    }

    /// Enqueues all pending dropped samples as one item of silence.
    private func enqueueSilence() {
        let missing = shared.withLock { shared in
            defer { shared.intake.missing = AudioFateRun() }
            return shared.intake.missing
        }
        if !missing.isEmpty { enqueueCommand(.silence(missing)) }
    }

    /// Number of samples per channel that were dropped because the queue was full.
    package var silencedCount: Int64 {
        shared.withLock { $0.intake.silenced.reduce(0) { $0 + Int64($1.count) } }
    }
}

extension FileResult<SegmentedWave> {
    /// Number of samples per channel, summed over all files.
    package var sampleCount: Int64 { Int64(counts[0]) }
    /// Ranges of samples that were replaced with silence because the disk was too slow, as indices counted
    /// from T0.
    package var silenced: [Range<Int64>] { shed[0] }
}

/// Writes the WAV file of one microphone in one folder, and its continuation files after splits. Use this
/// type only on the file's thread.
package final class SegmentedWave: SegmentedContent {
    /// An item of the WAV file's queue.
    package enum Item: Sendable {
        /// Sets the exact date of T0, and the index of the first sample, counted from T0.
        case begin(Date, from: Int64)
        /// Writes a block of samples.
        case samples(AudioBlock)
        /// Writes silent samples with these fates instead of dropped audio.
        case silence(AudioFateRun)
        /// Begins a new file.
        case split(Part)
    }

    /// A file that continues the previous one.
    package struct Part: Sendable {
        /// Path of the file relative to the session folder.
        package let relativePath: String
        /// Index of the file's first sample per channel, counted from T0, at 48 000 samples per second.
        package let firstSample: Int64

        /// Describes a part. Each parameter sets the property of the same name.
        package init(relativePath: String, firstSample: Int64) {
            self.relativePath = relativePath
            self.firstSample = firstSample
        }
    }

    /// The record of received samples, and of samples that were dropped before they reached the queue. The enqueuing
    /// thread maintains this record.
    package struct Intake: Sendable {
        let limits: WriteLimits
        /// Index of the next sample to receive per channel, counted from T0.
        var position: Int64 = 0
        /// The fates of dropped samples that haven't been enqueued as silence yet.
        var missing = AudioFateRun()
        /// Ranges of dropped samples as indices counted from T0, in order. Adjacent ranges are merged.
        private(set) var silenced: [Range<Int64>] = []

        init(limits: WriteLimits) { self.limits = limits }

        /// Records that samples were received, and whether they were enqueued or dropped.
        mutating func advance(by fates: AudioFateRun, isAccepted: Bool) {
            let begin = position
            position += Int64(fates.count)
            guard !isAccepted else { return }
            missing.append(fates.superseded(by: .disk))
            if let last = silenced.indices.last, silenced[last].upperBound == begin {
                silenced[last] = silenced[last].lowerBound..<position
            } else {
                silenced.append(begin..<position)
            }
        }
    }

    private let channels: Int
    /// The date of T0.
    private var startedAt: Date
    private let make: (Part, _ startedAt: Date) throws(FileError) -> WaveFile
    private let finishing: PartFinalizer
    /// The file that is being written; `nil` if the first file could not be created.
    private var file: WaveFile?
    private var relativePath: String
    private var hasFailed = false
    /// Counts of the samples in the open file.
    private var ledger = WaveLedger()
    /// Counts of the samples that were discarded.
    private var discarded = StreamLedger()
    /// Index of the open file's first sample, counted from T0.
    private var firstSample: Int64 = 0
    /// The continuation files, in order.
    package private(set) var parts: [Part] = []
    /// The first error that occurred while a part was created; `nil` if no error has occurred. After the
    /// error, the previous file continues.
    package private(set) var splitFailure: FileError?

    /// Creates a WAV recording without its first file, which `makeFirst` creates.
    ///
    /// - Parameters:
    ///   - disk: The disk with the session folder for the files.
    ///   - relativePath: Path of the first file relative to the session folder.
    ///   - channels: Number of audio channels.
    ///   - startedAt: The approximate date of the first sample.
    ///   - finishing: Finalizes the file that each split completes.
    init(
        _ disk: RecordingDisk, relativePath: String, channels: Int, startedAt: Date, finishing: PartFinalizer
    ) {
        self.channels = channels
        self.startedAt = startedAt
        self.relativePath = relativePath
        self.finishing = finishing
        let (folder, hooks) = (disk.folder, disk.writeHooks)
        make = { (part, startedAt) throws(FileError) in
            try WaveFile(
                try folder.file(part.relativePath), channels: channels, startedAt: startedAt,
                from: part.firstSample, disk: hooks)
        }
    }

    /// Creates the first file.
    ///
    /// - Throws: `FileError` if the file cannot be created.
    package func makeFirst() throws(FileError) {
        file = try make(Part(relativePath: relativePath, firstSample: firstSample), startedAt)
    }

    /// Processes an item of the queue. The item is discarded if no file is open or a write has failed.
    ///
    /// - Returns: Always `false`, because a split of a WAV file doesn't wait for other streams.
    /// - Throws: `FileError` if the file cannot be written.
    package func process(_ item: Item) throws(FileError) -> Bool {
        // If the file doesn't exist, items are discarded so that they don't use memory.
        guard let file, !hasFailed else {
            switch item {
            case .samples(let block): discarded.dropped.add(block.fates)
            case .silence(let fates): discarded.dropped.add(fates)
            case .begin, .split: break
            }
            return false
        }
        switch item {
        case .begin(let date, let first):
            (startedAt, firstSample) = (date, first)
            try file.begin(startedAt: date, from: first)
        case .samples(let block):
            ledger.append(block.fates, written: file.writtenSampleCount)
            try file.append(samples: block.samples)
        case .silence(let fates):
            ledger.append(fates, written: file.writtenSampleCount)
            try appendSilence(fates.count, to: file)
        case .split(let part): split(file, to: part)
        }
        return false
    }

    /// Discards all later items after an error.
    package func fail() { hasFailed = true }

    /// Whether all streams have ended. The value is always `false`, because a WAV file ends with the end of
    /// the queue.
    package var isComplete: Bool { false }
    /// The expected next write of the open file; `nil` if the next write can't be predicted.
    package var rhythm: WriteSchedule? { hasFailed ? nil : file?.writeSchedule }
    /// Number of bytes needed to finalize the open file now.
    package var finishingByteCount: Int64 { file?.finishingByteCount ?? 0 }
    /// Time up to which the samples are in the open file, relative to T0; `nil` if no file is open.
    package var writtenEnd: MediaTime? {
        guard !hasFailed, let file else { return nil }
        return FrameRate(Int64(AudioFormat.sessionRate)).time(ofTick: firstSample + file.writtenSampleCount)
    }
    /// Number of samples in abandoned files. The value is always 0, because a WAV file is closed and its
    /// samples are counted even after a failure.
    package var abandonedCounts: [Int] { [0] }
    /// Ledger of the discarded content. Other content is counted when the file is closed, even after a
    /// failure.
    package var ledgers: [StreamLedger] { [discarded] }

    /// Writes all pending samples to disk.
    ///
    /// - Parameter end: Not used, because a WAV file ends with its last queued sample.
    /// - Throws: `FileError` if the file cannot be written.
    package func writeRest(until end: Int64?) throws(FileError) { try file?.writeRest() }

    /// Finalizes the last file and verifies it.
    ///
    /// - Returns: The outcome of finalizing the last file; `nil` if the first file could not be created.
    package func close() -> PartFinalizer.Outcome? {
        file.map { Self.close($0, named: relativePath, ledger) }
    }

    /// Returns the ranges of dropped samples of the only stream, as indices counted from T0.
    package static func shed(_ intake: Intake) -> [[Range<Int64>]] { [intake.silenced] }

    /// Ends the audio of a WAV file, so that the file's thread closes the file.
    package static func end(_ file: FileWriter<SegmentedWave>) { file.finish() }

    /// Starts a new file. If the new file cannot be created, the old file continues, and the error is stored
    /// in `splitFailure`.
    private func split(_ file: WaveFile, to part: Part) {
        do throws(FileError) {
            let following = try make(part, startedAt)
            // After this point, only the finalization thread uses the file.
            nonisolated(unsafe) let last = file
            let (lastPath, lastLedger) = (relativePath, ledger)
            finishing.add(byteCount: last.finishingByteCount) {
                Self.close(last, named: lastPath, lastLedger)
            }
            (self.file, relativePath, firstSample) = (following, part.relativePath, part.firstSample)
            ledger = WaveLedger()
            parts.append(part)
        } catch {
            splitFailure = splitFailure ?? error
        }
    }

    /// Finalizes a WAV file and verifies it.
    private static func close(
        _ file: WaveFile, named relativePath: String, _ ledger: WaveLedger
    ) -> PartFinalizer.Outcome {
        var outcome = PartFinalizer.Outcome(sampleCounts: [])
        do throws(FileError) {
            try file.finish()
            outcome.closed = ClosedFile(
                relativePath: relativePath, byteCount: file.byteCount, checksum: file.checksum,
                fault: FileVerification.fault(expecting: file.byteCount, in: file.reader))
        } catch {
            outcome.failure = error
        }
        outcome.sampleCounts = [Int(file.sampleCount)]
        outcome.ledgers = [ledger.closed(written: file.sampleCount)]
        return outcome
    }

    /// Writes `count` silent samples per channel in blocks of one second, so that an hour of silence uses little
    /// memory.
    private func appendSilence(_ count: Int, to file: WaveFile) throws(FileError) {
        var rest = count
        while rest > 0 {
            let step = min(rest, AudioFormat.sessionRate)
            try file.append(samples: [Float](repeating: 0, count: step * channels))
            rest -= step
        }
    }
}
