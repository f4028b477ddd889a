import MulticamMedia

/// Checks whether a device's timestamps still agree with the line fitted to them, and detects when the
/// timestamps agree with another line.
///
/// The current line is replaced only if the timestamps agree on another line. Outliers, late timestamps while
/// the host is busy for a second, and a burst of frames after a stall don't form such a line. The current
/// line is abandoned quickly if the device's rate has changed or the timestamps have jumped far. In all other
/// cases, the line is abandoned after 1.5 s, so that a delay of one second has no effect.
/// `StraightLineMonitor` is a value type that doesn't use a clock or a thread.
struct StraightLineMonitor: Sendable {
    /// The current line, with times in nanoseconds.
    struct Line: Sendable {
        /// The device's count at the newest end of the line.
        let newestCount: Int64
        /// Number of timestamps to which the line is fitted.
        let stampCount: Int
        /// Slope of the line: number of nanoseconds per count.
        let interval: Double
        /// Number of nanoseconds per count at the rate of the device's crystal. In low light, a camera
        /// divides its frame rate by an integer to expose longer.
        let crystalInterval: Double
        /// Standard error of the line at its newest end, in nanoseconds.
        let error: Double
        /// Standard deviation of the timestamps from the line, in nanoseconds.
        let scale: Double
        /// Maximum distance from the line at which a timestamp still belongs to the line, in nanoseconds.
        let clamp: Double
    }

    /// A new line on which the latest timestamps agree.
    struct Move: Sendable {
        /// The timestamps that lie on the new line.
        let stamps: [DeviceStamp]
        /// Slope of the new line minus slope of the old line, in nanoseconds per count.
        let slope: Double
        /// Standard error of `slope`.
        let slopeError: Double
    }

    enum Verdict: Sendable {
        case onLine
        case offLine
        case moved(Move)
        /// The timestamps scatter more than the clamp of the line allows.
        case scattered
    }

    /// A group of at least four timestamps that covers about a quarter of a second.
    private struct Slot {
        var begin: Int64?
        var count = 0
        var sum = 0.0
    }

    private typealias Reading = (stamp: DeviceStamp, deviation: Double)

    /// Length of a slot in nanoseconds (0.24 s), which equals six frames at 25 frames per second.
    private static let slotNanoseconds = 0.24e9
    private static let slotStamps = 4
    /// Number of consecutive shifted slots after which the line is abandoned, about 1.5 s. This period is
    /// longer than a delay of one second on a busy host, including the partly affected slots at both ends of
    /// the delay.
    private static let slotsToLeave = 6
    /// The next three constants are required numbers of consecutive deviating timestamps: to detect another
    /// rate or a large jump, to restart after the device's count has decreased, and to abandon a line that is
    /// fitted to only that many timestamps or fewer.
    private static let stampsToLeave = 8
    private static let stampsBack = 3
    private static let stampsOfFirstLine = 4
    /// Minimum size in nanoseconds (0.25 s) of a time jump that can't be explained by a busy host.
    private static let largeJump = 0.25e9
    /// Minimum relative difference between two rates that are treated as different.
    private static let otherRate = 0.2
    /// Multiples of the device's crystal interval. A new line with such an interval is accepted with fewer
    /// timestamps. The next two constants apply to such a line: the minimum number of timestamps, and the
    /// minimum slope in standard errors.
    private static let multiples = 1...4
    private static let (stampsOfMultiple, errorsOfMultiple) = (3, 8.0)
    /// Maximum relative decrease of the interval on a new line. No device suddenly counts 20 times faster.
    private static let fastest = 0.95
    /// Minimum fraction of the timestamps that must be within the clamp of a new line.
    private static let agreeing = 0.8
    /// Maximum fractions of about the last 100 timestamps that may be outside the clamp, in total and on each
    /// side. If both fractions are exceeded, the timestamps are considered scattered.
    private static let (scatteredShare, scatteredOnOneSide, shareMemory) = (0.15, 0.02, 100.0)
    /// Number of consecutive deviating timestamps after which only every eighth deviating timestamp is
    /// examined, because a series of outliers can last for minutes.
    private static let fullyExaminedStamps = 16
    private static let mostStamps = 256

