package import MulticamMedia

/// Frame counts of a camera's track: written = captured − decimated + duplicated + slate.
package struct FrameCounts: Sendable, Equatable {
    /// Number of valid frames captured since T0.
    package var captured = 0
    /// Number of surplus frames from a camera whose frame rate is higher than that of the track's grid.
    package var decimated = 0
    /// Number of ticks that show the previous frame again.
    package var duplicated = 0
    /// Number of ticks that show a slate.
    package var slate = 0
    /// Number of frames that were due but are missing, by cause. Causes without lost frames aren't included.
    package var lost: [LossCause: Int] = [:]

    /// Creates frame counts that are all zero.
    package init() {}

    /// Combines the counts of a track's delivered frames and ticks.
    ///
    /// - Parameters:
    ///   - delivery: Counts of the frames that aren't shown by any tick.
    ///   - written: Fates of the ticks in the file.
    ///   - dropped: Fates of the ticks that were dropped from the file, by the reason for dropping them.
    package init(
        _ delivery: DeliveryCounts, written: FateCounts, dropped: [LossCause: FateCounts] = [:]
    ) {
        captured = written[.captured] + delivery.decimated
        decimated = delivery.decimated
        duplicated = written.duplicated
        slate = written.slate
        lost = delivery.lost.merging(written.replaced, uniquingKeysWith: +)
        for (cause, ticks) in dropped {
            lost.merge(ticks.replaced, uniquingKeysWith: +)
            if ticks[.captured] > 0 { lost[cause, default: 0] += ticks[.captured] }
        }
    }

    /// Number of frames in the track's file.
    package var written: Int { captured - decimated + duplicated + slate }
    /// Total number of lost frames, for all causes.
    package var totalLost: Int { lost.values.reduce(0, +) }

    /// Returns the sum of the counts of two tracks.
    package static func + (one: Self, other: Self) -> Self {
        var sum = one
        sum.captured += other.captured
        sum.decimated += other.decimated
        sum.duplicated += other.duplicated
        sum.slate += other.slate
        sum.lost.merge(other.lost, uniquingKeysWith: +)
        return sum
    }
}

/// Counts of a camera's frames that aren't shown by any tick of a track.
package struct DeliveryCounts: Sendable, Equatable {
    /// Number of surplus frames from a camera whose frame rate is higher than that of the track's grid.
    package var decimated = 0
    /// Number of frames that were due but weren't delivered in time, by cause. Causes without lost frames
    /// aren't included.
    package var lost: [LossCause: Int] = [:]

    /// Creates frame counts that are all zero.
    package init() {}
}
