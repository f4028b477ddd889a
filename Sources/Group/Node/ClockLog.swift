internal import FileSystem
internal import Glibc
internal import Media
internal import SessionFolder

/// Writes what was measured of this computer's clock into the session folder, as `clock.ndjson`, and keeps the largest values.
final class ClockLog {
    /// A line of `clock.ndjson`.
    private struct Line: Encodable {
        /// Nanoseconds since the node's own T0, by CLOCK_MONOTONIC.
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
    /// The group's time less CLOCK_MONOTONIC at the first reading.
    private var first: Nanoseconds?
    private(set) var largest: GroupClockSummary?

    /// Opens the file of a session folder; it goes on where an earlier process has ended.
    ///
    /// - Parameters:
    ///   - folder: The session folder.
    ///   - start: T0 on CLOCK_MONOTONIC.
    ///   - before: What an earlier process has measured of the same recording.
    /// - Throws: `GroupError` when it cannot be opened.
    init(in folder: String, from start: ClockTime, after before: GroupClockSummary?) throws(GroupError) {
        let path = folder + "/clock.ndjson"
        let number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard number >= 0 else {
            throw GroupError("\(path.printable()) cannot be written: \(String(cString: strerror(errno))).")
        }
        file = OwnedDescriptor(owning: number)
        self.start = start
        largest = before
    }

    /// Writes a reading.
    ///
    /// - Parameters:
    ///   - reading: What chrony has measured.
    ///   - now: The present instant on both clocks.
    func write(_ reading: ClockReading, at now: ClockPair) {
        let line = JSONText.line(
            Line(
                at_ns: (now.monotonic - start).count, source: reading.source, offset_ns: reading.offset_ns,
                bound_ns: reading.bound_ns, root_delay_ns: reading.root_delay_ns,
                root_dispersion_ns: reading.root_dispersion_ns, ppm: reading.ppm, age_ns: reading.age_ns,
                steps: reading.steps))
        // What finds no room is left out: the recording itself needs the disk.
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
        note(reading, at: now)
    }

    private func note(_ reading: ClockReading, at now: ClockPair) {
        let distance = now.distance + Nanoseconds(reading.offset_ns)
        let before = first ?? distance
        first = before
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
