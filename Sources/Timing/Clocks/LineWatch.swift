import Media

/// Watches whether a device's stamps still lie about its line, and tells when they lie about another one.
///
/// A line is left only for another one that the stamps agree on: wild stamps, a host that stamps late for a second and
/// frames that come in a burst after a stall are no such line. It is left soon when the rate has changed or the jump
/// is large, and after 1.5 s otherwise, so that a second's lateness passes. A value: no clock, no thread.
struct LineWatch: Sendable {
    /// The line that is watched; times in nanoseconds.
    struct Line: Sendable {
        /// The count at which the line ends.
        let newestCount: Int64
        /// The number of stamps that the line goes through.
        let stampCount: Int
        /// Nanoseconds per count.
        let interval: Double
        /// Nanoseconds per count at the device's own rate, which a camera that exposes longer divides by whole numbers.
        let crystalInterval: Double
        /// The standard error of the line's end.
        let error: Double
        /// The standard deviation of the line's stamps.
        let scale: Double
        /// The distance from the line within which its stamps lie.
        let clamp: Double
    }

    /// Another line that the stamps agree on.
    struct Move: Sendable {
        /// The stamps on the new line.
        let stamps: [DeviceStamp]
        /// Nanoseconds per count of the new line beyond the old line's.
        let slope: Double
        /// The standard error of `slope`.
        let slopeError: Double
    }

    enum Verdict: Sendable {
        case onLine
        case offLine
        case moved(Move)
        /// Stamps scatter more widely than the clamp.
        case scattered
    }

    /// About a quarter of a second of stamps, and at least four.
    private struct Slot {
        var begin: Int64?
        var count = 0
        var sum = 0.0
    }

    private typealias Reading = (stamp: DeviceStamp, deviation: Double)

    /// The length of a slot, 0.24 s: six frames at 25 a second.
    private static let slotNanoseconds = 0.24e9
    private static let slotStamps = 4
    /// The number of shifted slots in a row after which the line is left, about 1.5 s: longer than a busy host's second of
    /// lateness, with the parts of a slot that it touches at either end.
    private static let slotsToLeave = 6
    /// The numbers of stamps in a row off the line: before another rate or a large jump is believed, before a count that went
    /// back is, and before a line that has no more stamps itself is left.
    private static let stampsToLeave = 8
    private static let stampsBack = 3
    private static let stampsOfFirstLine = 4
    /// The jump from which it is no lateness of a busy host: 0.25 s.
    private static let largeJump = 0.25e9
    /// The share by which another rate differs.
    private static let otherRate = 0.2
    /// The multiples of the device's own interval that are believed with fewer stamps: with at least so many, and a slope of so
    /// many standard errors.
    private static let multiples = 1...4
    private static let (stampsOfMultiple, errorsOfMultiple) = (3, 8.0)
    /// The largest share by which a new line may be faster: no device counts twenty times as fast all at once.
    private static let fastest = 0.95
    /// The share of the stamps that must lie on a new line, within the clamp.
    private static let agreeing = 0.8
    /// Stamps scatter more widely than the clamp when such a share of the last hundred or so lies off it, and such a share on
    /// either side.
    private static let (scatteredShare, scatteredOnOneSide, shareMemory) = (0.15, 0.02, 100.0)
    /// The number of stamps in a row from which only every eighth is examined, as wild ones may go on for minutes.
    private static let stampsToHurry = 16
    private static let mostStamps = 256

    /// Stamps in a row that were off the line.
    private var inRow: [Reading] = []
    /// Stamps in a row whose count did not rise, or that follow on such.
    private var back: [Reading] = []
    /// Stamps of the latest slots, all of which were off the line on the whole, and of the current slot.
    private var run: [Reading] = []
    private var runSlots = 0
    private var slot = Slot()
    private var (lateShare, earlyShare) = (0.0, 0.0)

    /// Whether the latest stamps put the line in doubt.
    var hasDoubts: Bool { inRow.count > 2 || runSlots > 1 }

    /// Judges the next stamp.
    ///
    /// - Parameters:
    ///   - stamp: The next stamp.
    ///   - deviation: Its distance from the line, in nanoseconds.
    ///   - line: The line without the stamp.
    /// - Returns: Where the stamp lies, and what follows from it and those before it.
    mutating func judge(_ stamp: DeviceStamp, deviation: Double, line: Line) -> Verdict {
        let isOff = abs(deviation) > line.clamp
        if stamp.count <= line.newestCount {
            guard isOff else { return .offLine }
            // A count that begins again makes another line at once.
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
        // A handful of stamps tells nothing about a rate.
        if isOtherRate, !isMultiple, inRow.count < Self.stampsToLeave { return .offLine }
        guard isFirstLine || isOtherRate || abs(other.jump) > Self.largeJump else { return .offLine }
        return .moved(other.move)
    }

    /// Whether the stamps in a row come, from the line's last one on and with no count left out, at a multiple of the
    /// device's own interval that is not the line's: a camera that went dark, or into the light.
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

    /// Whether the stamps in a row lie about a line of this slope that begins at the old one's end, give or take a count.
    private func isLine(of slope: Double, _ counts: [Double], clamp: Double) -> Bool {
        let rests = zip(counts, inRow).map { $1.deviation - $0 * slope }
        let begin = rests.reduce(0, +) / Double(rests.count)
        return abs(begin) <= abs(slope) && rests.allSatisfy { abs($0 - begin) <= clamp }
    }

    /// Whether stamps lie off on both sides too often: lateness and jumps show on one.
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

    /// Judges the slots: a shift smaller than the clamp shows in their means.
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

    /// The line that most of some stamps lie on, and whether a device's clock may take it; `nil` where there is none.
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
        // Another rate runs away from the line. A burst after a stall runs back to it.
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
