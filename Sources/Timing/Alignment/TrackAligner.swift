public import Media

/// Puts one camera's frames on a grid by the time they were captured.
///
/// Tick k stands at T0 + k/rate and shows the frame captured nearest to it, but none captured more than half a camera
/// interval after it: then the last one repeats. Frames that follow each other stay on ticks that follow each other
/// until they are off by more than 0.55 interval, so that a camera whose phase lies at the tie does not flicker.
///
/// A value: frames and ticks come in, choices go out. `Frame` is whatever the caller wants back.
public struct TrackAligner<Frame> {
    public enum Choice {
        /// A frame that was not shown before.
        case show(Frame)
        /// The last one again.
        case repeatLast
        /// Nothing fit to be shown: no frame yet, or the last is over a second old.
        case slate
    }

    private struct Entry {
        let time: ClockTime
        let frame: Frame
    }

    /// Of frames in a row, a camera interval apart.
    private struct Loss {
        /// Of the first.
        var time: ClockTime
        var count: Int
        let cause: LossCause
    }

    private let start: ClockTime
    public let rate: FrameRate
    private let slateAfter: Nanoseconds
    private var entries: [Entry] = []
    private var losses: [Loss] = []
    /// Lost frames that may still be what a tick misses.
    private var unexplained: [Loss] = []
    private var lastShown: ClockTime?
    private var decidedThrough: ClockTime?

    /// The time between two frames of the camera, as its clock model has it.
    public var cameraInterval: Nanoseconds
    public private(set) var counts = FrameCounts()
    /// Why the tick decided last shows no new frame, where that is known: the cause of a lost frame that would have been
    /// this tick's. Each lost frame is the cause of at most one tick. `nil` where the camera has captured nothing for it,
    /// or what it captured is still on its way.
    public private(set) var missingCause: LossCause?

    /// - Parameters:
    ///   - start: T0.
    ///   - rate: The grid's.
    ///   - cameraInterval: Nominal, until a better one is set.
    ///   - slateAfter: How old the last frame may become before a slate takes its place.
    public init(
        start: ClockTime, rate: FrameRate, cameraInterval: Nanoseconds, slateAfter: Nanoseconds = .seconds(1)
    ) {
        self.start = start
        self.rate = rate
        self.cameraInterval = cameraInterval
        self.slateAfter = slateAfter
    }

    /// Takes a frame. They come in the order of capture.
    public mutating func add(_ frame: Frame, capturedAt time: ClockTime) {
        if let decidedThrough, time < decidedThrough - cameraInterval / 2,
            lastShown.map({ time > $0 }) ?? true
        {
            addLoss(count: 1, cause: .late, capturedAt: time)
            return
        }
        if let last = entries.last?.time ?? lastShown, time <= last {
            // Two frames of one instant: the device repeats itself.
            return
        }
        entries.append(Entry(time: time, frame: frame))
    }

    /// Takes what has become known of frames that wait for their ticks.
    ///
    /// - Parameter time: When a frame was captured, that was said to have been captured when.
    public mutating func redate(_ time: (Frame, ClockTime) -> ClockTime) {
        let waiting = entries.map { Entry(time: time($0.frame, $0.time), frame: $0.frame) }
        entries.removeAll(keepingCapacity: true)
        for entry in waiting.sorted(by: { $0.time < $1.time }) { add(entry.frame, capturedAt: entry.time) }
    }

    /// Takes note of frames that will not come. They count when the grid passes them.
    public mutating func addLoss(count: Int, cause: LossCause, capturedAt time: ClockTime) {
        guard count > 0 else { return }
        losses.append(Loss(time: time, count: count, cause: cause))
        unexplained.append(Loss(time: time, count: count, cause: cause))
    }

    /// Decides tick `index`. Ticks are decided once each, in order.
    public mutating func choose(tick index: Int64) -> Choice {
        let tick = start + Nanoseconds(rate.time(ofTick: index).nanoseconds)
        decidedThrough = tick
        countLosses(through: tick + cameraInterval / 2)
        forgetLosses(through: tick - max(cameraInterval, rate.interval))
        missingCause = nil
        guard let chosen = entryToShow(at: tick) else {
            missingCause = takeCause(at: tick)
            if let lastShown, tick - lastShown <= slateAfter {
                counts.repeated += 1
                return .repeatLast
            }
            counts.slate += 1
            return .slate
        }
        let entry = entries[chosen]
        // What was captured before the first tick's frame belongs to no tick: it is not of this recording.
        if lastShown != nil { counts.skipped += chosen }
        counts.captured += lastShown == nil ? 1 : chosen + 1
        entries.removeFirst(chosen + 1)
        lastShown = entry.time
        return .show(entry.frame)
    }

    /// A frame that was chosen could not be used and its predecessor stands in its place.
    public mutating func withdrawChoice(cause: LossCause) {
        counts = counts.withdrawing(1, cause: cause)
    }

    /// A frame that was withdrawn is shown at the tick decided last after all, which repeats or was withdrawn itself.
    public mutating func restoreChoice(cause: LossCause) {
        counts = counts.restoring(1, cause: cause)
    }

    /// Counts frames that an absent camera did not deliver before the recording ended.
    public mutating func addFinalLoss(count: Int, cause: LossCause) {
        if count > 0 { counts.lost[cause, default: 0] += count }
    }

    private func entryToShow(at tick: ClockTime) -> Int? {
        let stride = max(1, Int(rounding: rate.interval.inSeconds / cameraInterval.inSeconds))
        if lastShown != nil, entries.count >= stride {
            let deviation = (entries[stride - 1].time - tick).magnitude
            if deviation.count * 100 <= cameraInterval.count * 55 { return stride - 1 }
        }
        let limit = tick + cameraInterval / 2
        var best: Int?
        var smallest = lastShown.map { (tick - $0).magnitude }
        for (index, entry) in entries.enumerated() {
            guard entry.time <= limit else { break }
            let deviation = (entry.time - tick).magnitude
            if smallest.map({ deviation < $0 }) ?? true {
                smallest = deviation
                best = index
            }
        }
        return best
    }

    /// Lost frames that no tick can show any more.
    private mutating func forgetLosses(through limit: ClockTime) {
        let step = max(cameraInterval, Nanoseconds(1))
        for index in unexplained.indices where unexplained[index].time <= limit {
            let passed = (limit - unexplained[index].time).count / step.count + 1
            unexplained[index].time = unexplained[index].time + step * passed
            unexplained[index].count -= Int(passed)
        }
        unexplained.removeAll { $0.count <= 0 }
    }

    /// The cause of the earliest lost frame that the tick would have shown: as far after it as frames that follow each
    /// other are shown.
    private mutating func takeCause(at tick: ClockTime) -> LossCause? {
        let limit = tick + min(cameraInterval, rate.interval) * 55 / 100
        let earliest = unexplained.indices.min { unexplained[$0].time < unexplained[$1].time }
        guard let earliest, unexplained[earliest].time <= limit else { return nil }
        let cause = unexplained[earliest].cause
        unexplained[earliest].time = unexplained[earliest].time + cameraInterval
        unexplained[earliest].count -= 1
        unexplained.removeAll { $0.count <= 0 }
        return cause
    }

    private mutating func countLosses(through limit: ClockTime) {
        let earliest = start - cameraInterval / 2
        losses.removeAll { loss in
            guard loss.time <= limit else { return false }
            if loss.time >= earliest { counts.lost[loss.cause, default: 0] += loss.count }
            return true
        }
    }
}
