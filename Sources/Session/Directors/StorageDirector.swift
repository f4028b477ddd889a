internal import MulticamContainers
internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamSessionFolder
internal import MulticamWriters

/// Monitors the disks of a recording: reports failures, losses and low disk space, and ends the files on each
/// disk in time. Use this type only on the timeline's thread.
final class StorageDirector {
    private struct Place {
        let disk: RecordingDisk
        /// Reads the disk's state; `nil` for the recording's own disk, which the pressure monitor already
        /// reads.
        let host: HostMonitor?
        var monitor = StorageMonitor()
        var conclusion: (at: MediaTime, reason: FileError)?
        var reportedFailures: Set<String> = []
        /// The last reported number of losses in each file, by the file's path, and the time until which
        /// further losses in that file are not reported.
        var reportedLosses: [String: (count: Int64, until: MediaTime)] = [:]
    }

    private var places: [Place]
    private let outputs: SessionOutputs
    private let delay: Nanoseconds
    private var due = MediaTime.zero
    private var failuresDue = MediaTime.zero
    private var events: [SessionEvent] = []

    /// Time from the decision to end the files on a disk to the end of those files, in nanoseconds. No output
    /// has processed ticks that far in the future.
    private static let lead: Int64 = 100_000_000
    private static let interval: Int64 = 1_000_000_000
    private static let failureInterval: Int64 = 100_000_000
    /// Interval after which continuing losses are reported again, in nanoseconds.
    private static let lossReportInterval: Int64 = 30_000_000_000

    /// Starts monitoring the disks.
    ///
    /// - Parameters:
    ///   - outputs: The files and their disks.
    ///   - host: Reads the state of disks. If the value is `nil`, disks are used until they are full.
    ///   - clock: The session clock.
    ///   - delay: The alignment delay.
    init(_ outputs: SessionOutputs, host: (any HostReading)?, clock: any SessionClock, delay: Nanoseconds) {
        self.outputs = outputs
        self.delay = delay
        places = outputs.disks.map { disk in
            Place(
                disk: disk,
                host: disk.index == 0
                    ? nil : host.map { HostMonitor($0, clock: clock, folder: disk.folder.path) })
        }
    }

    /// Checks for failures ten times per second, checks disk space and losses once per second, and responds
    /// to problems. Call this method as the timeline advances.
    ///
    /// - Parameters:
    ///   - report: The last reading of the computer's state, including the recording's own disk.
    ///   - position: Progress of the recording.
    /// - Returns: The events to send.
    func update(with report: HostMonitor.Report?, at position: MediaTime) -> [SessionEvent] {
        let isDue = position >= due
        if isDue { due = MediaTime(nanoseconds: position.nanoseconds + Self.interval) }
        guard isDue || position >= failuresDue else { return [] }
        failuresDue = MediaTime(nanoseconds: position.nanoseconds + Self.failureInterval)
        for index in places.indices where places[index].conclusion == nil {
            reportFailures(index, at: position)
            if places[index].disk.reservedSpace.wasNeeded { conclude(index, at: position) }
            guard isDue, places[index].conclusion == nil else { continue }
            checkSpace(
                index, places[index].disk.index == 0 ? report : places[index].host?.report, at: position)
            reportLosses(index, at: position)
        }
        mustEnd = isOver
        defer { events.removeAll() }
        return events
    }

    /// Whether the last check found no writable disk.
    private(set) var mustEnd = false

    /// Returns the reason why the files on a disk end before the recording does, or `nil` if they last until
    /// the end of the recording.
    func conclusion(ofDisk index: Int) -> FileError? { places[index].conclusion?.reason }

    /// Stops monitoring, and releases the disk space reserved for finalizing the files.
    func finish() {
        for place in places {
            place.host?.stop()
            place.disk.reservedSpace.finish()
        }
    }

    /// Whether the recording writes files, but no file can be continued.
    private var isOver: Bool { !places.isEmpty && !places.indices.contains(where: canContinue) }

    private func canContinue(_ index: Int) -> Bool {
        guard places[index].conclusion == nil else { return false }
        let disk = places[index].disk.index
        return outputs.movies(onDisk: disk).contains { $0.file.failure == nil }
            || outputs.waves(onDisk: disk).contains { $0.file.failure == nil }
    }

