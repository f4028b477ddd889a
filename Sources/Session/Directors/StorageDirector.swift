internal import Containers
internal import Media
internal import Monitoring
internal import SessionFolder
internal import Writers

/// Watches the disks of a recording: reports failures, losses and the end of their room, and ends each disk's files
/// in time. Timeline's thread only.
final class StorageDirector {
    private struct Place {
        let disk: RecordingDisk
        /// Reads the state of a disk that the pressure watch does not read; `nil` for the recording's own disk.
        let host: HostWatch?
        var watch = StorageWatch()
        var conclusion: (at: MediaTime, reason: FileError)?
        var toldFailures: Set<String> = []
        /// Losses of each file as told last, by its path, and until when they are not told again.
        var toldLosses: [String: (count: Int64, until: MediaTime)] = [:]
    }

    private var places: [Place]
    private let outputs: SessionOutputs
    private let delay: Nanoseconds
    private var due = MediaTime.zero
    private var failuresDue = MediaTime.zero
    private var events: [SessionEvent] = []

    /// How far ahead the files of a disk end, in nanoseconds: no output has decided so far.
    private static let lead: Int64 = 100_000_000
    private static let interval: Int64 = 1_000_000_000
    private static let failureInterval: Int64 = 100_000_000
    /// Nanoseconds after which losses that go on are told again.
    private static let repetition: Int64 = 30_000_000_000

    /// Starts to watch the disks.
    ///
    /// - Parameters:
    ///   - outputs: The files and their disks.
    ///   - host: Reads the state of disks; `nil` reads nothing, and disks are used to their end.
    ///   - clock: The session clock.
    ///   - delay: The alignment delay.
    init(_ outputs: SessionOutputs, host: (any HostReading)?, clock: any SessionClock, delay: Nanoseconds) {
        self.outputs = outputs
        self.delay = delay
        places = outputs.disks.map { disk in
            Place(
                disk: disk,
                host: disk.index == 0
                    ? nil : host.map { HostWatch($0, clock: clock, folder: disk.folder.path) })
        }
    }

    /// Looks at failures ten times a second, at room and losses once a second, and acts. To be called as the timeline goes on.
    ///
    /// - Parameters:
    ///   - report: The computer's state as read last, with the recording's own disk.
    ///   - position: How far the recording has come.
    /// - Returns: The events to tell.
    func follow(_ report: HostWatch.Report?, at position: MediaTime) -> [SessionEvent] {
        let isDue = position >= due
        if isDue { due = MediaTime(nanoseconds: position.nanoseconds + Self.interval) }
        guard isDue || position >= failuresDue else { return [] }
        failuresDue = MediaTime(nanoseconds: position.nanoseconds + Self.failureInterval)
        for index in places.indices where places[index].conclusion == nil {
            tellFailures(index, at: position)
            if places[index].disk.room.wasNeeded { conclude(index, at: position) }
            guard isDue, places[index].conclusion == nil else { continue }
            look(
                index, places[index].disk.index == 0 ? report : places[index].host?.report, at: position)
            tellLosses(index, at: position)
        }
        mustEnd = isOver
        defer { events.removeAll() }
        return events
    }

    /// Whether no disk was left to write to at the last look.
    private(set) var mustEnd = false

    /// Why a disk's files end before the recording, or `nil` when they do not.
    func conclusion(ofDisk index: Int) -> FileError? { places[index].conclusion?.reason }

    /// Ends the watch, and frees the room that was held on the disks for finishing the files.
    func finish() {
        for place in places {
            place.host?.stop()
            place.disk.room.finish()
        }
    }

    /// Whether files were to be written, and none of them can be written on.
    private var isOver: Bool { !places.isEmpty && !places.indices.contains(where: goesOn) }

    private func goesOn(_ index: Int) -> Bool {
        guard places[index].conclusion == nil else { return false }
        let disk = places[index].disk.index
        return outputs.movies(onDisk: disk).contains { $0.file.failure == nil }
            || outputs.waves(onDisk: disk).contains { $0.file.failure == nil }
    }

