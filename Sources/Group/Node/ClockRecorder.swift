internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Writes clock measurements for the current recording. Call `record` from only one thread.
final class ClockRecorder: Sendable {
    private let journal: NodeJournal
    private let output: String
    private let present = ConditionLock<(recording: String, log: ClockLog)?>(nil)

    /// Number of clock readings between updates of the maximum values in the journal.
    private static let readingsPerSave = 10

    init(_ journal: NodeJournal, output: String) { (self.journal, self.output) = (journal, output) }

    /// Records a chrony measurement and the time of the reading. The reading is `nil` while no measurement is
    /// available.
    func record(_ reading: GroupClockReading?, at now: ClockPair) {
        present.withLock { present in
            guard let entry = journal.running, let folder = entry.folder, let start = entry.t0_monotonic_ns
            else {
                if let (recording, log) = present { journal.update(recording) { $0.clock = log.largest } }
                present = nil
                return
            }
            if present?.recording != entry.recording {
                do throws(GroupError) {
                    let log = try ClockLog(
                        in: folder, of: output, from: ClockTime(nanoseconds: start), after: entry.clock)
                    present = (entry.recording, log)
                } catch {
                    present = nil
                }
            }
            guard let reading, let log = present?.log else { return }
            log.write(reading, at: now)
            if log.largest.map({ $0.readings % Self.readingsPerSave == 1 }) ?? false {
                journal.update(entry.recording) { $0.clock = log.largest }
            }
        }
    }
}

/// Writes this computer's clock measurements to `clock.ndjson` in the session folder, and tracks the maximum
/// values of the measurements.
final class ClockLog {
    /// A line of `clock.ndjson`.
    private struct Line: Encodable {
        /// Nanoseconds since the node's T0, on CLOCK_MONOTONIC.
        let at_ns: Int64
        let source: String
        let offset_ns: Int64
        let bound_ns: Int64
        let root_delay_ns: Int64
        let root_dispersion_ns: Int64
        let ppm: Double
        let age_ns: Int64
        let steps: Int
    }

    private let file: OwnedDescriptor
    private let start: ClockTime
    /// Difference between the group's time and CLOCK_MONOTONIC at this log's first reading.
    private var firstDistance: Nanoseconds?
    private(set) var largest: GroupClockSummary?

    /// Opens the clock file of a session folder. If the file exists, new lines are appended to it.
    ///
    /// - Parameters:
    ///   - folder: Name of the session folder.
    ///   - output: The folder that contains the session folder.
    ///   - start: T0 on CLOCK_MONOTONIC.
    ///   - before: Summary of the measurements that an earlier process made during the same recording; `nil`
    ///     if there are none.
    /// - Throws: `GroupError` if the file can't be opened.
    init(
        in folder: String, of output: String, from start: ClockTime, after before: GroupClockSummary?
    ) throws(GroupError) {
        do throws(FileError) {
            let place = try ContainedFile("\(folder)/clock.ndjson", in: output)
            file =
                try place.exists
                ? place.openForUpdate(O_WRONLY | O_APPEND) : place.create(O_WRONLY | O_APPEND)
        } catch {
            throw GroupError("\(error)", status: 7)
        }
        self.start = start
        largest = before
    }

    /// Writes a clock reading to the file.
    ///
    /// - Parameters:
    ///   - reading: The chrony measurement to write.
    ///   - now: The current time on both clocks.
    func write(_ reading: GroupClockReading, at now: ClockPair) {
        let line = JSONText.line(
            Line(
                at_ns: (now.monotonic - start).count, source: reading.source, offset_ns: reading.offset_ns,
                bound_ns: reading.bound_ns, root_delay_ns: reading.root_delay_ns,
                root_dispersion_ns: reading.root_dispersion_ns, ppm: reading.ppm, age_ns: reading.age_ns,
                steps: reading.steps))
        // If the disk is full, lines are dropped, because the recording needs the remaining space.
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
        updateSummary(with: reading, at: now)
    }

    private func updateSummary(with reading: GroupClockReading, at now: ClockPair) {
        let distance = now.distance + Nanoseconds(reading.offset_ns)
        let before = firstDistance ?? distance
        firstDistance = before
        guard var largest else {
            largest = GroupClockSummary(
                source: reading.source, max_offset_ns: Nanoseconds(reading.offset_ns).magnitude.count,
                max_bound_ns: reading.bound_ns, max_age_ns: reading.age_ns, steps: reading.steps, drift_ns: 0,
                readings: 1)
            return
        }
        largest.source = reading.source
        largest.max_offset_ns = max(largest.max_offset_ns, Nanoseconds(reading.offset_ns).magnitude.count)
        largest.max_bound_ns = max(largest.max_bound_ns, reading.bound_ns)
        largest.max_age_ns = max(largest.max_age_ns, reading.age_ns)
        largest.steps = max(largest.steps, reading.steps)
        largest.drift_ns = (distance - before).count
        largest.readings += 1
        self.largest = largest
    }
}

/// Sends the group's time to the node's recorder once per second, so that the session clock follows the
/// group's time. Supply readings from a single thread. An unresponsive recorder doesn't block that thread.
final class ClockFeed: Sendable {
    private struct State {
        /// The next measurement to send.
        var next: (at: ClockTime, utc: Int64, bound: Int64)?
        /// Number of clock steps so far, and number of readings still to be skipped after the last step,
        /// while chrony's measurement settles.
        var (steps, unsteady) = (0, 0)
        var isOver = false
    }

    private let state = ConditionLock(State())

    /// Number of readings that are skipped after each clock step.
    private static let unsteadyReadings = 5

    /// Starts sending the group's time to a recorder.
    ///
    /// - Parameter recorder: The recorder that receives the group's time.
    init(_ recorder: RecorderSupervisor) {
        MediaThread.startWhenPossible(name: "group:report") { [state] in
            while true {
                let next = state.wait { state -> (at: ClockTime, utc: Int64, bound: Int64)?? in
                    if state.isOver { return .some(nil) }
                    defer { state.next = nil }
                    return state.next.map { .some($0) }
                }
                guard let (at, utc, bound) = next else { return }
                do throws(GroupError) {
                    // The recorder counts rejected measurements in its manifest.
                    _ = try recorder.send(["clock", "at=\(at.nanoseconds)", "utc=\(utc)", "bound=\(bound)"])
                } catch {
                    // No recorder is running, or the recorder is an older version.
                }
            }
        }
    }

    /// Enqueues a chrony measurement for the recorder.
    ///
    /// - Parameters:
    ///   - reading: The reading; `nil` if no measurement is available.
    ///   - now: Time of the reading.
    func enqueue(_ reading: GroupClockReading?, at now: ClockPair) {
        guard let reading, now.monotonic.nanoseconds >= 0, now.utc >= 0 else { return }
        state.broadcast { state in
            if reading.steps != state.steps {
                (state.steps, state.unsteady) = (reading.steps, Self.unsteadyReadings)
            }
            guard state.unsteady == 0 else {
                state.unsteady -= 1
                return
            }
            state.next = (
                now.monotonic, max((Nanoseconds(now.utc) + Nanoseconds(reading.offset_ns)).count, 0),
                reading.bound_ns
            )
        }
    }

    func end() { state.broadcast { $0.isOver = true } }
}
