public import Media

/// Matches the events of two tracks at the offset on which most pairs agree.
///
/// Claps that repeat every second also fit a second later. Therefore only offsets within a range are considered, and of those on
/// which about as many pairs agree, the smallest is taken.
public struct EventMatching: Sendable, Equatable {
    /// Two events, one of each track, that are the same.
    public struct Pair: Sendable, Equatable {
        /// Index of the event in the reference's list.
        public let reference: Int
        /// Index of the event in the other track's list.
        public let other: Int
        /// Smallest and largest possible offset, positive where the other track has the event later, from the uncertainties of
        /// both events.
        public let offset: ClosedRange<Nanoseconds>

        /// Creates a pair of events by their indices.
        public init(reference: Int, other: Int, offset: ClosedRange<Nanoseconds>) {
            self.reference = reference
            self.other = other
            self.offset = offset
        }
    }

    /// Matched events in the order of time; each event is in at most one pair. Empty where no two events are near enough.
    public let pairs: [Pair]
    /// Number of events in the reference's list, matched or not.
    public let referenceCount: Int
    /// Number of events in the other track's list, matched or not.
    public let otherCount: Int

    /// Share of the best offset's pairs from which another offset counts as equally good.
    private static let asGood = 0.9

    /// Matches two lists of events.
    ///
    /// - Parameters:
    ///   - reference: Events of the reference, in the order of time.
    ///   - other: Events of the other track, in the order of time; the offset is positive where it has the same events later.
    ///   - offsets: Range of offsets that are considered.
    ///   - leeway: How far offsets of pairs may differ beyond the events' own uncertainties, because of drift.
    public init(
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
    public var count: Int { pairs.count }

    /// Share of the shorter list that was matched, 0…1; 0 where one list is empty.
    public var share: Double {
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

    /// Removes pairs that share an event, except the one nearest to `offset`.
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
