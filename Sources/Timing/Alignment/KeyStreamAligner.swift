public import Media

/// Gives the frames of a copied H.264 stream their presentation times: each frame's own capture time, to the nearest tick of a
/// fine time scale.
///
/// Such a track repeats and skips nothing, since its frames depend on each other. It begins with the last key frame at or
/// before T0, whose time is then 0 or negative, and holds every frame from there on. A camera that is faster or slower than
/// nominal is on no grid, so none of its frames may be moved to one: over hours they would fall later and later.
public struct KeyStreamAligner<Frame> {
    private let start: ClockTime
    /// Ticks per second.
    private let timeScale: Int64
    private var waiting: [(frame: Frame, time: ClockTime)] = []
    private var lastTick: Int64?
    /// Whether the first frame, a key frame, has its time or is about to have it.
    private var hasBegun = false
    /// The frames captured from T0 on, and those lost.
    public private(set) var counts = FrameCounts()

    /// Creates an aligner for the track of one recording.
    ///
    /// - Parameters:
    ///   - start: T0 on `CLOCK_MONOTONIC`.
    ///   - timeScale: Ticks per second, above zero: fine enough that two frames never fall on one tick.
    public init(start: ClockTime, timeScale: Int64 = StreamParameters.ownTimeScale) {
        self.start = start
        self.timeScale = timeScale
    }

    /// Takes the next frame, in the order of capture. Without a key frame before it, a frame is lost.
    public mutating func add(_ frame: Frame, isKey: Bool, capturedAt time: ClockTime) {
        if !hasBegun && isKey && (time <= start || waiting.isEmpty) {
            waiting.removeAll()
        } else if !hasBegun && waiting.isEmpty {
            // Without a key frame before it the frame cannot be decoded.
            addLoss(count: 1, cause: .late, capturedAt: time)
            return
        }
        waiting.append((frame, time))
    }

    /// Dates the waiting frames anew; their order stays.
    ///
    /// - Parameter time: Returns the capture time of a frame from the frame and the time it had so far.
    public mutating func redate(_ time: (Frame, ClockTime) -> ClockTime) {
        waiting = waiting.map { ($0.frame, time($0.frame, $0.time)) }
    }

    /// Whether no frame waits for its time.
    public var isEmpty: Bool { waiting.isEmpty }

    /// Counts lost frames. Frames that would have been captured before T0 do not count.
    public mutating func addLoss(count: Int, cause: LossCause, capturedAt time: ClockTime) {
        if count > 0, time >= start { counts.lost[cause, default: 0] += count }
    }

    /// Takes the frames captured before `limit`.
    ///
    /// - Returns: Each frame with its capture time since T0 in ticks, strictly increasing; negative for frames before T0. Empty
    ///   as long as `limit` is not after T0.
    public mutating func take(before limit: ClockTime) -> [(frame: Frame, tick: Int64)] {
        guard limit > start, !waiting.isEmpty else { return [] }
        hasBegun = true
        let end = ticks(of: limit)
        var ready: [(frame: Frame, tick: Int64)] = []
        for entry in waiting {
            let own = ticks(of: entry.time)
            // A clock that is dated anew may put a frame no later than the one before: one tick parts them, 11 µs at the usual
            // scale.
            let tick = lastTick.map { max(own, $0 + 1) } ?? own
            guard tick < end else { break }
            lastTick = tick
            // Frames before T0 only serve to decode those that follow.
            if tick >= 0 { counts.captured += 1 }
            ready.append((entry.frame, tick))
        }
        waiting.removeFirst(ready.count)
        return ready
    }

    private func ticks(of time: ClockTime) -> Int64 {
        MediaTime(time, since: start).ticks(perSecond: timeScale)
    }
}
