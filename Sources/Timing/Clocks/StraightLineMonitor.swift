import Media

/// Checks whether a device's timestamps still agree with its line, and detects when they agree with another one.
///
/// A line is replaced only by another line that the timestamps agree on. Outliers, late timestamps from a host that is
/// busy for a second, and a burst of frames after a stall don't form such a line. The line is abandoned quickly if the
/// rate has changed or the jump is large. In all other cases, the line is abandoned after 1.5 s, so that a delay of one
/// second has no effect. This is a value type without a clock or a thread.
struct StraightLineMonitor: Sendable {
    /// The current line, with times in nanoseconds.
    struct Line: Sendable {
        /// Count at the end of the line.
        let newestCount: Int64
        /// Number of timestamps that the line is fitted to.
        let stampCount: Int
        /// Number of nanoseconds per count.
        let interval: Double
        /// Number of nanoseconds per count at the device's own rate. A camera with a longer exposure divides this rate
        /// by an integer.
        let crystalInterval: Double
        /// Standard error of the line's end.
        let error: Double
        /// Standard deviation of the line's timestamps.
        let scale: Double
        /// Maximum distance of the line's timestamps from the line.
        let clamp: Double
    }

    /// Another line that the timestamps agree on.
    struct Move: Sendable {
        /// Timestamps on the new line.
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
        /// The timestamps scatter more than the clamp allows.
        case scattered
    }

    /// A group of timestamps that covers about a quarter of a second and contains at least four.
    private struct Slot {
        var begin: Int64?
        var count = 0
        var sum = 0.0
    }

    private typealias Reading = (stamp: DeviceStamp, deviation: Double)

    /// Length of a slot, 0.24 s: six frames at 25 frames per second.
    private static let slotNanoseconds = 0.24e9
    private static let slotStamps = 4
    /// Number of consecutive shifted slots after which the line is abandoned, about 1.5 s. This is longer than a delay
    /// of one second on a busy host, including the slots that it partly covers at both ends.
    private static let slotsToLeave = 6
    /// The next three constants are numbers of consecutive deviating timestamps. These timestamps are required to
    /// detect another rate or a large jump, to restart after the count has decreased, and to abandon a line that has no
    /// more timestamps than this.
    private static let stampsToLeave = 8
    private static let stampsBack = 3
    private static let stampsOfFirstLine = 4
    /// Minimum length of a jump that can't be explained by a busy host (0.25 s).
    private static let largeJump = 0.25e9
    /// Minimum relative difference at which a rate counts as a different rate.
    private static let otherRate = 0.2
    /// Multiples of the device's own interval, which are accepted with fewer timestamps. The next two constants are the
    /// minimum number of timestamps and the minimum slope in standard errors.
    private static let multiples = 1...4
    private static let (stampsOfMultiple, errorsOfMultiple) = (3, 8.0)
    /// Maximum relative decrease of the interval on a new line. No device suddenly counts 20 times faster.
    private static let fastest = 0.95
    /// Minimum fraction of the timestamps that must be within the clamp of a new line.
    private static let agreeing = 0.8
    /// Fractions of about the last 100 timestamps, in total and on each side. If more of them are outside the clamp,
    /// the timestamps count as scattered.
    private static let (scatteredShare, scatteredOnOneSide, shareMemory) = (0.15, 0.02, 100.0)
    /// Number of consecutive deviating timestamps after which only every eighth one is examined, because outliers can
    /// continue for minutes.
    private static let stampsToHurry = 16
    private static let mostStamps = 256

    /// Consecutive timestamps that deviate from the line.
    private var inRow: [Reading] = []
    /// Consecutive timestamps since the last reset of the count.
    private var back: [Reading] = []
    /// Timestamps of the current slot and of the latest consecutive slots that deviated on average.
    private var run: [Reading] = []
    private var runSlots = 0
    private var slot = Slot()
    private var (lateShare, earlyShare) = (0.0, 0.0)

    /// Whether the latest timestamps cast doubt on the line.
    var hasDoubts: Bool { inRow.count > 2 || runSlots > 1 }

