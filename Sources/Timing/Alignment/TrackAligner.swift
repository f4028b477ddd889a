public import Media

/// Puts one camera's frames on a grid by the time they were captured.
///
/// Tick k stands at T0 + k/rate and shows the frame captured nearest to it, but none captured more than half a camera
/// interval after it: then the last one repeats. Frames that follow each other stay on ticks that follow each other
/// until they are off by more than 0.55 interval, so that a camera whose phase lies at the tie does not flicker.
///
/// A value: frames and ticks come in, choices go out. `Frame` is whatever the caller wants back.
public struct TrackAligner<Frame> {
    /// The frame that a tick shows.
    public enum Choice {
        /// A frame that was not shown before.
        case show(Frame)
        /// The frame of the tick before, once more.
        case repeatLast
        /// A slate, as there is no frame yet or the last one is too old.
        case slate
    }

    private struct Entry {
        let time: ClockTime
        let frame: Frame
    }

    /// Lost frames in a row, a camera interval apart.
    private struct Loss {
        /// When the first of them would have been captured.
        var time: ClockTime
        var count: Int
        let cause: LossCause
    }

    private let start: ClockTime
    /// The rate of the track's grid.
    public let rate: FrameRate
    private let slateAfter: Nanoseconds
    private var entries: [Entry] = []
    private var losses: [Loss] = []
    /// Lost frames that may still be the cause of a tick without a new frame.
    private var unexplained: [Loss] = []
    private var lastShown: ClockTime?
    private var decidedThrough: ClockTime?

    /// The time between two frames of the camera, from its clock model.
    public var cameraInterval: Nanoseconds
    /// The track's frames so far: captured, skipped, repeated, lost.
    public private(set) var counts = FrameCounts()
    /// Why the tick decided last shows no new frame, where known: the cause of a lost frame that would have been this tick's.
    /// Each lost frame is the cause of at most one tick. `nil` where the camera has captured nothing for it, or its frame is
    /// still on its way.
    public private(set) var missingCause: LossCause?

    /// Creates an aligner for the track of one recording.
    ///
    /// - Parameters:
    ///   - start: T0 on `CLOCK_MONOTONIC`.
    ///   - rate: The rate of the track's grid.
    ///   - cameraInterval: The camera's nominal interval, until a measured one is set.
    ///   - slateAfter: The age of the last frame from which a slate takes its place.
    public init(
        start: ClockTime, rate: FrameRate, cameraInterval: Nanoseconds, slateAfter: Nanoseconds = .seconds(1)
    ) {
        self.start = start
        self.rate = rate
        self.cameraInterval = cameraInterval
        self.slateAfter = slateAfter
    }

    /// Takes the next frame, in the order of capture. A frame that comes too late for its tick is lost.
    public mutating func add(_ frame: Frame, capturedAt time: ClockTime) {
        if let decidedThrough, time < decidedThrough - cameraInterval / 2,
            lastShown.map({ time > $0 }) ?? true
        {
            addLoss(count: 1, cause: .late, capturedAt: time)
            return
        }
        if let last = entries.last?.time ?? lastShown, time <= last {
            // Two frames of one instant: the device delivered a frame twice.
            return
        }
        entries.append(Entry(time: time, frame: frame))
    }

    /// Dates the frames that wait for their ticks anew.
    ///
    /// - Parameter time: Returns the capture time of a frame from the frame and the time it had so far.
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

    /// Decides what tick `index` shows. Each tick is decided once, in order.
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
        // Frames captured before the first tick's frame belong to no tick of this recording.
        if lastShown != nil { counts.skipped += chosen }
        counts.captured += lastShown == nil ? 1 : chosen + 1
        entries.removeFirst(chosen + 1)
        lastShown = entry.time
        return .show(entry.frame)
    }

    /// Counts a chosen frame as lost: it could not be used, and its predecessor stands in its place.
    public mutating func withdrawChoice(cause: LossCause) {
        counts = counts.withdrawing(1, cause: cause)
    }

    /// Counts a withdrawn frame as captured again: it is shown after all, at the tick decided last, which repeats or was
    /// withdrawn itself.
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

    /// Forgets lost frames that no tick can show any more.
    private mutating func forgetLosses(through limit: ClockTime) {
        guard !unexplained.isEmpty else { return }
        let step = max(cameraInterval, Nanoseconds(1))
        for index in unexplained.indices where unexplained[index].time <= limit {
            let passed = (limit - unexplained[index].time).count / step.count + 1
            unexplained[index].time = unexplained[index].time + step * passed
            unexplained[index].count -= Int(passed)
        }
        unexplained.removeAll { $0.count <= 0 }
    }

    /// The cause of the earliest lost frame that the tick would have shown, looked for as far after the tick as successive frames
    /// are shown.
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
        guard !losses.isEmpty else { return }
        let earliest = start - cameraInterval / 2
        losses.removeAll { loss in
            guard loss.time <= limit else { return false }
            if loss.time >= earliest { counts.lost[loss.cause, default: 0] += loss.count }
            return true
        }
    }
}