    /// Consecutive timestamps that deviate from the line.
    private var deviatingRun: [Reading] = []
    /// Consecutive timestamps since the device's count was last reset.
    private var stampsSinceReset: [Reading] = []
    /// Timestamps of the current slot and of the directly preceding slots whose mean deviated from the line.
    private var run: [Reading] = []
    private var runSlots = 0
    private var slot = Slot()
    private var (lateShare, earlyShare) = (0.0, 0.0)

    /// Whether the latest timestamps suggest that the current line is no longer valid.
    var isLineDoubtful: Bool { deviatingRun.count > 2 || runSlots > 1 }

    /// Evaluates the next timestamp.
    ///
    /// - Parameters:
    ///   - stamp: The next timestamp.
    ///   - deviation: Distance of the timestamp from the line, in nanoseconds.
    ///   - line: The line fitted without this timestamp.
    /// - Returns: Whether the timestamp is on the line, and whether the latest timestamps have moved to
    ///   another line or are scattered.
    mutating func evaluate(_ stamp: DeviceStamp, deviation: Double, line: Line) -> Verdict {
        let isOff = abs(deviation) > line.clamp
        if stamp.count <= line.newestCount {
            guard isOff else { return .offLine }
            // If the device's count restarts, a new line begins immediately.
            if let last = stampsSinceReset.last, stamp.count <= last.stamp.count {
                stampsSinceReset.removeAll()
            }
            stampsSinceReset.append((stamp, deviation))
            guard stampsSinceReset.count >= min(Self.stampsBack, line.stampCount) else { return .offLine }
            return .moved(Move(stamps: stampsSinceReset.map(\.stamp), slope: 0, slopeError: 0))
        }
        stampsSinceReset.removeAll(keepingCapacity: true)
        if let verdict = addToSlot((stamp, deviation), line) {
            return verdict
        }
        let isScattered = detectScatter(deviation, isOff: isOff)
        guard isOff else {
            deviatingRun.removeAll(keepingCapacity: true)
            return .onLine
        }
        if isScattered { return .scattered }
        if let last = deviatingRun.last,
            stamp.count <= last.stamp.count || deviatingRun.count == Self.mostStamps
        {
            deviatingRun.removeAll(keepingCapacity: true)
        }
        deviatingRun.append((stamp, deviation))
        let isFirstLine = deviatingRun.count >= max(line.stampCount, Self.stampsOfFirstLine)
        let span = Double(stamp.count - deviatingRun[0].stamp.count) * line.interval
        let isMultiple = matchesCrystalMultiple(of: line)
        guard
            isMultiple || isFirstLine
                || deviatingRun.count >= Self.stampsToLeave && span >= Self.slotNanoseconds
        else {
            return .offLine
        }
        guard
            isMultiple || deviatingRun.count <= Self.fullyExaminedStamps
                || deviatingRun.count.isMultiple(of: 8),
            let other = otherLine(of: deviatingRun, than: line), other.isPlausible
        else { return .offLine }
        let isOtherRate = abs(other.move.slope) > Self.otherRate * line.interval
        // A few timestamps aren't enough to determine a rate.
        if isOtherRate, !isMultiple, deviatingRun.count < Self.stampsToLeave { return .offLine }
        guard isFirstLine || isOtherRate || abs(other.jump) > Self.largeJump else { return .offLine }
        return .moved(other.move)
    }

    /// Whether the consecutive deviating timestamps directly follow the last timestamp on the line, and have
    /// an interval that differs from the line's interval and is a multiple of the crystal interval. Such a
    /// change occurs when the lighting of a camera's scene changes.
    private func matchesCrystalMultiple(of line: Line) -> Bool {
        let begin = line.newestCount
        let counts = deviatingRun.map { Double($0.stamp.count - begin) }
        guard deviatingRun.count >= Self.stampsOfMultiple, counts.last == Double(deviatingRun.count) else {
            return false
        }
        let middle = (counts[0] + Double(deviatingRun.count)) / 2
        let spread = counts.reduce(0) { $0 + ($1 - middle) * ($1 - middle) }
        return Self.multiples.contains { multiple in
            let excess = Double(multiple) * line.crystalInterval - line.interval
            return abs(excess) > Self.otherRate * line.interval
                && abs(excess) * spread.squareRoot() > Self.errorsOfMultiple * line.scale
                && isLine(of: excess, counts, clamp: line.clamp)
        }
    }

