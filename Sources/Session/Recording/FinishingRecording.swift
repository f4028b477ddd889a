internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamSystem
internal import MulticamTiming
internal import MulticamWriters

/// A recording after its last tick: the third and last phase. Waits for the encoders, closes the files disk by disk, and
/// reports the outcome, on a thread other than the timeline's.
struct FinishingRecording {
    private let recording: RunningRecording
    /// End of the recording since T0: the time after the last tick.
    let end: MediaTime

    private var context: RecordingContext { recording.context }
    private var outputs: SessionOutputs { recording.outputs }
    /// The disks. The first disk holds the recording itself.
    private var disks: [RecordingDisk] { recording.context.disks }

    /// Takes over a recording from the timeline.
    ///
    /// - Parameters:
    ///   - recording: The recording whose timeline has ended.
    ///   - end: End of the recording relative to T0: the time after the last tick.
    init(recording: RunningRecording, end: MediaTime) {
        self.recording = recording
        self.end = end
    }

    /// Waits for the encoders, and closes the files. Blocks the calling thread.
    ///
    /// - Returns: The outcome of the recording.
    func finish() -> RecordingResult {
        // The loudness meter has almost finished, and the last status must include all of its measurements.
        outputs.meter?.finish()
        outputs.meter?.join()
        recording.reportStatus(at: end, phase: .finishing)
        joinEncoders()
        recording.finish(at: end)
        return closeFiles()
    }

    /// Waits for the encoders and the loudness meter of a session that ran without files. Blocks the calling thread.
    func finishWithoutFiles() {
        recording.outputs.meter?.finish()
        recording.outputs.meter?.join()
        recording.reportStatus(at: end, phase: .finishing)
        joinEncoders()
        recording.context.liveOutputs.end()
    }

    /// Maximum time for encoders to process the frames still queued at the end of a recording.
    private static let encoderTimeout = Nanoseconds.seconds(1)
    /// Maximum time for encoders to finish at the end of a recording, including the frames in x264's lookahead. On a
    /// starved computer, the frames still missing are dropped and counted, so that the recording ends within 3 s.
    private static let flushTimeout = Nanoseconds.seconds(2)
    /// Number of seconds by which `flushTimeout` is reduced for each second of delay. The delay is the lateness of the last
    /// tick, plus the late wake-ups of the monitoring thread. On a computer with such delays, closing the files takes
    /// seconds as well.
    private static let starvationWeight: Int64 = 2

    private func joinEncoders() {
        let workers = recording.outputs.encoderWorkers
        let watcher = startUrgencyMonitor(for: workers)
        for worker in workers { worker.join() }
        for (_, worker) in recording.outputs.namedAudioEncoders { worker.join() }
        watcher.cancel()
    }

    /// Drops queued frames after `encoderTimeout`, and abandons the encoders after `flushTimeout` or within 50 ms of an urgent
    /// stop request, on a separate thread.
    ///
    /// - Returns: A cancellation object that ends the monitoring.
    private func startUrgencyMonitor(for workers: [VideoEncoderWorker]) -> Cancellation {
        let done = Cancellation()
        let controls = recording.context.controls
        // In simulated time, encoders have unlimited time to finish.
        let isRealTime = !workers.contains(where: \.waitsForRoom)
        let due = recording.start + Nanoseconds(end.nanoseconds) + recording.delay
        let lateness = max(recording.context.clock.now - due, .zero)
        MediaThread.startWhenPossible(name: "urgency") {
            let clock = MonotonicClock()
            let start = clock.now
            var delay = lateness
            var isLate = false
            while !controls.isUrgent,
                !isRealTime || clock.now - start + delay * Self.starvationWeight < Self.flushTimeout
            {
                let due = clock.now + .milliseconds(50)
                guard clock.sleep(until: due, unless: done) else { return }
                delay = delay + (clock.now - due)
                guard !isLate, clock.now - start >= Self.encoderTimeout else { continue }
                isLate = true
                for worker in workers { worker.replaceFramesWithRepeats() }
            }
            for worker in workers { worker.abandon() }
        }
        return done
    }

