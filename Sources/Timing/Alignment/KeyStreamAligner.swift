package import MulticamMedia

/// Assigns presentation times to the frames of a copied H.264 stream. Each frame gets its capture time,
/// rounded to a tick of a fine time scale.
///
/// Frames in a copied stream depend on each other, so frames are never duplicated or decimated. The track
/// begins with the last key frame at or before T0, whose presentation time is 0 or negative, and contains
/// every later frame. Frames aren't aligned to a frame grid, because a camera doesn't run exactly at its
/// nominal rate: over hours, the presentation times would drift further and further from the capture times.
package struct KeyStreamAligner<Frame> {
    private let start: ClockTime
    /// Time scale of the track in ticks per second.
    private let timeScale: Int64
    private var waiting: [(frame: Frame, time: ClockTime)] = []
    private var lastTick: Int64?
    /// Whether the first frame, which is a key frame, has been assigned a presentation time or is about to be
    /// assigned one.
    private var hasBegun = false
    /// Counter for frames that were due but lost.
    private var due: DueFrames
    private var captured = 0

    /// Current counts of the frames missing from the track.
    package var delivery: DeliveryCounts {
        var delivery = DeliveryCounts()
        delivery.lost = due.lost
        return delivery
    }
    /// Counts of the frames captured since T0 and of the lost frames.
    package var counts: FrameCounts {
        var counts = FrameCounts(delivery, written: FateCounts())
        counts.captured = captured
        return counts
    }

    /// Creates an aligner for the track of one recording.
    ///
    /// - Parameters:
    ///   - start: T0, the start time of the recording, on `CLOCK_MONOTONIC`.
    ///   - timeScale: Number of ticks per second, greater than zero. The time scale must be fine enough that
    ///     two frames never share a tick.
    ///   - cameraInterval: The camera's negotiated frame interval; `nil` if frames don't arrive at regular
    ///     intervals. In that case, only reported losses are counted.
    ///   - defaultCause: Loss cause that is used if the source doesn't report a cause.
    package init(
        start: ClockTime, timeScale: Int64 = StreamParameters.captureTimeScale,
        cameraInterval: Nanoseconds? = nil, defaultCause: LossCause = .disconnected
    ) {
        self.start = start
        self.timeScale = timeScale
        due = DueFrames(
            interval: cameraInterval ?? Nanoseconds(1), isPaced: cameraInterval != nil,
            defaultCause: defaultCause)
        due.begin(at: start)
    }

    /// Adds the next frame in capture order. A frame that isn't preceded by a key frame is counted as lost.
    package mutating func add(_ frame: Frame, isKey: Bool, capturedAt time: ClockTime) {
        if !hasBegun && isKey && (time <= start || waiting.isEmpty) {
            waiting.removeAll()
        } else if !hasBegun && waiting.isEmpty {
            // The frame can't be decoded without a preceding key frame.
            addLoss(count: 1, cause: .late, capturedAt: time)
            return
        }
        waiting.append((frame, time))
    }

    /// Recomputes the capture times of the frames that haven't been assigned a presentation time. The order
    /// of the frames doesn't change.
    ///
    /// - Parameter time: A closure that returns the new capture time of a frame, given the frame and its
    ///   previous capture time.
    package mutating func redate(_ time: (Frame, ClockTime) -> ClockTime) {
        waiting = waiting.map { ($0.frame, time($0.frame, $0.time)) }
    }

    /// Whether all frames have been assigned a presentation time.
    package var isEmpty: Bool { waiting.isEmpty }

    /// Updates the camera's frame interval from a clock reading.
    package mutating func updateInterval(from clock: ClockReading) {
        due.updateInterval(measured: clock.isLocked ? clock.interval : nil)
    }

    /// Changes the negotiated frame interval, effective at a given time.
    package mutating func change(nominal: Nanoseconds, from time: ClockTime) {
        due.change(nominal: nominal, from: time)
    }

    /// Capture time of the last frame that was counted; `nil` if no frame has been counted.
    package var lastCounted: ClockTime? { due.lastFrame }

    /// Shifts the capture time of the last counted frame. The due times of later frames are computed from
    /// this time.
    package mutating func shiftLastCounted(by time: Nanoseconds) { due.shift(by: time) }

    /// Records the cause of missing frames. Missing frames are counted only if they were due after T0.
    package mutating func addLoss(count: Int, cause: LossCause, capturedAt time: ClockTime) {
        due.recordLoss(count: count, cause: cause, at: time)
    }

    /// Records that the camera became unavailable at a given time, and the cause.
    package mutating func beginOutage(at time: ClockTime, cause: LossCause) {
        due.beginOutage(at: time, cause: cause)
    }

    /// Records that the camera became available again at a given time.
    package mutating func endOutage(at time: ClockTime) { due.endOutage(at: time) }

    /// Counts the frames that were due by the end of the track but didn't arrive.
    ///
    /// - Returns: The periods in which frames are missing and the source didn't report a cause.
    package mutating func finish(at end: ClockTime) -> [SilentStretch] {
        due.finish(at: end - due.interval / 2)
        return due.silences
    }

    /// Removes the frames captured before `limit` and returns them.
    ///
    /// - Returns: Each frame with its capture time relative to T0, in ticks. The ticks increase strictly and
    ///   are negative for frames before T0. The result is empty until `limit` is after T0.
    package mutating func dequeue(before limit: ClockTime) -> [(frame: Frame, tick: Int64)] {
        guard limit > start else { return [] }
        defer { due.countOverdue(until: limit - Self.maxDeliveryDelay, waiting: waiting.first?.time) }
        guard !waiting.isEmpty else { return [] }
        hasBegun = true
        let end = ticks(of: limit)
        var ready: [(frame: Frame, tick: Int64)] = []
        for entry in waiting {
            let own = ticks(of: entry.time)
            // After a clock correction, a frame's time may no longer be later than that of the previous
            // frame. The frame is then placed one tick after the previous frame (11 µs at the usual time
            // scale).
            let tick = lastTick.map { max(own, $0 + 1) } ?? own
            guard tick < end else { break }
            lastTick = tick
            // Frames before T0 are needed only to decode the frames after them.
            if tick >= 0 { captured += 1 }
            due.recordFrame(at: entry.time)
            ready.append((entry.frame, tick))
        }
        waiting.removeFirst(ready.count)
        return ready
    }

    /// Maximum delivery delay of a frame. A frame that exceeds this delay is counted as lost, and the loss is
    /// removed if the frame arrives after all.
    private static var maxDeliveryDelay: Nanoseconds { .seconds(1) }

    private func ticks(of time: ClockTime) -> Int64 {
        MediaTime(time, since: start).ticks(perSecond: timeScale)
    }
}
