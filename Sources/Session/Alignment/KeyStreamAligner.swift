public import Media

/// Gives the pictures of a copied H.264 stream their ticks: the nearest one each, strictly increasing.
///
/// Such a track repeats and skips nothing, since its pictures depend on each other. It begins with the last key picture
/// at or before T0, whose tick is then 0 or negative, and holds every picture from there on.
public struct KeyStreamAligner<Picture> {
    private let start: ClockTime
    public let rate: FrameRate
    private var waiting: [(picture: Picture, time: ClockTime)] = []
    private var lastTick: Int64?
    /// Whether its first picture, a key picture, has its tick or is about to have it.
    private var hasBegun = false
    public private(set) var counts = FrameCounts()

    public init(start: ClockTime, rate: FrameRate) {
        self.start = start
        self.rate = rate
    }

    /// Takes a picture in the order of capture.
    public mutating func add(_ picture: Picture, isKey: Bool, capturedAt time: ClockTime) {
        if !hasBegun && isKey && (time <= start || waiting.isEmpty) {
            waiting.removeAll()
        } else if !hasBegun && waiting.isEmpty {
            // Without a key picture before it nobody can show it.
            addLoss(count: 1, cause: .late, capturedAt: time)
            return
        }
        waiting.append((picture, time))
    }

    /// Takes what has become known of pictures that wait for their ticks; their order stays.
    ///
    /// - Parameter time: When a picture was captured, that was said to have been captured when.
    public mutating func redate(_ time: (Picture, ClockTime) -> ClockTime) {
        waiting = waiting.map { ($0.picture, time($0.picture, $0.time)) }
    }

    /// Whether no picture waits for its tick.
    public var isEmpty: Bool { waiting.isEmpty }

    public mutating func addLoss(count: Int, cause: LossCause, capturedAt time: ClockTime) {
        if count > 0, time >= start { counts.lost[cause, default: 0] += count }
    }

    /// The pictures whose ticks come before `limit`, with them. Nothing before T0 is reached.
    public mutating func take(before limit: ClockTime) -> [(picture: Picture, tick: Int64)] {
        guard limit > start, !waiting.isEmpty else { return [] }
        hasBegun = true
        let end = rate.ticks(before: MediaTime(limit, since: start))
        var ready: [(picture: Picture, tick: Int64)] = []
        for entry in waiting {
            let nearest = nearestTick(to: entry.time)
            let tick = max(nearest, (lastTick ?? nearest - 1) + 1)
            guard tick < end else { break }
            lastTick = tick
            // What lies before T0 only serves to decode what follows.
            if tick >= 0 { counts.captured += 1 }
            ready.append((entry.picture, tick))
        }
        waiting.removeFirst(ready.count)
        return ready
    }

    private func nearestTick(to time: ClockTime) -> Int64 {
        let offset = MediaTime(time, since: start)
        let exact = Double(offset.nanoseconds) * rate.perSecond / 1e9
        return Int64(exact.rounded())
    }
}
