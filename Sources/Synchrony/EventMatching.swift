package import MulticamMedia

/// A short event that cameras and microphones capture at the same instant: a flash, a beep, or a hand clap.
package struct SharpEvent: Sendable, Equatable {
    /// Earliest possible start of the event. The range from `earliest` to `latest` is a few microseconds long
    /// for audio, and one exposure long for frames.
    package let earliest: MediaTime
    /// Latest possible start of the event.
    package let latest: MediaTime
    /// Height of the event above the preceding brightness or sound level, as a multiple of the detector's
    /// threshold. The value is at least 1.
    package let strength: Double

    /// Creates an event that began between `earliest` and `latest`, inclusive.
    package init(earliest: MediaTime, latest: MediaTime, strength: Double) {
        precondition(earliest <= latest, "the earliest start must not be after the latest start")
        self.earliest = earliest
        self.latest = latest
        self.strength = strength
    }

    /// The middle of the range from `earliest` to `latest`.
    package var middle: MediaTime {
        MediaTime(nanoseconds: earliest.nanoseconds + (latest.nanoseconds - earliest.nanoseconds) / 2)
    }
}

/// Matches the events of two tracks, using the offset on which the most pairs of events agree.
///
/// Claps that repeat every second also match at an offset of one second, so only offsets within a certain range are
/// considered. If about the same number of pairs agree on several offsets, the smallest offset is chosen.
package struct EventMatching: Sendable, Equatable {
    /// Two events, one from each track, that correspond to each other.
    package struct Pair: Sendable, Equatable {
        /// Index of the event in the reference's list.
        package let reference: Int
        /// Index of the event in the other track's list.
        package let other: Int
        /// Minimum and maximum possible offset of the pair, based on the uncertainties of both events. The
        /// offset is positive if the event is later in the other track than in the reference.
        package let offset: ClosedRange<Nanoseconds>

        /// Creates a pair of events by their indices.
        package init(reference: Int, other: Int, offset: ClosedRange<Nanoseconds>) {
            self.reference = reference
            self.other = other
            self.offset = offset
        }
    }

    /// Matched events in chronological order. Each event belongs to at most one pair. The list is empty if no
    /// two events are close enough.
    package let pairs: [Pair]
    /// Number of events in the reference's list, whether or not they were matched.
    package let referenceCount: Int
    /// Number of events in the other track's list, whether or not they were matched.
    package let otherCount: Int

    /// Minimum fraction of the best offset's pairs at which another offset counts as equally good.
    private static let asGood = 0.9

    /// Matches two lists of events.
    ///
    /// - Parameters:
    ///   - reference: Events of the reference, in chronological order.
    ///   - other: Events of the other track, in chronological order. The offset is positive if the same
    ///     events are later in this track than in the reference.
    ///   - offsets: Range of offsets to consider.
    ///   - leeway: Maximum difference between the offsets of pairs due to drift, in addition to the
    ///     uncertainties of the events.
    package init(
        of reference: [SharpEvent], and other: [SharpEvent],
        offsets: ClosedRange<Nanoseconds> = .milliseconds(-500) ... .milliseconds(500),
        leeway: Nanoseconds = .milliseconds(10)
    ) {
        referenceCount = reference.count
        otherCount = other.count
        let near = Self.pairs(reference, other, offsets)
        let ranges = IntervalIntersection.all(
            of: near.map { ($0.offset.lowerBound - leeway / 2)...($0.offset.upperBound + leeway / 2) })
        let most = Double(ranges.map(\.count).max() ?? 0)
        let good = ranges.filter { Double($0.count) >= most * Self.asGood }
        guard let best = good.min(by: { $0.middle.magnitude < $1.middle.magnitude }) else {
            pairs = []
            return
        }
        let agreeing = near.filter { pair in
            pair.offset.lowerBound - leeway <= best.middle && best.middle <= pair.offset.upperBound + leeway
        }
        pairs = Self.oneToOne(agreeing, nearest: best.middle)
    }

    /// Number of matched pairs.
    package var count: Int { pairs.count }

    /// Fraction of the events in the shorter list that were matched, 0…1; 0 if one list is empty.
    package var share: Double {
        let fewer = min(referenceCount, otherCount)
        return fewer == 0 ? 0 : Double(count) / Double(fewer)
    }

    private static func pairs(
        _ reference: [SharpEvent], _ other: [SharpEvent], _ offsets: ClosedRange<Nanoseconds>
    )
        -> [Pair]
    {
        var pairs: [Pair] = []
        var first = 0
        for (index, event) in reference.enumerated() {
            let middle = event.middle.nanoseconds
            while first < other.count, other[first].middle.nanoseconds < middle + offsets.lowerBound.count {
                first += 1
            }
            for place in first..<max(first, other.count) {
                let candidate = other[place]
                guard candidate.middle.nanoseconds <= middle + offsets.upperBound.count else { break }
                let least = Nanoseconds(candidate.earliest.nanoseconds - event.latest.nanoseconds)
                let most = Nanoseconds(candidate.latest.nanoseconds - event.earliest.nanoseconds)
                pairs.append(Pair(reference: index, other: place, offset: least...most))
            }
        }
        return pairs
    }

    /// Resolves conflicts between pairs that share an event: only the pair with the offset closest to
    /// `offset` remains.
    private static func oneToOne(_ pairs: [Pair], nearest offset: Nanoseconds) -> [Pair] {
        func distance(_ pair: Pair) -> Nanoseconds {
            ((pair.offset.lowerBound + pair.offset.upperBound) / 2 - offset).magnitude
        }
        var (references, others): (Set<Int>, Set<Int>) = ([], [])
        let ordered = pairs.sorted { distance($0) < distance($1) }
        let chosen = ordered.filter { pair in
            guard !references.contains(pair.reference), !others.contains(pair.other) else { return false }
            references.insert(pair.reference)
            others.insert(pair.other)
            return true
        }
        return chosen.sorted { $0.reference < $1.reference }
    }
}