    // MARK: Files

    /// Waits until all files are closed and each disk has its final manifest.
    private func closeFiles() -> RecordingResult {
        let files = closeDisks()
        let concluded = disks.map { $0.folderWriter.waitForConclusion() }
        for disk in disks { recordOutcome(of: concluded, onDisk: disk) }
        return result(concluded, disks.map { (files[$0.index]?.failures ?? []) + $0.folderWriter.finish() })
    }

    /// Writes each disk's final manifest when its files are closed, without waiting for other disks.
    ///
    /// - Returns: The closed files of each disk, by the disk's index.
    private func closeDisks() -> [Int: RecordedFiles] {
        let closings = DiskClosings(outputs)
        var files: [Int: RecordedFiles] = [:]
        var count = 0
        reportClosed(count, of: closings.fileCount)
        for _ in disks {
            let closed = closings.next {
                count += 1
                reportClosed(count, of: closings.fileCount)
            }
            let disk = closed.disk
            for event in outputs.metadata.flatMap({ $0.conclude(at: end) }) {
                context.publish(event)
                // `finished` must be the last event.
                for open in disks where files[open.index] == nil { open.folderWriter.append(event) }
            }
            let own = RecordedFiles(
                removingUnstartedTracks(from: closed),
                conclusion: recording.storage.conclusion(ofDisk: disk.index))
            files[disk.index] = own
            let other = disks.first { $0 !== disk }.map {
                Manifest.OtherFolder(
                    folder: $0.folder.currentPath.printable(),
                    outcome: $0.folderWriter.conclusionSoFar?.outcome ?? .recording)
            }
            var manifest = recording.manifest
            let final = manifest.finish(
                outputs: outputs, files: own, end: end,
                outcome: own.failures.isEmpty ? .finished : .storageFailed, markers: recording.markers,
                stills: recording.stills, pressure: recording.pressureSummary,
                governor: recording.governor, silenceExceeded: recording.silenceExceeded, other: other)
            let report = SyncReport(manifest: final, history: recording.history).document
            disk.folderWriter.conclude(final, report: Data(report.utf8))
        }
        return files
    }

    private func reportClosed(_ count: Int, of fileCount: Int) {
        recording.reportStatus(at: end, phase: .finishing, finishing: (count, fileCount))
    }

    /// Removes the empty files of tracks scheduled to begin after the end of the recording, and returns the remaining
    /// closed files.
    private func removingUnstartedTracks(from closed: DiskClosings.Closed) -> DiskClosings.Closed {
        let cameras = outputs.cameraTracks.filter { track in
            track.counts.written == 0 && outputs.startTimes[track.name].map { $0 >= end } ?? false
        }.compactMap { outputs.places[$0.name]?.file }
        let microphones = outputs.microphoneTracks.filter {
            $0.counts.total == 0 && $0.first > 0 && AudioGrid.samples.time(ofTick: $0.first) >= end
        }
        for path in cameras + microphones.compactMap(\.file?.relativePath) {
            closed.disk.folder.place(of: path).discard()
        }
        return DiskClosings.Closed(
            disk: closed.disk, movies: closed.movies.filter { !cameras.contains($0.key) },
            waves: closed.waves.filter { wave in !microphones.contains { $0.name == wave.key } })
    }

    /// Writes the other disk's outcome to the manifest of a disk that was closed before the outcome was known.
    private func recordOutcome(of concluded: [Manifest], onDisk disk: RecordingDisk) {
        let end = MediaTime(nanoseconds: concluded[disk.index].duration_ns)
        for remark in disk.folderWriter.dequeueRemarks() {
            context.publish(SessionEvent(warning: remark.description, at: end))
        }
        var manifest = concluded[disk.index]
        guard let other = disks.first(where: { $0 !== disk }), let reported = manifest.other_folder,
            reported.outcome != concluded[other.index].outcome
        else { return }
        manifest.other_folder?.outcome = concluded[other.index].outcome
        disk.folderWriter.write(manifest)
    }