    private func checkSpace(_ index: Int, _ report: HostMonitor.Report?, at position: MediaTime) {
        guard let report else { return }
        let disk = places[index].disk
        let finishing =
            outputs.movies(onDisk: disk.index).map(\.file.finishingByteCount)
            + outputs.waves(onDisk: disk.index).map(\.file.finishingByteCount)
        let finding = places[index].monitor.evaluate(
            report.state.disk, readAt: report.at, finishing: finishing,
            held: disk.reservedSpace.reservedBytes,
            delay: delay)
        disk.reservedSpace.reserve(places[index].monitor.bytesToReserve)
        switch finding {
        case nil: break
        case .atReserve: conclude(index, at: position)
        case .runsOut(let minutes, let timeLeft):
            let left = Int64(rounding: timeLeft.inSeconds / 60, .down)
            let time = left == 0 ? "less than a minute" : left == 1 ? "one minute" : "\(left) minutes"
            warn(
                "\(disk.folder.path.printable()): the disk has space left for \(time) of recording. Free some space. When the disk is "
                    + "full, multicam stops the recording and finishes its files.", at: position,
                minutes: Int64(minutes), freeBytes: report.state.disk?.freeBytes ?? 0)
        }
    }

    /// Ends the files on a disk. If another disk is still in use, the files end at a time that no stream has
    /// reached yet. If no other disk is in use, the recording ends.
    private func conclude(_ index: Int, at position: MediaTime) {
        let disk = places[index].disk
        let time = MediaTime(nanoseconds: position.nanoseconds + Self.lead)
        let reason = FileError(
            path: disk.folder.path, operation: "recording",
            detail:
                "the disk is full except for the space reserved to complete the files. The files are complete up to this point. Free "
                + "some space, or choose another disk\(onCommandLine(" with `\(disk.index == 0 ? "--output" : "--backup")`"))."
        )
        places[index].conclusion = (time, reason)
        if isOver {
            warn(reason.description, at: position)
            return
        }
        for writer in outputs.writers.values { writer.conclude(onDisk: disk.index, at: time) }
        let sample = time.ticks(perSecond: Int64(AudioFormat.sessionRate))
        for wave in outputs.waves { wave.conclude(onDisk: disk.index, at: sample) }
        let open = places.indices.filter(canContinue)
        let others = open.map { places[$0].disk.folder.path.printable() }
        let rest =
            open.allSatisfy { places[$0].disk.content == .program } ? "Only the program" : "The recording"
        warn(
            "\(reason) \(rest) continues in \(others.joined(separator: " and ")).", at: position)
    }

    private func reportFailures(_ index: Int, at position: MediaTime) {
        let disk = places[index].disk
        let failures =
            outputs.movies(onDisk: disk.index).flatMap { path, file in
                [file.failure, file.splitFailure].map { (path, $0) }
            }
            + outputs.waves(onDisk: disk.index).flatMap { path, file in
                [file.failure, file.splitFailure].map { (path, $0) }
            }
        for (path, failure) in failures {
            guard let failure, places[index].reportedFailures.insert(failure.description).inserted else {
                continue
            }
            let rest =
                isOver
                ? "No other folder is available to continue the recording."
                : "The rest of the recording continues."
            warn("\(failure) \(rest)", at: position, file: path)
        }
    }

    /// Reports the data that was lost because a disk is too slow.
    private func reportLosses(_ index: Int, at position: MediaTime) {
        let disk = places[index].disk
        let losses =
            outputs.movies(onDisk: disk.index).map {
                ($0.path, Int64($0.file.shedCount), "frames or audio blocks")
            }
            + outputs.waves(onDisk: disk.index).map { ($0.path, $0.file.silencedCount, "samples") }
        for (path, count, what) in losses {
            let reported = places[index].reportedLosses[path]
            guard count > reported?.count ?? 0, reported.map({ position >= $0.until }) ?? true else {
                continue
            }
            places[index].reportedLosses[path] = (
                count, MediaTime(nanoseconds: position.nanoseconds + Self.lossReportInterval)
            )
            warn(
                "\(disk.folder.path.printable())/\(path): the disk is too slow, and the memory buffer is full. "
                    + "\(count) \(what) have been dropped so far. Use a faster disk, or record less data.",
                at: position, file: path, droppedCount: count)
        }
    }

    private func warn(
        _ text: String, at position: MediaTime, file: String? = nil, droppedCount: Int64? = nil,
        minutes: Int64? = nil, freeBytes: Int64? = nil
    ) {
        let warning = SessionEvent.Warning(
            text: text, file: file, left_out: droppedCount, disk_minutes: minutes, free_bytes: freeBytes)
        events.append(SessionEvent(.warning(warning), at: position))
    }
}
