internal import Inputs
internal import Media
internal import SessionFolder
internal import Timing
internal import Writers

/// Hands the metadata of each frame of one camera, from T0 to the end, to files and taps. Timeline's thread only, until the
/// timeline has ended.
final class MetadataTrack {
    /// The camera.
    let input: CameraInput
    private let start: ClockTime
    private let taps: TapBoard
    /// The files, one in each folder of the recording.
    private let files: [(disk: Int, file: MetadataFile)]
    private var waiting: [FrameLog.Entry] = []
    private var hasBegun = false
    private var absence: (since: ClockTime, cause: LossCause)?
    private var events: [SessionEvent] = []
    private var toldFailures: Set<Int> = []
    private var hasToldOfCrowding = false

    /// Most entries that wait for their time: as many as the camera's log holds.
    private static let mostWaiting = 1024

    /// Creates the metadata track of one camera.
    ///
    /// - Parameters:
    ///   - input: The camera, which must keep its log.
    ///   - start: T0; metadata of earlier frames is dropped.
    ///   - taps: Sinks of the calling program.
    ///   - files: The files to write, the recording's own first; empty for none.
    init(input: CameraInput, start: ClockTime, taps: TapBoard, files: [(disk: Int, file: MetadataFile)]) {
        self.input = input
        self.start = start
        self.taps = taps
        self.files = files
    }

    /// Notes outages in the camera's deliveries; frames and losses come from the camera's log.
    func take(_ deliveries: [CameraInput.Delivery]) {
        for delivery in deliveries {
            switch delivery {
            case .away(let time, _, let ledger): leave(at: time, ledger)
            case .ended(let time, _): leave(at: time, .away)
            case .returned: absence = nil
            case .frame, .lost, .warning, .formatChanged: break
            }
        }
    }

    /// Notes the beginning of an absence. The camera's log has the frames that were lost for an earlier cause.
    private func leave(at time: ClockTime, _ cause: LossCause) {
        if absence?.cause != cause { absence = (time, cause) }
    }

    /// Hands the metadata of frames captured before a time to the files and taps.
    ///
    /// - Parameter position: The time since T0 that is decided; the recording cannot end before it.
    func advance(to position: MediaTime) {
        let (entries, leftOut, remarks) = input.takeLog()
        waiting += entries
        // Before the first call nobody took any entries.
        if hasBegun, leftOut > 0 { tellOfCrowding(at: position) }
        hasBegun = true
        for remark in remarks {
            warn(at: max(MediaTime(remark.at, since: start), .zero), remark.text)
        }
        let due = waiting.prefix { MediaTime($0.capturedAt, since: start) < position }.count
        // An entry that stays in the future must not hold up the others.
        let ready = waiting.prefix(max(due, waiting.count - Self.mostWaiting))
        waiting.removeFirst(ready.count)
        for entry in ready { give(entry, at: position) }
        tellOfFailure(at: position)
    }

    /// Hands the metadata of frames captured before the end to the files and taps, and ends the files.
    ///
    /// - Parameter end: End of the recording since T0.
    func finish(at end: MediaTime) {
        advance(to: end)
        if let absence {
            let since = max(absence.since, start)
            let missing =
                (start + Nanoseconds(end.nanoseconds) - since).count
                / max(input.clockModel.interval.count, 1)
            if missing > 0 {
                give(
                    FrameLog.Entry(
                        sequence: nil, capturedAt: since, cause: absence.cause, count: Int(missing)),
                    at: end)
            }
        }
        for place in files { place.file.finish() }
    }

    /// Returns the metadata file on the disk with this index, or `nil` when none is written there.
    func file(onDisk index: Int) -> MetadataFile? { files.first { $0.disk == index }?.file }

    /// Returns the warnings about failed files. To be called after the files are written and the timeline has ended.
    ///
    /// - Parameter end: End of the recording since T0.
    /// - Returns: The warnings since the last call of `takeEvents`.
    func conclude(at end: MediaTime) -> [SessionEvent] {
        tellOfFailure(at: end)
        return takeEvents()
    }

    /// Returns the warnings since the last call.
    func takeEvents() -> [SessionEvent] {
        defer { events.removeAll() }
        return events
    }

    private func give(_ entry: FrameLog.Entry, at position: MediaTime) {
        guard entry.capturedAt >= start else { return }
        let metadata = CameraMetadata(
            sequence: entry.sequence, capturedAt: MediaTime(entry.capturedAt, since: start),
            stamp: entry.stamp.map { MediaTime($0, since: start) },
            arrival: entry.arrival.map { MediaTime($0, since: start) }, lost: entry.cause,
            count: entry.count, headerClock: entry.headerClock)
        taps.give(metadata, of: input.role)
        for place in files where place.file.failureSoFar == nil {
            if !place.file.append(metadata) { tellOfCrowding(at: position) }
        }
    }

    private func tellOfFailure(at time: MediaTime) {
        for (disk, file) in files {
            guard let failure = file.failureSoFar, toldFailures.insert(disk).inserted else { continue }
            warn(
                at: time, "the metadata of camera \(input.role) ends here; the recording goes on: \(failure)")
        }
    }

    private func tellOfCrowding(at time: MediaTime) {
        guard !hasToldOfCrowding else { return }
        hasToldOfCrowding = true
        warn(
            at: time,
            "the metadata of camera \(input.role) misses lines from here on, since the disk is too slow for it; "
                + "the recording itself is whole.")
    }

    private func warn(at time: MediaTime, _ text: String) {
        events.append(
            SessionEvent(
                .warning, at: time,
                ["track": .string(input.role), "text": .string(text.printable(limit: 400))]))
    }
}
