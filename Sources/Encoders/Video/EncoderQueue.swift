internal import Media

/// The ticks that wait for one encoder, each once and in order.
///
/// The queue is bounded in time and in memory. At most `room` ticks wait with the layers of new frames: one second of
/// the grid, and no more than 30. While the encoder would take over half a second for them, at most half as many
/// wait. The oldest ticks beyond that become repeats of the frame before them. Repeats in a row are one job however
/// many they are, and the encoder takes a long run of them at the cost of a few frames. No tick is dropped.
///
/// A value: ticks in, jobs out.
struct EncoderQueue: Sendable {
    /// The work for one tick, or for a run of repeated ticks.
    enum Job: Sendable {
        case encode(Frame)
        /// Shows the last frame again at each tick. `asKey` asks for a key frame at the first of them.
        case repeatLast(ticks: Range<Int64>, asKey: Bool)
    }

    /// A new frame, or a slate, for one tick.
    struct Frame: Sendable {
        var layers: [FrameLayer]
        var tick: Int64
        var asKey: Bool
        /// Whether the frame is a slate, and not a captured frame.
        var isSlate: Bool
    }

    /// Counts of frames that were replaced by a repeat of their predecessor.
    struct Replaced: Sendable, Equatable {
        var captured = 0
        var slates = 0

        mutating func add(_ frame: Frame) {
            if frame.isSlate { slates += 1 } else { captured += 1 }
        }
    }

    /// Most ticks that may wait with new frames.
    let room: Int
    private var jobs: [Job] = []
    /// Ticks of the jobs from the first new frame on.
    private var windowTicks = 0
    private(set) var tickCount = 0
    /// Frames that waited for so long that repeats replaced them.
    private(set) var replaced = Replaced()

    /// Creates an empty queue.
    ///
    /// - Parameter rate: Rate of the ticks.
    init(rate: FrameRate) {
        room = min(max(Int(rounding: rate.perSecond), 2), Self.mostRoom)
    }

    private static let mostRoom = 30

    var isEmpty: Bool { jobs.isEmpty }
    var hasRoom: Bool { tickCount < room }
    /// How many jobs hold the layers of a new frame.
    var frameCount: Int {
        jobs.count { job in
            if case .encode = job { true } else { false }
        }
    }
    /// How many jobs are runs of repeats.
    var runCount: Int { jobs.count - frameCount }

    /// Adds the next tick, with a new frame.
    ///
    /// - Parameters:
    ///   - frame: The frame of that tick.
    ///   - isSlow: Whether the encoder would take over half a second for what waits.
    mutating func append(_ frame: Frame, isSlow: Bool = false) {
        tickCount += 1
        windowTicks += 1
        jobs.append(.encode(frame))
        shorten(to: limit(isSlow))
    }

    /// Adds the next tick, which shows the frame before it again.
    mutating func appendRepeat(of tick: Int64, asKey: Bool, isSlow: Bool = false) {
        tickCount += 1
        if jobs.contains(where: { $0.isFrame }) { windowTicks += 1 }
        if !asKey, case .repeatLast(let ticks, let isKey)? = jobs.last, ticks.upperBound == tick {
            jobs[jobs.count - 1] = .repeatLast(ticks: ticks.lowerBound..<tick + 1, asKey: isKey)
        } else {
            jobs.append(.repeatLast(ticks: tick..<tick + 1, asKey: asKey))
        }
        shorten(to: limit(isSlow))
    }

    /// Removes and returns the next job.
    mutating func takeFirst() -> Job? {
        guard !jobs.isEmpty else { return nil }
        let job = jobs.removeFirst()
        tickCount -= job.tickCount
        windowTicks = jobs.drop { !$0.isFrame }.reduce(0) { $0 + $1.tickCount }
        return job
    }

    private func limit(_ isSlow: Bool) -> Int { isSlow ? max(room / 2, 1) : room }

    private mutating func shorten(to limit: Int) {
        while windowTicks > limit, let index = jobs.firstIndex(where: { $0.isFrame }) {
            giveUpTick(at: index)
        }
    }

    /// Makes the tick of the first waiting frame a repeat. The frame moves to the next tick, unless that has its own.
    private mutating func giveUpTick(at index: Int) {
        guard case .encode(var frame) = jobs[index] else { return }
        jobs[index] = .repeatLast(ticks: frame.tick..<frame.tick + 1, asKey: frame.asKey)
        windowTicks -= 1
        if case .repeatLast(let ticks, let asKey)? = jobs[(index + 1)...].first {
            (frame.tick, frame.asKey) = (ticks.lowerBound, asKey)
            jobs[index + 1] = .encode(frame)
            let rest = ticks.lowerBound + 1..<ticks.upperBound
            if !rest.isEmpty { jobs.insert(.repeatLast(ticks: rest, asKey: false), at: index + 2) }
        } else {
            replaced.add(frame)
        }
        joinRuns(at: index)
        windowTicks = jobs.drop { !$0.isFrame }.reduce(0) { $0 + $1.tickCount }
    }

    /// Joins a run of repeats with the one before it, unless it begins with a key frame.
    private mutating func joinRuns(at index: Int) {
        guard index > 0, case .repeatLast(let before, let asKey) = jobs[index - 1],
            case .repeatLast(let ticks, asKey: false) = jobs[index], before.upperBound == ticks.lowerBound
        else { return }
        jobs[index - 1] = .repeatLast(ticks: before.lowerBound..<ticks.upperBound, asKey: asKey)
        jobs.remove(at: index)
    }
}

extension EncoderQueue.Job {
    var isFrame: Bool { if case .encode = self { true } else { false } }

    var tickCount: Int {
        switch self {
        case .encode: 1
        case .repeatLast(let ticks, _): ticks.count
        }
    }
}
