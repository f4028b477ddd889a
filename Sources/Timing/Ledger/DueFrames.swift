package import MulticamMedia

/// Computes the lost frames of a camera from the times at which frames were due.
///
/// The camera's rate and clock determine when each frame is due. A due frame that isn't captured is lost,
/// even if the source doesn't report it. The source's reports and outages only determine the cause of the
/// loss. Without a report, the cause is the source's default cause for outages (`disconnected`, or `network`
/// for a network camera).
///
/// For a source without a frame clock, such as a file with variable frame durations, only reports and outages
/// are counted.
///
/// `DueFrames` is a value type that receives frames, loss reports, and time limits, and counts lost frames.
struct DueFrames: Sendable {
    /// Consecutive lost frames reported by the source.
    private struct Report {
        /// Expected capture time of the first lost frame.
        let time: ClockTime
        let length: Nanoseconds
        /// Number of reported frames that haven't been matched to due frames yet.
        var count: Int
        let cause: LossCause
    }

    private struct Outage {
        let since: ClockTime
        /// Time when the camera became available again; `nil` while the camera is unavailable.
        var end: ClockTime?
        let cause: LossCause
    }

    /// Consecutive lost frames with the same cause.
    private struct Stretch {
        let time: ClockTime
        let interval: Nanoseconds
        var count: Int
        let cause: LossCause
        let isExplained: Bool

        var end: ClockTime { time + interval * Int64(count) }
    }

    /// Time from which frames are counted; `nil` if unknown. Earlier frames are ignored.
    private var begin: ClockTime?
    /// The negotiated frame interval.
    private var nominal: Nanoseconds
    /// Changes to the negotiated frame interval that take effect after the latest frame.
    private var changes: [(nominal: Nanoseconds, from: ClockTime)] = []
    private let isPaced: Bool
    /// Loss cause that is used if the source doesn't report a cause.
    private let defaultCause: LossCause
    /// The time between two due frames.
    private(set) var interval: Nanoseconds
    /// Due time of the last frame that was due, whether it was captured or lost.
    private var last: ClockTime?
    /// Capture time of the last counted frame.
    private(set) var lastFrame: ClockTime?
    /// Whether frames were lost after the last captured frame.
    private var isTrailing = false
    /// Due time of the last lost frame that was assigned to a tick without a new frame.
    private var lastCaused: ClockTime?
    private var reports: [Report] = []
    private var outages: [Outage] = []
    /// Most recent series of lost frames.
    private var stretches: [Stretch] = []
    /// Current counts of lost frames by cause. Causes without lost frames aren't included.
    private(set) var lost: [LossCause: Int] = [:]
    /// Periods in which frames are missing and the source didn't report a cause. The list is complete after
    /// `finish`.
    private(set) var silences: [SilentStretch] = []
    private var lastCause: LossCause

    /// Maximum relative deviation of a camera's measured rate from its negotiated rate. Crystal tolerances
    /// and rounded intervals cause smaller deviations. Frames that are missing because a camera is even
    /// slower are counted as lost.
    private static let tolerance = 0.05
    /// Minimum ratio of the measured frame interval to the negotiated frame interval. A lower ratio indicates
    /// a different stream or a wrong clock model.
    private static let fastest = 0.8
    /// Weight of each new frame when due times are adjusted to the frames of a camera that is on time.
    private static let following = 0.25
    /// Length of a gap after which due times are computed from the next frame.
    private static let restart = Nanoseconds.seconds(1)
    /// Maximum time between a loss and the report that explains the loss. A clock model takes some time to
    /// locate a gap.
    private static let maxReportDelay = Nanoseconds.seconds(5)
    private static let mostKept = 64
    private static let mostSilences = 10_000

    /// Creates the loss ledger of one camera on one track.
    ///
    /// - Parameters:
    ///   - interval: The negotiated frame interval, greater than zero.
    ///   - isPaced: Whether the camera captures frames regularly at `interval`.
    ///   - defaultCause: Loss cause that is used if the source doesn't report a cause.
    init(interval: Nanoseconds, isPaced: Bool = true, defaultCause: LossCause = .disconnected) {
        nominal = max(interval, Nanoseconds(1))
        self.interval = nominal
        self.isPaced = isPaced
        self.defaultCause = defaultCause
        lastCause = defaultCause
    }

