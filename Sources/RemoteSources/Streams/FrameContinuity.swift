internal import MulticamMedia

/// Counts missing frames from the timestamps of successive frames.
///
/// A gap counts as a loss only if the stream was regular before the gap. A camera that reduces its rate in
/// dim light delivers frames with one gap after another, but doesn't lose frames.
struct FrameContinuity {
    /// Nominal time between two frames.
    let interval: Nanoseconds
    /// Whether the decoding order of frames differs from their presentation order.
    var isReordered: Bool { disorder > Self.mostDisorder && stepCounts.forward > 0 }
    /// Whether timestamps decrease from each frame to the next.
    var isReversed: Bool { stepCounts.forward == 0 && stepCounts.back >= Self.minReversedSteps }
    /// Number of backward and forward steps since the last ten consecutive forward steps.
    private var stepCounts = (back: 0, forward: 0)
    /// Reordering score: each frame that arrives before an earlier one adds 10, every other frame subtracts 1.
    private var disorder = 0
    private var last: Nanoseconds?
    /// Number of consecutive frames that were one interval apart.
    private var regular = 0
    /// Frames dropped since the last frame that was passed on.
    private var dropped = 0

    /// Number of regular frames that must precede a gap for it to count as a loss.
    private static let minRegularSteps = 10
    private static let mostDisorder = 30
    /// Number of consecutive backward steps that can't be caused by B-frames.
    private static let minReversedSteps = 8
    /// Maximum gap that counts as missing frames, in stream time. A longer gap counts as an outage.
    private static let maxGap = Nanoseconds.seconds(10)

    init(interval: Nanoseconds) { self.interval = max(interval, Nanoseconds(1)) }

    /// Processes a frame.
    ///
    /// - Parameters:
    ///   - stamp: Timestamp of the frame.
    ///   - isDamaged: Whether part of the frame, or data before it, is known to be lost.
    ///   - isLossKnown: Whether data before the frame is known to be lost while the frame itself is intact.
    /// - Returns: Number of frames missing before this one; `nil` if this frame must be dropped.
    mutating func record(_ stamp: Nanoseconds, isDamaged: Bool, isLossKnown: Bool = false) -> Int? {
        guard let before = last else {
            last = stamp
            guard !isDamaged else { return drop() }
            defer { dropped = 0 }
            return dropped
        }
        let distance = stamp - before
        disorder = max(distance <= .zero ? disorder + 10 : disorder - 1, 0)
        if distance <= .zero { stepCounts.back += 1 } else if stepCounts.back > 0 { stepCounts.forward += 1 }
        if disorder == 0 { stepCounts = (0, 0) }
        last = stamp
        let steps = Double(distance.count) / Double(interval.count)
        let isRegular = (0.6...1.4).contains(steps)
        var missing = 0
        if steps > 1.5, distance < Self.maxGap, regular >= Self.minRegularSteps || isDamaged || isLossKnown {
            missing = Int(rounding: steps) - 1
        }
        regular = isRegular ? regular + 1 : 0
        dropped += missing
        guard !isDamaged else { return drop() }
        defer { dropped = 0 }
        return dropped
    }

    /// Records that the timestamps have a new origin. As a result, the next timestamp isn't used to count
    /// missing frames.
    mutating func interrupt() { last = nil }

    /// Counts the frame that was just processed as lost.
    mutating func recordLoss() { dropped += 1 }

    private mutating func drop() -> Int? {
        dropped += 1
        return nil
    }
}

/// Detects a stream that continues without new frames, for example because all packets carry one timestamp or
/// contain only audio. This is a value type; the caller passes the time.
struct FrameWatchdog {
    private var newest: Nanoseconds?
    private var advanced: ClockTime

    /// Maximum time without a new frame.
    static let timeout = Nanoseconds.seconds(3)

    init(since now: ClockTime) { advanced = now }

    /// Records a packet of the video stream.
    ///
    /// - Parameters:
    ///   - stamp: Timestamp of the packet; `nil` if missing.
    ///   - now: Arrival time.
    mutating func record(_ stamp: Nanoseconds?, at now: ClockTime) {
        // Any other timestamp belongs to a new frame. Timestamps go back when their origin changes or when frames are
        // reordered.
        guard let stamp, stamp != newest else { return }
        (newest, advanced) = (stamp, now)
    }