    /// Whether the consecutive deviating timestamps agree with a line of this slope that begins within one
    /// count of the old line's end.
    private func isLine(of slope: Double, _ counts: [Double], clamp: Double) -> Bool {
        let rests = zip(counts, deviatingRun).map { $1.deviation - $0 * slope }
        let begin = rests.reduce(0, +) / Double(rests.count)
        return abs(begin) <= abs(slope) && rests.allSatisfy { abs($0 - begin) <= clamp }
    }

    /// Whether too many timestamps deviate in both directions. Delays and jumps cause deviations in only one
    /// direction.
    private mutating func detectScatter(_ deviation: Double, isOff: Bool) -> Bool {
        lateShare += ((isOff && deviation > 0 ? 1 : 0) - lateShare) / Self.shareMemory
        earlyShare += ((isOff && deviation < 0 ? 1 : 0) - earlyShare) / Self.shareMemory
        let isScattered =
            lateShare + earlyShare > Self.scatteredShare
            && min(lateShare, earlyShare) > Self.scatteredOnOneSide
        guard isScattered else { return false }
        (lateShare, earlyShare) = (0, 0)
        return true
    }

    /// Adds a timestamp to the current slot and evaluates completed slots. The mean of a slot reveals a shift
    /// that is smaller than the clamp.
    private mutating func addToSlot(_ reading: Reading, _ line: Line) -> Verdict? {
        run.append(reading)
        slot.count += 1
        slot.sum += min(max(reading.deviation, -line.clamp), line.clamp)
        let begin = slot.begin ?? reading.stamp.count
        slot.begin = begin
        guard slot.count >= Self.slotStamps,
            Double(reading.stamp.count - begin + 1) * line.interval >= Self.slotNanoseconds
        else { return nil }
        let isShifted = abs(slot.sum / Double(slot.count)) > line.clamp / 4 + 2 * line.error
        slot = Slot()
        guard isShifted else {
            run.removeAll(keepingCapacity: true)
            runSlots = 0
            return nil
        }
        runSlots += 1
        guard runSlots >= Self.slotsToLeave || run.count >= Self.mostStamps else { return nil }
        let doubtful = run
        run.removeAll(keepingCapacity: true)
        runSlots = 0
        guard let other = otherLine(of: doubtful, than: line) else { return .scattered }
        return other.isPlausible ? .moved(other.move) : nil
    }

    /// Returns the line with which most of the timestamps agree, and whether the line is plausible for a
    /// device's clock. Returns `nil` if most timestamps don't agree on a line.
    private func otherLine(
        of stamps: [Reading], than old: Line
    ) -> (move: Move, jump: Double, isPlausible: Bool)? {
        guard let first = stamps.first, let last = stamps.last, last.stamp.count > first.stamp.count
        else { return nil }
        let points = stamps.map { (x: Double($0.stamp.count - first.stamp.count), y: $0.deviation) }
        let trimmed = TrimmedLine.fitted(to: points, share: Self.agreeing)
        let kept = zip(stamps, points).filter { abs($0.1.y - trimmed($0.1.x)) <= old.clamp }
        guard kept.count > 1, Double(kept.count) >= Self.agreeing * Double(stamps.count) else { return nil }
        let sums = LineSums(kept.map(\.1))
        let line = sums.line(prior: 0)
        // If the device's rate has changed, timestamps diverge from the old line. After a stall, a burst of
        // timestamps converges toward the old line.
        let length = Double(last.stamp.count - first.stamp.count)
        let (begin, jump, end) = (line(0), line(length / 2), line(length))
        let isOtherRate = abs(line.slope) > Self.otherRate * old.interval
        let isPlausible =
            isOtherRate
            ? line.slope * end > 0 && abs(end) > abs(begin) && line.slope > -Self.fastest * old.interval
            : abs(jump) > old.clamp / 4
        let error = old.scale * sums.variance(at: 0, prior: 0).slope.squareRoot()
        let move = Move(stamps: kept.map(\.0.stamp), slope: line.slope, slopeError: error)
        return (move, jump, isPlausible)
    }
}
