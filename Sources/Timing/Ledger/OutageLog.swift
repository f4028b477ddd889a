package import Media

/// The stretches in which a device was away, as gaps of its track.
package struct OutageLog {
    private let track: String
    private let start: ClockTime
    private var open: (since: ClockTime, cause: String, loss: LossCause)?
    /// The stretches that are over, as gaps of the track.
    package private(set) var gaps: [Gap] = []

    /// Creates a log of a device that is present.
    ///
    /// - Parameters:
    ///   - track: The track's name in the gaps.
    ///   - start: T0 on `CLOCK_MONOTONIC`. An outage that was over before it is no gap.
    package init(track: String, start: ClockTime) {
        self.track = track
        self.start = start
    }

    /// The time since which the device is away; `nil` while it is present.
    package var awaySince: ClockTime? { open?.since }

    /// The ledger's cause of the frames or samples missing now; `nil` while the device is present.
    package var absence: LossCause? { open?.loss }

    /// Whether the device was away at some time of a stretch.
    func overlaps(_ gap: Gap) -> Bool {
        if let open, MediaTime(open.since, since: start) < gap.to { return true }
        return gaps.contains { $0.from < gap.to && gap.from < $0.to }
    }

    /// Notes that the device went away or, while it is away, that another reason shows: the latest reason is kept, as the first
    /// is often but a sign of it. A different `loss` begins another gap.
    package mutating func begin(at time: ClockTime, cause: String, loss: LossCause = .away) {
        if let open, open.loss != loss { end(at: time) }
        open = (open?.since ?? time, cause.printable(), loss)
    }

    /// Notes that frames are missing of a device that was silent without being away. A stretch that is in a gap already is
    /// ignored.
    ///
    /// - Parameters:
    ///   - time: When the first of them would have been captured.
    ///   - length: The time from there to the next frame that came.
    package mutating func wasSilent(from time: ClockTime, for length: Nanoseconds) {
        let from = max(MediaTime(time, since: start), .zero)
        let gap = Gap(track: track, from: from, to: MediaTime(time + length, since: start), cause: "silent")
        if gap.to > gap.from, !overlaps(gap) { gaps.append(gap) }
    }

    /// Ends the log with the recording: no gap reaches beyond `time`, though the device may have come back later.
    package mutating func finish(at time: ClockTime) {
        end(at: time)
        let last = MediaTime(time, since: start)
        gaps = gaps.filter { $0.from < last }.map { gap in
            gap.to <= last ? gap : Gap(track: gap.track, from: gap.from, to: last, cause: gap.cause)
        }
    }

    /// Notes that the device is back.
    package mutating func end(at time: ClockTime) {
        guard let outage = open else { return }
        open = nil
        let from = max(MediaTime(outage.since, since: start), .zero)
        let to = MediaTime(time, since: start)
        if to > from { gaps.append(Gap(track: track, from: from, to: to, cause: outage.cause)) }
    }
}