    private func result(_ concluded: [Manifest], _ failures: [[FileError]]) -> RecordingResult {
        let backup = disks.dropFirst().first.map {
            RecordingResult.BackupOutcome(
                folder: $0.folder.currentPath, content: $0.content, storageFailures: failures[$0.index])
        }
        var manifest = concluded[0]
        // The last failure may have occurred when the manifest itself was written.
        if !failures[0].isEmpty { manifest.outcome = .storageFailed }
        if concluded.count > 1 { manifest.other_folder?.outcome = concluded[1].outcome }
        return RecordingResult(
            folder: disks[0].folder.currentPath, manifest: manifest, storageFailures: failures[0],
            backup: backup,
            pressureEnd: recording.governor?.endReason,
            simulationTime: context.inputs.simulationTime,
            encodingFailures: outputs.encoderWorkers.compactMap(\.failure)
                + outputs.namedAudioEncoders.compactMap(\.worker.failure)
                + outputs.microphones.compactMap(\.failure))
    }
}

/// Waits until a recording's files are closed, disk by disk. A disk that hangs doesn't delay the others.
final class DiskClosings: Sendable {
    /// The closed files of one disk.
    struct Closed: Sendable {
        /// The disk that holds the files.
        let disk: RecordingDisk
        /// The movies, by their paths relative to the session folder.
        let movies: [String: FileResult<SegmentedMovie>]
        /// The WAVE files, by the names of the microphones' tracks.
        let waves: [String: FileResult<SegmentedWave>]
    }

    private enum Progress: Sendable {
        case fileClosed
        case diskClosed(Closed)
    }

    private let progressQueue: BoundedQueue<Progress>
    /// Number of files on all disks.
    let fileCount: Int

    /// Starts a thread for each disk that closes the disk's files. Don't enqueue packets for the files after this call.
    ///
    /// - Parameter outputs: The recording's files, encoders and tracks.
    init(_ outputs: SessionOutputs) {
        let all = outputs.disks.map { disk in
            (
                disk: disk, movies: outputs.movies(onDisk: disk.index),
                waves: outputs.microphoneTracks.compactMap { track in
                    track.file?.writer(onDisk: disk.index).map { (name: track.name, file: $0) }
                },
                metadata: outputs.metadata.compactMap { $0.file(onDisk: disk.index) }
            )
        }
        fileCount = all.reduce(0) { $0 + $1.movies.count + $1.waves.count + $1.metadata.count }
        let news = BoundedQueue<Progress>(capacity: max(1, fileCount + outputs.disks.count))
        self.progressQueue = news
        for (disk, movies, waves, metadata) in all {
            _ = MediaThread.startOrRunInline(name: "close:\(disk.index)") {
                func closed<Result>(_ result: Result) -> Result {
                    news.enqueue(.fileClosed)
                    return result
                }
                for file in metadata { closed(file.join()) }
                news.enqueue(
                    .diskClosed(
                        Closed(
                            disk: disk,
                            movies: Dictionary(
                                uniqueKeysWithValues: movies.map { ($0.path, closed($0.file.join())) }),
                            waves: Dictionary(
                                uniqueKeysWithValues: waves.map { ($0.name, closed($0.file.join())) }))))
            }
        }
    }

    /// Waits until the files of one more disk are closed. Call this method once for each disk.
    ///
    /// - Parameter fileClosed: Called for each file, on any disk, that is closed while this method waits.
    /// - Returns: The closed files of the next disk to finish.
    func next(_ fileClosed: () -> Void) -> Closed {
        while let next = progressQueue.dequeue() {
            switch next {
            case .fileClosed: fileClosed()
            case .diskClosed(let closed): return closed
            }
        }
        preconditionFailure("the files of this disk are already closed")
    }
}
