public import Media

/// Which events of two tracks are the same one: those of the offset that most pairs agree upon.
///
/// Claps that repeat every second fit as well a second later. So only offsets up to a largest are thought of, and of those that
/// about as many pairs agree upon, the smallest is taken.
public struct EventMatching: Sendable, Equatable {
    /// Two events that are the same one.
    public struct Pair: Sendable, Equatable {
        /// Their places in the lists.
        public let reference: Int
        public let other: Int
        /// How much later the other track has it, at least and at most: all that their own uncertainties allow.
        public let offset: ClosedRange<Nanoseconds>

        public init(reference: Int, other: Int, offset: ClosedRange<Nanoseconds>) {
            self.reference = reference
            self.other = other
            self.offset = offset
        }
    }

    /// In the order of time; no event is in two of them. Empty where no two events are near enough.
    public let pairs: [Pair]
    /// Events of each list, found or not.
    public let referenceCount: Int
    public let otherCount: Int

    /// Offsets that are agreed upon by as many pairs as the best, but for a tenth, are as good.
    private static let asGood = 0.9

    /// - Parameters:
    ///   - reference: In order of time.
    ///   - other: In order of time; at an offset above zero where it has the same events later.
    ///   - offsets: Beyond them nothing is the same.
    ///   - leeway: How far pairs of one offset may be apart beyond their own uncertainties: what clocks drift meanwhile.
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

    /// How many pairs agree.
    public var count: Int { pairs.count }

    /// The share of the shorter list that was found in the other: 0…1, 0 where one has no events.
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

    /// Of pairs that share an event, the one nearest to the offset.
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