    /// Whether no new frame has begun within `timeout`.
    func isStalled(at now: ClockTime) -> Bool { now - advanced > Self.timeout }
}

/// Detects a camera that gives several frames the same timestamp, for example one timestamp per group of pictures.
struct RepeatedTimestamps {
    private var newest: Nanoseconds?
    private var (frames, repeated) = (0, 0)

    /// Number of frames that are judged together.
    private static let window = 48

    /// Whether at least a quarter of the latest frames repeat the timestamp of the frame before them.
    private(set) var isFrequent = false

    /// Records a frame. Call this method once per frame, not for every slice.
    mutating func record(_ stamp: Nanoseconds) {
        frames += 1
        if stamp == newest { repeated += 1 }
        newest = stamp
        if repeated * 4 >= Self.window { isFrequent = true }
        if frames == Self.window { (frames, repeated) = (0, 0) }
    }
}

/// Estimates the frame rate of a stream.
enum RateEstimate {
    /// Common camera frame rates, in frames per second.
    private static let standardRates: [Double] = [
        1, 2, 3, 4, 5, 6, 7.5, 8, 10, 12, 12.5, 15, 18, 20, 24, 25, 30, 40, 45, 48, 50, 60, 72, 75, 90, 100,
        120, 144, 240,
    ]
    /// Maximum relative deviation from a common rate.
    private static let tolerance = 0.04

    /// Checks whether timestamps fail to advance while frames arrive.
    ///
    /// - Parameters:
    ///   - span: Difference between the first timestamp and the latest.
    ///   - time: Difference between the first arrival and the last. Delayed frames arrive in less time than
    ///     their timestamps cover, not in more.
    /// - Returns: `true` if at least 2 s have elapsed and the timestamps cover less than an eighth of this
    ///   time.
    static func isFrozen(stamps span: Nanoseconds, over time: Nanoseconds) -> Bool {
        time >= .seconds(2) && span * 8 < time
    }

    /// Estimates the frame rate from timestamps.
    ///
    /// - Parameters:
    ///   - stamps: Timestamps in any order.
    ///   - guessed: The rate that the stream declares, used if there are too few frames.
    /// - Returns: The common frame rate that is close to the estimate; if there is none, the declared rate,
    ///   or 25 frames per second if no rate is declared.
    static func rate(ofStamps stamps: [Nanoseconds], guessed: FrameRate?) -> FrameRate {
        let ordered = stamps.sorted()
        let intervals = zip(ordered.dropFirst(), ordered).map { ($0 - $1).count }.filter { $0 > 0 }.sorted()
        guard intervals.count >= 5 else { return guessed ?? FrameRate(25) }
        let median = 1e9 / Double(intervals[intervals.count / 2])
        if let guessed, abs(guessed.perSecond / median - 1) < tolerance, guessed.seconds == 1001 {
            return guessed
        }
        return standardRate(near: median) ?? guessed ?? FrameRate(25)
    }

    /// Estimates the frame rate from arrival times in ascending order. Frames that a server had buffered arrive in a
    /// burst at the beginning and don't count.
    static func rate(ofArrivals times: [ClockTime]) -> FrameRate {
        let steady = times.dropFirst(times.count / 3)
        guard let first = steady.first, let last = steady.last, steady.count >= 3, last > first else {
            return FrameRate(25)
        }
        let measured = Double(steady.count - 1) / (last - first).inSeconds
        let round = [1, 2, 5, 10, 15, 20, 25, 30, 50, 60, 90, 120].min {
            abs($0 / measured - 1) < abs($1 / measured - 1)
        }
        if let round, abs(round / measured - 1) < 0.1 { return FrameRate(round) ?? FrameRate(25) }
        return standardRate(near: measured) ?? FrameRate(25)
    }

    private static func standardRate(near measured: Double) -> FrameRate? {
        guard let nearest = standardRates.min(by: { abs($0 / measured - 1) < abs($1 / measured - 1) }),
            abs(nearest / measured - 1) < tolerance
        else { return FrameRate(min(max(measured, 1), 240).rounded()) }
        return FrameRate(nearest)
    }
}