    /// Sets the frame interval measured by the camera's clock model; `nil` while the model isn't accurate
    /// enough.
    mutating func updateInterval(measured: Nanoseconds?) {
        interval = nominal
        guard let measured else { return }
        let share = Double(measured.count) / Double(nominal.count)
        if share >= Self.fastest && share <= 1 + Self.tolerance { interval = measured }
    }

    /// Changes the negotiated frame interval, effective at a given time, after the camera changed its format
    /// or was replaced.
    mutating func change(nominal: Nanoseconds, from time: ClockTime) {
        if nominal > .zero { changes.append((nominal, time)) }
    }

    /// Sets the time from which frames are counted; earlier frames are ignored. Only the first call has an
    /// effect.
    mutating func begin(at time: ClockTime) { if begin == nil { begin = time } }

    /// Records frames that the source reports as lost.
    ///
    /// - Parameters:
    ///   - count: Number of lost frames.
    ///   - cause: Cause of the loss.
    ///   - time: Expected capture time of the first lost frame.
    mutating func recordLoss(count: Int, cause: LossCause, at time: ClockTime) {
        guard count > 0 else { return }
        var report = Report(time: time, length: interval * Int64(count), count: count, cause: cause)
        explainPast(&report)
        if cause == .lowLight { explainSlowness(before: time) }
        guard report.count > 0 else { return }
        reports.append(report)
        if reports.count > Self.mostKept * 16 { reports.removeFirst() }
    }

    /// Records that the camera became unavailable at a given time.
    mutating func beginOutage(at time: ClockTime, cause: LossCause) {
        if let open = outages.indices.last, outages[open].end == nil {
            guard outages[open].cause != cause else { return }
            outages[open].end = time
        }
        outages.append(Outage(since: time, cause: cause))
    }

    /// Records that the camera became available again at a given time.
    mutating func endOutage(at time: ClockTime) {
        guard let open = outages.indices.last, outages[open].end == nil else { return }
        outages[open].end = time
    }

    /// Shifts the capture time of the last counted frame after a change of the clock model. The due times of
    /// later frames are shifted by the same amount.
    mutating func shift(by time: Nanoseconds) {
        last = last.map { $0 + time }
        lastFrame = lastFrame.map { $0 + time }
    }

    /// Records a captured frame, and counts the missing due frames before this frame as lost. Call this
    /// method for each frame in capture order.
    mutating func recordFrame(at time: ClockTime) {
        if isCountedAsLost(at: time) {
            // The frame arrived after it had been counted as lost. A track that uses the frames' capture
            // times can still show this frame.
            if lastFrame.map({ time > $0 }) ?? true { lastFrame = time }
            return removeLoss(nearest: time)
        }
        // While the interval changes, due times follow the longer interval.
        let isChanged = changes.first.map { $0.from <= time } ?? false
        while let change = changes.first, change.from <= time {
            changes.removeFirst()
            (nominal, interval) = (change.nominal, max(interval, change.nominal))
        }
        defer {
            (lastFrame, isTrailing) = (time, false)
            if isChanged { interval = nominal }
        }
        guard isPaced, let last else {
            if self.last.map({ $0 < time }) ?? true { self.last = time }
            return
        }
        let passed = Double((time - last).count) / Double(interval.count)
        let missing = Int(max(0, min(passed.rounded() - 1, 1e6)))
        for index in 0..<missing { countLoss(at: last + interval * Int64(index + 1)) }
        let expected = last + interval * Int64(missing + 1)
        if lastFrame.map({ time - $0 > Self.restart }) ?? true || passed > 1e6 {
            self.last = time
        } else {
            let steps = [interval, nominal].map { interval in
                lastFrame.map { Double((time - $0).count) / Double(interval.count) } ?? 0
            }
            let isOnTime = steps.contains { abs($0 - 1) <= Self.tolerance }
            let deviation = Double((time - expected).count) * (isOnTime ? 1 - Self.following : 1)
            // The time from `last` to the frame indicates how far the camera is still behind schedule.
            self.last = time - Nanoseconds(Int64(rounding: deviation.limited(to: Double(interval.count) / 2)))
        }
    }

