package import MulticamMedia

/// Assigns a camera's frames to the ticks of a track's grid by capture time.
///
/// Tick k is at T0 + k/rate and shows the frame with the nearest capture time. If that frame was captured
/// more than half a camera interval after the tick, the previous frame is duplicated instead. Consecutive
/// frames stay on consecutive ticks until they deviate by more than 0.55 intervals. Frames that fall halfway
/// between two ticks therefore don't alternate between these ticks.
///
/// A frame that was due but isn't shown by any tick is lost (`DueFrames`). If a tick doesn't show a new frame
/// although a frame was due, the loss cause is recorded for the tick.
///
/// `TrackAligner` is a value type that receives frames and returns a choice for each tick. `Frame` can be any
/// type.
package struct TrackAligner<Frame> {
    /// The frame that is shown at a tick.
    package enum Choice {
        /// A new frame is shown.
        case show(Frame)
        /// The frame of the previous tick is shown again.
        case repeatLast
        /// A slate is shown, because no frame has arrived yet or the last frame is too old.
        case slate
    }

    private struct Entry {
        let time: ClockTime
        let frame: Frame
    }

    private let start: ClockTime
    /// Rate of the track's grid.
    package let rate: FrameRate
    private let slateAfter: Nanoseconds
    private var entries: [Entry] = []
    private var lastShown: ClockTime?
    private var decidedThrough: ClockTime?
    private var due: DueFrames
    private var decimated = 0
    private var decided = FateCounts()

    /// Frame interval of the camera, as measured by its clock model.
    package private(set) var cameraInterval: Nanoseconds
    /// Fate of the last processed tick.
    package private(set) var fate = Fate.captured

    /// Current counts of the frames that aren't shown by any tick.
    package var delivery: DeliveryCounts {
        var delivery = DeliveryCounts()
        (delivery.decimated, delivery.lost) = (decimated, due.lost)
        return delivery
    }
    /// Current counts of the track's frames: captured, decimated, duplicated, lost.
    package var counts: FrameCounts { FrameCounts(delivery, written: decided) }

    /// Creates an aligner for the track of one recording.
    ///
    /// - Parameters:
    ///   - start: T0, the start time of the recording, on `CLOCK_MONOTONIC`.
    ///   - rate: The rate of the track's grid.
    ///   - cameraInterval: The camera's negotiated frame interval.
    ///   - isPaced: Whether the camera captures frames regularly at `cameraInterval`, so that a missing frame
    ///     is counted as lost.
    ///   - defaultCause: Loss cause that is used if the source doesn't report a cause.
    ///   - slateAfter: Maximum age of the last frame. Ticks show a slate when the last frame is older than
    ///     this limit.
    package init(
        start: ClockTime, rate: FrameRate, cameraInterval: Nanoseconds, isPaced: Bool = true,
        defaultCause: LossCause = .disconnected, slateAfter: Nanoseconds = CameraSilence.limit
    ) {
        self.start = start
        self.rate = rate
        self.cameraInterval = cameraInterval
        self.slateAfter = slateAfter
        due = DueFrames(interval: cameraInterval, isPaced: isPaced, defaultCause: defaultCause)
    }

    /// Updates the camera's frame interval from a clock reading.
    package mutating func updateInterval(from clock: ClockReading) {
        cameraInterval = clock.interval
        due.updateInterval(measured: clock.isLocked ? clock.interval : nil)
    }

    /// Changes the negotiated frame interval, effective at a given time.
    package mutating func change(nominal: Nanoseconds, from time: ClockTime) {
        due.change(nominal: nominal, from: time)
    }

    /// Adds the next frame in capture order. A frame that arrives after its tick was processed is counted as
    /// lost.
    package mutating func add(_ frame: Frame, capturedAt time: ClockTime) {
        if let decidedThrough, time < decidedThrough - cameraInterval / 2 || due.isCountedAsLost(at: time),
            lastShown.map({ time > $0 }) ?? true
        {
            addLoss(count: 1, cause: .late, capturedAt: time)
            return
        }
        if let last = entries.last?.time ?? lastShown, time <= last {
            // Two frames have the same capture time if the device delivered one frame twice.
            return
        }
        entries.append(Entry(time: time, frame: frame))
    }

    /// Recomputes the capture times of the frames that are waiting for their ticks.
    ///
    /// - Parameter time: A closure that returns the new capture time of a frame, given the frame and its
    ///   previous capture time.
    package mutating func redate(_ time: (Frame, ClockTime) -> ClockTime) {
        let waiting = entries.map { Entry(time: time($0.frame, $0.time), frame: $0.frame) }
        entries.removeAll(keepingCapacity: true)
        for entry in waiting.sorted(by: { $0.time < $1.time }) { add(entry.frame, capturedAt: entry.time) }
    }

    /// Capture time of the last frame that was counted; `nil` if no frame has been counted.
    package var lastCounted: ClockTime? { due.lastFrame }

    /// Shifts the capture time of the last counted frame. The due times of later frames are computed from
    /// this time.
    package mutating func shiftLastCounted(by time: Nanoseconds) { due.shift(by: time) }

    /// Records the cause of missing frames. Missing frames are counted only if they were due.
    package mutating func addLoss(count: Int, cause: LossCause, capturedAt time: ClockTime) {
        due.recordLoss(count: count, cause: cause, at: time)
    }

    /// Records that the camera became unavailable at a given time, and the cause.
    package mutating func beginOutage(at time: ClockTime, cause: LossCause) {
        due.beginOutage(at: time, cause: cause)
    }

    /// Records that the camera became available again at a given time.
    package mutating func endOutage(at time: ClockTime) { due.endOutage(at: time) }

    /// Selects the frame that tick `index` shows, and sets `fate`. Each tick is processed once, in order.
    package mutating func choose(tick index: Int64) -> Choice {
        let choice = decide(start + Nanoseconds(rate.time(ofTick: index).nanoseconds))
        decided.add(fate)
        return choice
    }

    private mutating func decide(_ tick: ClockTime) -> Choice {
        due.begin(at: tick)
        decidedThrough = tick
        guard let chosen = entryToShow(at: tick) else {
            due.countOverdue(until: tick, waiting: entries.first?.time)
            let cause = missingCause(at: tick)
            if let lastShown, tick - lastShown <= slateAfter {
                fate = .duplicated(cause)
                return .repeatLast
            }
            fate = .slate(cause ?? due.slateCause)
            return .slate
        }
        let isFirst = lastShown == nil
        let entry = entries[chosen]
        for passed in entries[...chosen] { due.recordFrame(at: passed.time) }
        // Frames captured before the first tick's frame don't belong to this recording.
        if !isFirst { decimated += chosen }
        entries.removeFirst(chosen + 1)
        lastShown = entry.time
        due.countOverdue(until: tick, waiting: entries.first?.time)
        fate = .captured
        if isFirst, tick - entry.time > max(cameraInterval, rate.interval) {
            // The camera isn't delivering frames: its last frame was captured before the track began.
            fate = .duplicated(missingCause(at: tick))
        }
        return .show(entry.frame)
    }

    private mutating func missingCause(at tick: ClockTime) -> LossCause? {
        let reach = min(cameraInterval, rate.interval) * 55 / 100
        return due.assignCause(toTickAt: tick, reach: reach, waiting: entries.first?.time)
    }

    /// Counts the frames that were due by the end of the track but didn't arrive. No ticks may be processed
    /// after this call.
    ///
    /// - Returns: The periods in which frames are missing and the source didn't report a cause.
    package mutating func finish() -> [SilentStretch] {
        guard let decidedThrough else { return [] }
        let last = decidedThrough + min(cameraInterval, rate.interval) / 2
        for entry in entries where entry.time <= last { due.recordFrame(at: entry.time) }
        due.finish(at: last)
        return due.silences
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
}