    /// Evaluates the next timestamp.
    ///
    /// - Parameters:
    ///   - stamp: The next timestamp.
    ///   - deviation: Distance of the timestamp from the line, in nanoseconds.
    ///   - line: The line fitted without this timestamp.
    /// - Returns: Whether the timestamp is on the line, and what follows from it and the preceding timestamps.
    mutating func judge(_ stamp: DeviceStamp, deviation: Double, line: Line) -> Verdict {
        let isOff = abs(deviation) > line.clamp
        if stamp.count <= line.newestCount {
            guard isOff else { return .offLine }
            // If the count restarts, a new line begins immediately.
            if let last = back.last, stamp.count <= last.stamp.count { back.removeAll() }
            back.append((stamp, deviation))
            guard back.count >= min(Self.stampsBack, line.stampCount) else { return .offLine }
            return .moved(Move(stamps: back.map(\.stamp), slope: 0, slopeError: 0))
        }
        back.removeAll(keepingCapacity: true)
        if let verdict = take((stamp, deviation), line) {
            return verdict
        }
        let isScattered = scatters(deviation, isOff: isOff)
        guard isOff else {
            inRow.removeAll(keepingCapacity: true)
            return .onLine
        }
        if isScattered { return .scattered }
        if let last = inRow.last, stamp.count <= last.stamp.count || inRow.count == Self.mostStamps {
            inRow.removeAll(keepingCapacity: true)
        }
        inRow.append((stamp, deviation))
        let isFirstLine = inRow.count >= max(line.stampCount, Self.stampsOfFirstLine)
        let span = Double(stamp.count - inRow[0].stamp.count) * line.interval
        let isMultiple = followsMultiple(than: line)
        guard isMultiple || isFirstLine || inRow.count >= Self.stampsToLeave && span >= Self.slotNanoseconds
        else {
            return .offLine
        }
        guard isMultiple || inRow.count <= Self.stampsToHurry || inRow.count.isMultiple(of: 8),
            let other = otherLine(of: inRow, than: line), other.isPlausible
        else { return .offLine }
        let isOtherRate = abs(other.move.slope) > Self.otherRate * line.interval
        // A few timestamps aren't enough to determine a rate.
        if isOtherRate, !isMultiple, inRow.count < Self.stampsToLeave { return .offLine }
        guard isFirstLine || isOtherRate || abs(other.jump) > Self.largeJump else { return .offLine }
        return .moved(other.move)
    }

    /// Whether the consecutive deviating timestamps follow the line's last one without a missing count, and their
    /// interval is a multiple of the device's own interval that differs from the line's interval. This happens when the
    /// light in front of a camera changes.
    private func followsMultiple(than line: Line) -> Bool {
        let begin = line.newestCount
        let counts = inRow.map { Double($0.stamp.count - begin) }
        guard inRow.count >= Self.stampsOfMultiple, counts.last == Double(inRow.count) else { return false }
        let middle = (counts[0] + Double(inRow.count)) / 2
        let spread = counts.reduce(0) { $0 + ($1 - middle) * ($1 - middle) }
        return Self.multiples.contains { multiple in
            let excess = Double(multiple) * line.crystalInterval - line.interval
            return abs(excess) > Self.otherRate * line.interval
                && abs(excess) * spread.squareRoot() > Self.errorsOfMultiple * line.scale
                && isLine(of: excess, counts, clamp: line.clamp)
        }
    }

    /// Whether the consecutive deviating timestamps agree with a line of this slope that begins within one count of the
    /// end of the old line.
    private func isLine(of slope: Double, _ counts: [Double], clamp: Double) -> Bool {
        let rests = zip(counts, inRow).map { $1.deviation - $0 * slope }
        let begin = rests.reduce(0, +) / Double(rests.count)
        return abs(begin) <= abs(slope) && rests.allSatisfy { abs($0 - begin) <= clamp }
    }

    /// Whether too many timestamps deviate in both directions. Delays and jumps cause deviations in only one direction.
    private mutating func scatters(_ deviation: Double, isOff: Bool) -> Bool {
        lateShare += ((isOff && deviation > 0 ? 1 : 0) - lateShare) / Self.shareMemory
        earlyShare += ((isOff && deviation < 0 ? 1 : 0) - earlyShare) / Self.shareMemory
        let isScattered =
            lateShare + earlyShare > Self.scatteredShare
            && min(lateShare, earlyShare) > Self.scatteredOnOneSide
        guard isScattered else { return false }
        (lateShare, earlyShare) = (0, 0)
        return true
    }

    /// Evaluates the slots. The mean of a slot shows a shift that is smaller than the clamp.
    private mutating func take(_ reading: Reading, _ line: Line) -> Verdict? {
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

    /// Returns the line that most of the timestamps agree with, and whether it is plausible for a device's clock; `nil`
    /// if there is no such line.
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
        // At another rate, timestamps diverge from the line. After a stall, a burst of timestamps converges to the
        // line.
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