    /// Counts frames as lost if they should have arrived by now.
    ///
    /// - Parameters:
    ///   - limit: The time up to which lost frames are counted. All frames captured up to half an interval
    ///     after the limit have arrived.
    ///   - waiting: Capture time of the first frame that has arrived but hasn't been counted yet.
    mutating func countOverdue(until limit: ClockTime, waiting: ClockTime? = nil) {
        guard isPaced else { return countReports(through: limit + interval / 2) }
        if last == nil {
            // The first waiting frame determines when frames are due.
            if let waiting, waiting <= limit + interval { return }
            last = limit - interval
        }
        let latest = min(limit, waiting.map { $0 - interval } ?? limit)
        while let last, last + interval + interval / 2 <= latest {
            countLoss(at: last + interval)
            self.last = last + interval
            isTrailing = true
        }
    }

    /// Counts all frames that were due by the end of the track.
    ///
    /// - Parameter end: The latest possible capture time of a frame in the track.
    mutating func finish(at end: ClockTime) {
        guard isPaced else {
            countReports(through: end)
            if let open = outages.last, open.end == nil {
                let since = max(open.since, begin ?? open.since)
                let count = Int((end - since).count / max(interval.count, 1))
                if count > 0 { lost[open.cause, default: 0] += count }
            }
            return
        }
        countOverdue(until: end + interval / 2)
        for stretch in stretches { recordSilence(stretch) }
        stretches = []
    }

    private mutating func recordSilence(_ stretch: Stretch) {
        guard !stretch.isExplained, silences.count < Self.mostSilences else { return }
        silences.append(
            SilentStretch(from: stretch.time, length: stretch.interval * Int64(stretch.count)))
    }

    /// Returns whether a frame with this capture time has been counted as lost.
    func isCountedAsLost(at time: ClockTime) -> Bool {
        guard isPaced, isTrailing, let last else { return false }
        return time < last + interval / 2
    }

    /// Returns the reason why a tick doesn't show a new frame. Each due frame is used as the cause for at
    /// most one tick.
    ///
    /// - Parameters:
    ///   - tick: The time of the tick.
    ///   - reach: Maximum time from the tick to the capture of a frame that the tick can show.
    ///   - waiting: Capture time of the next frame, if it has already arrived.
    /// - Returns: The cause, or `nil` if no frame was due.
    mutating func assignCause(toTickAt tick: ClockTime, reach: Nanoseconds, waiting: ClockTime?) -> LossCause?
    {
        guard isPaced else {
            guard let cause = reportedCause(at: tick, within: reach) ?? outageCause(at: tick) else {
                return nil
            }
            lastCause = cause
            return cause
        }
        guard let last else { return nil }
        let due = max(last, lastCaused ?? last) + interval
        guard due <= tick + reach else { return nil }
        if let waiting, waiting <= due + interval / 2 { return nil }
        // If several due frames precede the tick, only the latest of these frames belongs to the tick.
        let behind = max(0, (tick - interval - due).count / interval.count)
        lastCaused = due + interval * behind
        lastCause = cause(ofFrameAt: due + interval * behind)
        return lastCause
    }

    /// Loss cause for a slate, which is the cause of the last tick without a new frame.
    var slateCause: LossCause { lastCause }

    // MARK: Causes

    private mutating func countLoss(at time: ClockTime) {
        let cause = consumeCause(ofFrameAt: time)
        guard begin.map({ time >= $0 - interval / 2 }) ?? true else { return }
        lost[cause.0, default: 0] += 1
        if let index = stretches.indices.last, stretches[index].cause == cause.0,
            stretches[index].isExplained == cause.isExplained, stretches[index].interval == interval,
            (time - stretches[index].end).magnitude <= interval / 4
        {
            stretches[index].count += 1
        } else {
            stretches.append(
                Stretch(
                    time: time, interval: interval, count: 1, cause: cause.0, isExplained: cause.isExplained))
            if stretches.count > Self.mostKept { recordSilence(stretches.removeFirst()) }
        }
    }

    /// Removes the lost frame nearest to a given time from the loss ledger, because the frame has arrived.
    private mutating func removeLoss(nearest time: ClockTime) {
        guard let index = stretches.lastIndex(where: { $0.time <= time + $0.interval / 2 }) else { return }
        let cause = stretches[index].cause
        let rest = (lost[cause] ?? 0) - 1
        lost[cause] = rest > 0 ? rest : nil
        stretches[index].count -= 1
        if stretches[index].count == 0 { stretches.remove(at: index) }
    }