/// A range that is contained in more of the given intervals than the ranges next to it.
///
/// The range is computed with Marzullo's algorithm (Marzullo, *Maintaining the Time in a Distributed System*,
/// 1984; RFC 5905, section 11.2.1, uses it to select clocks). If all intervals contain the true value, the
/// range that they have in common also contains it and is much narrower. Incorrect intervals, which don't
/// contain the true value, are outvoted by the others.
package struct IntervalIntersection: Sendable, Equatable {
    /// The range that `count` of the intervals have in common.
    package let range: ClosedRange<Nanoseconds>
    /// Number of intervals that contain the whole range, at least 1.
    package let count: Int

    /// Returns the range contained in the most intervals. If there are several such ranges, returns the range
    /// with the middle closest to zero. Returns `nil` if there are no intervals.
    package static func mostCommon(of intervals: some Sequence<ClosedRange<Nanoseconds>>) -> Self? {
        let all = all(of: intervals)
        let most = all.map(\.count).max() ?? 0
        return all.filter { $0.count == most }.min { $0.middle.magnitude < $1.middle.magnitude }
    }

    /// Returns every range that is contained in more intervals than the ranges on either side. The result is
    /// in ascending order. The complexity is O(n log n).
    package static func all(of intervals: some Sequence<ClosedRange<Nanoseconds>>) -> [Self] {
        // An interval includes its bounds, so a start sorts before an end at the same position.
        var edges = intervals.flatMap { [(place: $0.lowerBound, step: 1), (place: $0.upperBound, step: -1)] }
        edges.sort { ($0.place, -$0.step) < ($1.place, -$1.step) }
        var found: [Self] = []
        var count = 0
        for (index, edge) in edges.enumerated() {
            count += edge.step
            // The count is highest between a start and the end that follows it.
            if edge.step > 0, index + 1 < edges.count, edges[index + 1].step < 0 {
                found.append(Self(range: edge.place...edges[index + 1].place, count: count))
            }
        }
        return found
    }

    /// Creates a range that is contained in `count` intervals.
    package init(range: ClosedRange<Nanoseconds>, count: Int) {
        self.range = range
        self.count = count
    }

    /// Middle of the common range.
    package var middle: Nanoseconds { (range.lowerBound + range.upperBound) / 2 }
    /// Half the length of the range. If the range contains the true value, the true value differs from
    /// `middle` by at most this amount.
    package var uncertainty: Nanoseconds { (range.upperBound - range.lowerBound) / 2 }
}
