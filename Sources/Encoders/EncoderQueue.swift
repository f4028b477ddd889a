import MulticamMedia

/// The queue of ticks for one encoder. Each tick is queued once, in order.
///
/// The queue is bounded in time and in memory. It is full if it holds `capacity` ticks, counted from the oldest
/// queued frame: one second of the grid, but no more than 30 ticks. The limit is halved if the encoder would
/// take more than half a second for the queued ticks. If the queue is full, the oldest queued frame isn't
/// encoded, and its tick duplicates the previous frame (cause: `encoder`). If the next tick is a duplicate, the
/// frame is shown there instead. No tick is dropped.
///
/// Consecutive duplicates form one job regardless of their number, and encoding a long run of duplicates costs
/// only as much as a few frames.
///
/// This pure value type converts ticks to jobs.
struct EncoderQueue: Sendable {
    /// The work for one tick, or for a run of duplicates.
    enum Job: Sendable {
        case encode(Frame)
        /// Duplicates the last frame at each tick. `asKey` requests a key frame at the first tick; `fates`
        /// contains the fate (`Fate`) of each tick.
        case repeatLast(ticks: Range<Int64>, asKey: Bool, fates: FateRun)
    }

    /// A new frame, or a slate, for one tick.
    struct Frame: Sendable {
        var layers: [FrameLayer]
        var tick: Int64
        var asKey: Bool
        /// The content of the tick: a captured frame or a slate.
        var fate: Fate
    }

    /// Maximum number of queued ticks with new frames.
    let capacity: Int
    private var jobs: [Job] = []
    /// Number of ticks in the first job that has a new frame, and in all later jobs.
    private var windowTicks = 0
    private(set) var tickCount = 0

    /// Creates an empty queue.
    ///
    /// - Parameter rate: Rate of the ticks.
    init(rate: FrameRate) {
        capacity = min(max(Int(rounding: rate.perSecond), 2), Self.maxCapacity)
    }

    private static let maxCapacity = 30

    var isEmpty: Bool { jobs.isEmpty }
    var hasRoom: Bool { tickCount < capacity }
    /// Number of jobs that hold the layers of a new frame.
    var frameCount: Int {
        jobs.count { job in
            if case .encode = job { true } else { false }
        }
    }
    /// Number of jobs that are runs of duplicates.
    var runCount: Int { jobs.count - frameCount }

    /// Adds the next tick, with a new frame.
    ///
    /// - Parameters:
    ///   - frame: The frame of the added tick.
    ///   - isSlow: Whether the encoder would take more than half a second for the queued ticks.
    mutating func append(_ frame: Frame, isSlow: Bool = false) {
        tickCount += 1
        windowTicks += 1
        jobs.append(.encode(frame))
        shorten(to: limit(isSlow))
    }

    /// Adds the next tick, which duplicates the previous frame.
    mutating func appendRepeat(of tick: Int64, asKey: Bool, fate: Fate, isSlow: Bool = false) {
        tickCount += 1
        if jobs.contains(where: { $0.isFrame }) { windowTicks += 1 }
        if !asKey, case .repeatLast(let ticks, let isKey, var fates)? = jobs.last, ticks.upperBound == tick {
            fates.append(fate)
            jobs[jobs.count - 1] = .repeatLast(
                ticks: ticks.lowerBound..<tick + 1, asKey: isKey, fates: fates)
        } else {
            jobs.append(.repeatLast(ticks: tick..<tick + 1, asKey: asKey, fates: FateRun(fate)))
        }
        shorten(to: limit(isSlow))
    }

    /// Replaces all queued frames with duplicates, so that the queue can be emptied quickly.
    mutating func replaceFramesWithRepeats() {
        while let index = jobs.firstIndex(where: { $0.isFrame }) { repeatPreviousFrame(at: index) }
    }

    /// Removes and returns the next job.
    mutating func popFirst() -> Job? {
        guard !jobs.isEmpty else { return nil }
        let job = jobs.removeFirst()
        tickCount -= job.tickCount
        windowTicks = jobs.drop { !$0.isFrame }.reduce(0) { $0 + $1.tickCount }
        return job
    }

    private func limit(_ isSlow: Bool) -> Int { isSlow ? max(capacity / 2, 1) : capacity }

    private mutating func shorten(to limit: Int) {
        while windowTicks > limit, let index = jobs.firstIndex(where: { $0.isFrame }) {
            repeatPreviousFrame(at: index)
        }
    }

    /// Turns the tick of the first queued frame into a duplicate. The frame moves to the next tick, unless that tick
    /// has its own frame.
    private mutating func repeatPreviousFrame(at index: Int) {
        guard case .encode(var frame) = jobs[index] else { return }
        let tick = frame.tick..<frame.tick + 1
        windowTicks -= 1
        if case .repeatLast(let ticks, let asKey, var fates)? = jobs[(index + 1)...].first {
            // The two ticks exchange their fates, because they exchange their content.
            jobs[index] = .repeatLast(ticks: tick, asKey: frame.asKey, fates: fates.removeFirst(1))
            (frame.tick, frame.asKey) = (ticks.lowerBound, asKey)
            jobs[index + 1] = .encode(frame)
            let rest = ticks.lowerBound + 1..<ticks.upperBound
            if !rest.isEmpty {
                jobs.insert(.repeatLast(ticks: rest, asKey: false, fates: fates), at: index + 2)
            }
        } else {
            let fate = frame.fate.superseded(by: .encoder)
            jobs[index] = .repeatLast(ticks: tick, asKey: frame.asKey, fates: FateRun(fate))
        }
        joinRuns(at: index)
        windowTicks = jobs.drop { !$0.isFrame }.reduce(0) { $0 + $1.tickCount }
    }

    /// Merges a run of duplicates with the previous run, unless the run begins with a key frame.
    private mutating func joinRuns(at index: Int) {
        guard index > 0, case .repeatLast(let before, let asKey, var fates) = jobs[index - 1],
            case .repeatLast(let ticks, asKey: false, let more) = jobs[index],
            before.upperBound == ticks.lowerBound
        else { return }
        fates.append(more)
        jobs[index - 1] = .repeatLast(
            ticks: before.lowerBound..<ticks.upperBound, asKey: asKey, fates: fates)
        jobs.remove(at: index)
    }
}

extension EncoderQueue.Job {
    var isFrame: Bool { if case .encode = self { true } else { false } }

    var tickCount: Int {
        switch self {
        case .encode: 1
        case .repeatLast(let ticks, _, _): ticks.count
        }
    }

    /// The fates (`Fate`) of the job's ticks, in order.
    var fates: FateRun {
        switch self {
        case .encode(let frame): FateRun(frame.fate)
        case .repeatLast(_, _, let fates): fates
        }
    }
}