    private mutating func consumeCause(ofFrameAt time: ClockTime) -> (LossCause, isExplained: Bool) {
        reports.removeAll { report in
            let end = report.time + report.length
            return end + Self.maxReportDelay < time || begin.map { end <= $0 } ?? false
        }
        outages.removeAll { outage in outage.end.map { $0 + Self.maxReportDelay < time } ?? false }
        if let index = reportIndex(ofFrameAt: time) {
            let cause = reports[index].cause
            reports[index].count -= 1
            if reports[index].count == 0 { reports.remove(at: index) }
            return (cause, true)
        }
        return outageCause(at: time).map { ($0, true) } ?? (defaultCause, false)
    }

    private func cause(ofFrameAt time: ClockTime) -> LossCause {
        reportIndex(ofFrameAt: time).map { reports[$0].cause } ?? outageCause(at: time) ?? defaultCause
    }

    /// Returns the index of the report that explains a lost frame: the first report that covers the frame's
    /// time, or if no report covers it, the first report from the last few seconds.
    private func reportIndex(ofFrameAt time: ClockTime) -> Int? {
        let slack = interval * 3 / 4
        return reports.firstIndex { $0.time <= time + slack && time <= $0.time + $0.length }
            ?? reports.firstIndex { $0.time <= time + slack }
    }

    private func outageCause(at time: ClockTime) -> LossCause? {
        outages.last { outage in
            outage.since <= time + interval && outage.end.map { time < $0 + interval } ?? true
        }?.cause
    }

    /// Changes the loss cause to `lowLight` for frames that were lost before the clock model detected the
    /// longer exposure.
    private mutating func explainSlowness(before time: ClockTime) {
        for index in stretches.indices
        where !stretches[index].isExplained && stretches[index].end + Self.maxReportDelay > time {
            let (cause, count) = (stretches[index].cause, stretches[index].count)
            guard cause != .lowLight else { continue }
            lost[.lowLight, default: 0] += count
            let rest = (lost[cause] ?? 0) - count
            lost[cause] = rest > 0 ? rest : nil
            stretches[index] = Stretch(
                time: stretches[index].time, interval: stretches[index].interval, count: count,
                cause: .lowLight, isExplained: true)
        }
    }

    /// Sets the cause of frames that were counted as lost before the source reported their loss.
    private mutating func explainPast(_ report: inout Report) {
        let (from, to) = (report.time - interval * 3 / 4, report.time + report.length - interval / 4)
        for index in stretches.indices.reversed() {
            guard report.count > 0, stretches[index].end > from else { return }
            guard stretches[index].time <= to else { continue }
            let stretch = stretches[index]
            let first = max(
                0, ((from - stretch.time).count + stretch.interval.count - 1) / stretch.interval.count)
            let behind = max(-1, (to - stretch.time).count / stretch.interval.count)
            let count = min(Int(min(behind, Int64(stretch.count) - 1) - first + 1), report.count)
            guard count > 0 else { continue }
            report.count -= count
            guard !stretch.isExplained, stretch.cause != report.cause else { continue }
            lost[report.cause, default: 0] += count
            let rest = (lost[stretch.cause] ?? 0) - count
            lost[stretch.cause] = rest > 0 ? rest : nil
            // A later report may explain the remaining lost frames of the series.
            stretches[index].count -= count
        }
        stretches.removeAll { $0.count == 0 }
    }

    // MARK: Sources without a clock

    private func reportedCause(at tick: ClockTime, within reach: Nanoseconds) -> LossCause? {
        reports.first { $0.time <= tick + reach && tick <= $0.time + $0.length }?.cause
    }

    private mutating func countReports(through limit: ClockTime) {
        guard !reports.isEmpty else { return }
        reports.removeAll { report in
            guard report.time <= limit else { return false }
            if begin.map({ report.time >= $0 - interval / 2 }) ?? true {
                lost[report.cause, default: 0] += report.count
            }
            return true
        }
    }
}

/// A period of a camera's track in which frames are missing and the source didn't report a cause.
package struct SilentStretch: Sendable, Equatable {
    /// Due time of the first missing frame.
    package let from: ClockTime
    /// Time from the first missing frame to the next frame or to the end of the recording.
    package let length: Nanoseconds
}