    private func look(_ index: Int, _ report: HostWatch.Report?, at position: MediaTime) {
        guard let report else { return }
        let disk = places[index].disk
        let finishing =
            outputs.movies(onDisk: disk.index).map(\.file.finishingByteCount)
            + outputs.waves(onDisk: disk.index).map(\.file.finishingByteCount)
        let finding = places[index].watch.look(
            report.state.disk, readAt: report.at, finishing: finishing, held: disk.room.heldBytes,
            delay: delay)
        disk.room.hold(places[index].watch.toHold)
        switch finding {
        case nil: break
        case .atReserve: conclude(index, at: position)
        case .runsOut(let minutes, let timeLeft):
            let left = Int64(rounding: timeLeft.inSeconds / 60, .down)
            let time = left == 0 ? "less than a minute" : left == 1 ? "one minute" : "\(left) minutes"
            tell(
                "\(disk.folder.path.printable()): the disk has room for \(time) more. Free some space; when the room comes "
                    + "to its end the recording is finished properly.", at: position,
                [
                    "disk_minutes": .integer(Int64(minutes)),
                    "free_bytes": .integer(report.state.disk?.freeBytes ?? 0),
                ])
        }
    }

    /// Ends a disk's files. When another disk goes on, they end at a time that no stream has come to; the last disk
    /// ends the recording.
    private func conclude(_ index: Int, at position: MediaTime) {
        let disk = places[index].disk
        let time = MediaTime(nanoseconds: position.nanoseconds + Self.lead)
        let reason = FileError(
            path: disk.folder.path, operation: "recording on",
            detail:
                "the disk is full but for the room to finish the files, which are whole up to here. Free some space, or "
                + "choose another disk with `\(disk.index == 0 ? "--output" : "--also")`.")
        places[index].conclusion = (time, reason)
        if isOver {
            tell(reason.description, at: position)
            return
        }
        for writer in outputs.writers.values { writer.conclude(onDisk: disk.index, at: time) }
        let sample = time.ticks(perSecond: Int64(AudioFormat.sessionRate))
        for wave in outputs.waves { wave.conclude(onDisk: disk.index, at: sample) }
        let open = places.indices.filter(goesOn)
        let others = open.map { places[$0].disk.folder.path.printable() }
        let what = open.allSatisfy { places[$0].disk.content == .program } ? "program alone" : "recording"
        tell(
            "\(reason) The \(what) goes on in \(others.joined(separator: " and ")).", at: position)
    }

    private func tellFailures(_ index: Int, at position: MediaTime) {
        let disk = places[index].disk
        let failures =
            outputs.movies(onDisk: disk.index).flatMap { path, file in
                [file.failure, file.splitFailure].map { (path, $0) }
            }
            + outputs.waves(onDisk: disk.index).flatMap { path, file in
                [file.failure, file.splitFailure].map { (path, $0) }
            }
        for (path, failure) in failures {
            guard let failure, places[index].toldFailures.insert(failure.description).inserted else {
                continue
            }
            let rest = isOver ? "Nothing is left to record to." : "The rest of the recording goes on."
            tell("\(failure) \(rest)", at: position, ["file": .string(path)])
        }
    }

    /// Reports the losses of a disk that is too slow.
    private func tellLosses(_ index: Int, at position: MediaTime) {
        let disk = places[index].disk
        let losses =
            outputs.movies(onDisk: disk.index).map {
                ($0.path, Int64($0.file.shedCount), "frames or slices of audio")
            }
            + outputs.waves(onDisk: disk.index).map { ($0.path, $0.file.silencedCount, "samples") }
        for (path, count, what) in losses {
            let told = places[index].toldLosses[path]
            guard count > told?.count ?? 0, told.map({ position >= $0.until }) ?? true else { continue }
            places[index].toldLosses[path] = (
                count, MediaTime(nanoseconds: position.nanoseconds + Self.repetition)
            )
            tell(
                "\(disk.folder.path.printable())/\(path): the disk is too slow, and what may wait in memory is full: "
                    + "\(count) \(what) are left out so far. Use a faster disk, or record less.",
                at: position, ["file": .string(path), "left_out": .integer(count)])
        }
    }

    private func tell(_ text: String, at position: MediaTime, _ fields: [String: JSONValue] = [:]) {
        events.append(
            SessionEvent(.warning, at: position, fields.merging(["text": .string(text)]) { $1 }))
    }
}
