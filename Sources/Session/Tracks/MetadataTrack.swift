internal import MulticamInputs
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamTiming
internal import MulticamWriters

/// Passes the metadata of each frame of one camera, from T0 to the end, to files and taps. Use this type only
/// on the timeline's thread, until the timeline has ended.
final class MetadataTrack {
    /// The camera whose metadata is recorded.
    let input: CameraInput
    private let start: ClockTime
    private let taps: TapRegistry
    /// The files, one in each folder of the recording.
    private let files: [(disk: Int, file: MetadataFile)]
    private var pendingEntries: [FrameLog.Entry] = []
    private var hasBegun = false
    /// The camera's current outage, from its first report with the current cause.
    private var outage: CameraOutage?
    private var events: [SessionEvent] = []
    private var reportedFailures: Set<Int> = []
    private var hasReportedOverflow = false

    /// Maximum number of entries that wait until the recording reaches their capture time. The maximum equals
    /// the capacity of the camera's log.
    private static let maxPendingEntries = 1024

    /// Creates the metadata track of one camera.
    ///
    /// - Parameters:
    ///   - input: The camera, which must have been created with `keepsLog`.
    ///   - start: T0. Metadata of earlier frames is dropped.
    ///   - taps: The registry of the caller's taps.
    ///   - files: The files to write, starting with the recording's own. The list is empty if no file is
    ///     written.
    init(input: CameraInput, start: ClockTime, taps: TapRegistry, files: [(disk: Int, file: MetadataFile)]) {
        self.input = input
        self.start = start
        self.taps = taps
        self.files = files
    }

    /// Records outages from the camera's deliveries. Frames and losses come from the camera's log.
    func receive(_ deliveries: [CameraInput.Delivery]) {
        for delivery in deliveries {
            switch delivery {
            // Frames that were lost earlier are recorded from the camera's log.
            case .away(let outage): if self.outage?.cause != outage.cause { self.outage = outage }
            case .returned: outage = nil
            case .frame, .lost, .warning, .formatChanged, .silent, .resumed: break
            }
        }
    }

    /// Passes the metadata of frames captured before a time to the files and taps.
    ///
    /// - Parameter position: Time up to which ticks have been processed, relative to T0. The recording can't
    ///   end before this time.
    func advance(to position: MediaTime) {
        let (entries, leftOut, remarks) = input.drainLog()
        pendingEntries += entries
        // Entries omitted before the first call are not reported, because nothing dequeues entries before
        // that call.
        if hasBegun, leftOut > 0 { reportOverflow(at: position) }
        hasBegun = true
        for remark in remarks {
            warn(at: max(MediaTime(remark.at, since: start), .zero), remark.text)
        }
        let due = pendingEntries.prefix { MediaTime($0.capturedAt, since: start) < position }.count
        // An entry with a capture time in the future must not block the other entries.
        let ready = pendingEntries.prefix(max(due, pendingEntries.count - Self.maxPendingEntries))
        pendingEntries.removeFirst(ready.count)
        for entry in ready { deliver(entry, at: position) }
        reportFailure(at: position)
    }

    /// Passes the metadata of frames captured before the end to the files and taps, and ends the files.
    ///
    /// - Parameter end: End of the recording relative to T0.
    func finish(at end: MediaTime) {
        advance(to: end)
        if let outage {
            let since = max(outage.since, start)
            let missing =
                (start + Nanoseconds(end.nanoseconds) - since).count
                / max(input.clockModel.interval.count, 1)
            if missing > 0 {
                deliver(
                    FrameLog.Entry(
                        sequence: nil, capturedAt: since, cause: outage.cause, count: Int(missing)),
                    at: end)
            }
        }
        for place in files { place.file.finish() }
    }

    /// Returns the metadata file on the disk with this index, or `nil` if none exists.
    func file(onDisk index: Int) -> MetadataFile? { files.first { $0.disk == index }?.file }

    /// Returns the warnings about failed files. Call this method after the files are written and the timeline
    /// has ended.
    ///
    /// - Parameter end: End of the recording relative to T0.
    /// - Returns: The warnings since the last call of `dequeueEvents`.
    func conclude(at end: MediaTime) -> [SessionEvent] {
        reportFailure(at: end)
        return dequeueEvents()
    }

    /// Returns the warnings since the last call.
    func dequeueEvents() -> [SessionEvent] {
        defer { events.removeAll() }
        return events
    }

    private func deliver(_ entry: FrameLog.Entry, at position: MediaTime) {
        guard entry.capturedAt >= start else { return }
        let metadata = CameraMetadata(
            sequence: entry.sequence, capturedAt: MediaTime(entry.capturedAt, since: start),
            stamp: entry.stamp.map { MediaTime($0, since: start) },
            arrival: entry.arrival.map { MediaTime($0, since: start) }, lost: entry.cause,
            count: entry.count, headerClock: entry.headerClock, analysis: entry.analysis)
        taps.forward(metadata, of: input.role)
        for place in files where place.file.failureSoFar == nil {
            if !place.file.append(metadata) { reportOverflow(at: position) }
        }
    }

    private func reportFailure(at time: MediaTime) {
        for (disk, file) in files {
            guard let failure = file.failureSoFar, reportedFailures.insert(disk).inserted else { continue }
            warn(
                at: time,
                "the metadata of camera \(input.role) is no longer recorded, but the recording continues. \(failure)"
            )
        }
    }

    private func reportOverflow(at time: MediaTime) {
        guard !hasReportedOverflow else { return }
        hasReportedOverflow = true
        warn(
            at: time,
            "the metadata of camera \(input.role) is incomplete from this point because the disk is too slow. "
                + "The recording is not affected.")
    }

    private func warn(at time: MediaTime, _ text: String) {
        events.append(
            SessionEvent(warning: text.printable(limit: 400), at: time, track: input.role))
    }
}
