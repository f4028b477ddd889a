public import Media

/// A range that more of some intervals contain than any range beside it.
///
/// This is Marzullo's algorithm (K. Marzullo, *Maintaining the Time in a Distributed System*, 1984; RFC 5905, section 11.2.1,
/// selects clocks by it). If each interval contains the truth, so does the range that most of them contain, and it is far
/// narrower than they are; intervals that do not contain it are wrong.
public struct IntervalIntersection: Sendable, Equatable {
    /// The common range.
    public let range: ClosedRange<Nanoseconds>
    /// Number of intervals that contain all of the range, at least 1.
    public let count: Int

    /// The range that most intervals contain; of several, the one whose middle is nearest to zero. `nil` without intervals.
    public static func most(of intervals: some Sequence<ClosedRange<Nanoseconds>>) -> Self? {
        let all = all(of: intervals)
        let most = all.map(\.count).max() ?? 0
        return all.filter { $0.count == most }.min { $0.middle.magnitude < $1.middle.magnitude }
    }

    /// Every range that more intervals contain than the ranges on either side, in ascending order. Takes O(n log n).
    public static func all(of intervals: some Sequence<ClosedRange<Nanoseconds>>) -> [Self] {
        // Ends are part of their interval: at equal places, beginnings come first.
        var edges = intervals.flatMap { [(place: $0.lowerBound, step: 1), (place: $0.upperBound, step: -1)] }
        edges.sort { ($0.place, -$0.step) < ($1.place, -$1.step) }
        var found: [Self] = []
        var count = 0
        for (index, edge) in edges.enumerated() {
            count += edge.step
            // A beginning that an end follows: the count is highest between them.
            if edge.step > 0, index + 1 < edges.count, edges[index + 1].step < 0 {
                found.append(Self(range: edge.place...edges[index + 1].place, count: count))
            }
        }
        return found
    }

    /// Creates a range that `count` intervals contain.
    public init(range: ClosedRange<Nanoseconds>, count: Int) {
        self.range = range
        self.count = count
    }

    /// Middle of the range.
    public var middle: Nanoseconds { (range.lowerBound + range.upperBound) / 2 }
    /// Half of the range's length: how far the truth may lie from `middle`.
    public var uncertainty: Nanoseconds { (range.upperBound - range.lowerBound) / 2 }
}
