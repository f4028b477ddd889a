public import Media

/// The fate of a camera's frames on one track, in numbers: written = captured − skipped + repeated + slate.
public struct FrameCounts: Sendable, Equatable {
    /// Good frames captured from T0 on.
    public var captured = 0
    /// Surplus frames of a camera that is faster than its grid.
    public var skipped = 0
    /// Ticks that show the last frame again.
    public var repeated = 0
    /// Ticks that show a slate.
    public var slate = 0
    /// Frames that should exist and do not, by cause. No entry is zero.
    public var lost: [LossCause: Int] = [:]

    /// Creates counts of zero.
    public init() {}

    /// Frames in the track's file.
    public var written: Int { captured - skipped + repeated + slate }
    /// Lost frames of all causes.
    public var lostInAll: Int { lost.values.reduce(0, +) }

    /// The counts of two tracks together.
    package static func + (one: Self, other: Self) -> Self {
        var sum = one
        sum.captured += other.captured
        sum.skipped += other.skipped
        sum.repeated += other.repeated
        sum.slate += other.slate
        sum.lost.merge(other.lost, uniquingKeysWith: +)
        return sum
    }

    /// The counts after some chosen frames turned out unusable and their predecessors stand in their place.
    package func withdrawing(_ count: Int, cause: LossCause) -> Self {
        guard count > 0 else { return self }
        var counts = self
        counts.captured -= count
        counts.repeated += count
        counts.lost[cause, default: 0] += count
        return counts
    }

    /// The counts after withdrawn frames were written to the file after all, where their predecessors were to repeat.
    func restoring(_ count: Int, cause: LossCause) -> Self {
        var counts = self
        counts.captured += count
        counts.repeated -= count
        let lost = (lost[cause] ?? 0) - count
        counts.lost[cause] = lost > 0 ? lost : nil
        return counts
    }

    /// The counts after some of the decided ticks were left out of the file. Which of them only repeated is not known any more:
    /// each counts as a frame lost, as long as there are any.
    package func leavingOut(_ count: Int, cause: LossCause) -> Self {
        guard count > 0 else { return self }
        var counts = self
        let frames = min(count, captured - skipped)
        let repeats = min(count - frames, repeated)
        counts.captured -= frames
        counts.repeated -= repeats
        counts.slate -= count - frames - repeats
        if frames > 0 { counts.lost[cause, default: 0] += frames }
        return counts
    }

    /// The counts when only the first `count` of the decided ticks were written to the file.
    package func endingAfter(_ count: Int, cause: LossCause) -> Self {
        let missing = written - count
        guard missing > 0 else { return self }
        var counts = self
        // Which of the missing ticks only repeated is not known any more. Those first: an encoder that falls behind
        // repeats at the end, and the causes of such repeats are in the ledger already.
        let repeats = min(missing, repeated)
        let slates = min(missing - repeats, slate)
        let frames = missing - repeats - slates
        counts.repeated -= repeats
        counts.slate -= slates
        counts.captured -= frames
        if frames > 0 { counts.lost[cause, default: 0] += frames }
        return counts
    }

    /// The share of lost frames: lost ÷ (captured + lost), 0…1.
    public var lostShare: Double {
        lostInAll == 0 ? 0 : Double(lostInAll) / Double(captured + lostInAll)
    }
}
