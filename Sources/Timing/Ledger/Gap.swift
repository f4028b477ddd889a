package import MulticamMedia

/// A period in which a track doesn't contain the content that should have been captured.
package struct Gap: Sendable, Equatable, Codable {
    /// The track's name.
    package let track: String
    /// Start of the gap, relative to T0.
    package let from: MediaTime
    /// End of the gap, relative to T0.
    package let to: MediaTime
    /// Cause of the gap: a `LossCause`, `silent`, or a description of the device's outage.
    package let cause: String

    /// Creates a gap in a track.
    package init(track: String, from: MediaTime, to: MediaTime, cause: String) {
        self.track = track
        self.from = from
        self.to = to
        self.cause = cause
    }

    /// Returns a copy of the gap that is later by `time`, or earlier if `time` is negative.
    package func later(by time: Nanoseconds) -> Gap {
        Gap(track: track, from: from.advanced(by: time), to: to.advanced(by: time), cause: cause)
    }

    private enum CodingKeys: String, CodingKey {
        case track
        case from = "from_ns"
        case to = "to_ns"
        case cause
    }
}

/// The outages of a device, recorded as gaps of its track.
package struct OutageLog {
    private let track: String
    private let start: ClockTime
    private var open: (since: ClockTime, cause: String, loss: LossCause)?
    /// Completed outages, recorded as gaps of the track.
    package private(set) var gaps: [Gap] = []

    /// Creates an outage log for a device that is currently available.
    ///
    /// - Parameters:
    ///   - track: The track name to store in the gaps.
    ///   - start: T0 on `CLOCK_MONOTONIC`. An outage that ended before T0 isn't recorded as a gap.
    package init(track: String, start: ClockTime) {
        self.track = track
        self.start = start
    }

    /// Start of the current outage; `nil` while the device is available.
    package var awaySince: ClockTime? { open?.since }

    /// Loss cause for frames or samples that are currently missing; `nil` while the device is available.
    package var currentCause: LossCause? { open?.loss }

    /// Returns whether an outage overlaps a gap.
    func overlaps(_ gap: Gap) -> Bool {
        if let open, MediaTime(open.since, since: start) < gap.to { return true }
        return gaps.contains { $0.from < gap.to && gap.from < $0.to }
    }

    /// Records the start of an outage, or that the cause of the current outage has changed. The latest cause
    /// is kept, because the first cause is often only a symptom. If `loss` changes, a new gap starts.
    package mutating func begin(at time: ClockTime, cause: String, loss: LossCause = .disconnected) {
        if let open, open.loss != loss { end(at: time) }
        open = (open?.since ?? time, cause.printable(), loss)
    }

    /// Records missing frames of a device that stopped delivering frames but was not disconnected. A period
    /// that is already part of a gap is ignored.
    ///
    /// - Parameters:
    ///   - time: Expected capture time of the first missing frame.
    ///   - length: Time from the first missing frame to the next frame that arrived.
    package mutating func recordSilence(from time: ClockTime, for length: Nanoseconds) {
        let from = max(MediaTime(time, since: start), .zero)
        let gap = Gap(track: track, from: from, to: MediaTime(time + length, since: start), cause: "silent")
        if gap.to > gap.from, !overlaps(gap) { gaps.append(gap) }
    }

    /// Completes the log at the end of the recording. All gaps end at `time` at the latest, even if the
    /// device returned later.
    package mutating func finish(at time: ClockTime) {
        end(at: time)
        let last = MediaTime(time, since: start)
        gaps = gaps.filter { $0.from < last }.map { gap in
            gap.to <= last ? gap : Gap(track: gap.track, from: gap.from, to: last, cause: gap.cause)
        }
    }

    /// Records the end of the current outage.
    package mutating func end(at time: ClockTime) {
        guard let outage = open else { return }
        open = nil
        let from = max(MediaTime(outage.since, since: start), .zero)
        let to = MediaTime(time, since: start)
        if to > from { gaps.append(Gap(track: track, from: from, to: to, cause: outage.cause)) }
    }
}

/// Records when a camera was shown in the program.
package struct OnAirLog: Sendable {
    /// Periods in which the camera was shown, relative to T0, in order. The end of the last period is `nil`
    /// while the camera is shown.
    private var stretches: [(from: MediaTime, to: MediaTime?)] = []

    /// Creates an on-air record for a camera that hasn't been shown yet.
    package init() {}

    /// Whether the camera is currently shown in the program.
    package var isOn: Bool { stretches.last.map { $0.to == nil } ?? false }

    /// Records that the program starts or stops showing the camera at a tick.
    ///
    /// - Parameters:
    ///   - isOn: Whether the program shows the camera from this tick.
    ///   - time: Time of the first tick with this state, relative to T0.
    package mutating func set(_ isOn: Bool, at time: MediaTime) {
        guard isOn != self.isOn else { return }
        if isOn {
            stretches.append((time, nil))
        } else {
            stretches[stretches.count - 1].to = time
        }
    }

    /// Returns the parts of a camera's gaps during which the program showed the camera.
    package func gapsOnAir(in gaps: [Gap]) -> [Gap] {
        gaps.flatMap { gap in
            stretches.compactMap { stretch in
                let (from, to) = (max(gap.from, stretch.from), min(gap.to, stretch.to ?? gap.to))
                guard from < to else { return nil }
                return Gap(track: gap.track, from: from, to: to, cause: gap.cause)
            }
        }
    }
}
