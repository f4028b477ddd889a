public import Media

/// How much later than another one a device stamps the same events, from what each of them says.
///
/// Each event says a range: a flash fell somewhere into the exposure of a frame, so that its time stamp alone tells the
/// camera's latency to within an exposure. Events at uneven phases of the frames narrow it: the truth is in all of the
/// ranges. Where they do not agree, as those of two microphones at unequal distances, it is their median: what has as many
/// ranges wholly below as above it. Both are the same: half of all ends of ranges lie on either side.
public struct LatencyEstimate: Sendable, Equatable {
    /// The middle of what is possible: the median of what the events say.
    public let median: Nanoseconds
    /// The truth is within ± this of `median`.
    public let uncertainty: Nanoseconds
    /// The middles of half of the events' ranges are within ± this of `median`.
    public let spread: Nanoseconds
    /// How far apart the middles of the events' ranges are, and how wide the ranges are: events at even phases of a camera's
    /// frames are far less apart than an exposure.
    public let phases: (range: Nanoseconds, exposure: Nanoseconds)
    public let eventCount: Int

    /// Fewer prove nothing: two may agree by chance.
    public static let fewestEvents = 3
    /// Two and a half standard errors hold 99 % of the truth.
    private static let standardErrors = 2.5

    /// - Parameter ranges: What each event allows. `nil` of none.
    public init?(_ ranges: [ClosedRange<Nanoseconds>]) {
        guard !ranges.isEmpty else { return nil }
        eventCount = ranges.count
        let ends = (ranges.map(\.lowerBound) + ranges.map(\.upperBound)).sorted()
        let (low, high) = (ends[ranges.count - 1], ends[ranges.count])
        let median = low + (high - low) / 2
        self.median = median
        let squares = ranges.map { range -> Double in
            let outside = max(range.lowerBound - median, median - range.upperBound, .zero)
            return Double(outside.count) * Double(outside.count)
        }
        let scatter = (squares.reduce(0, +)).squareRoot() / Double(ranges.count)
        uncertainty = (high - low) / 2 + Nanoseconds(Int64(rounding: Self.standardErrors * scatter, .up))
        let middles = ranges.map { $0.lowerBound + ($0.upperBound - $0.lowerBound) / 2 }.sorted()
        let distances = middles.map { ($0 - median).magnitude }.sorted()
        spread = distances[distances.count / 2]
        let widths = ranges.map { $0.upperBound - $0.lowerBound }.sorted()
        phases = (middles[middles.count - 1] - middles[0], widths[widths.count / 2])
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.median == rhs.median && lhs.uncertainty == rhs.uncertainty && lhs.spread == rhs.spread
            && lhs.phases == rhs.phases && lhs.eventCount == rhs.eventCount
    }

    /// Whether so few events, so coarse, say enough to be taken off: there are three, and the estimate is as fine as wanted,
    /// or time stamps come nearer to the truth by it, wherever within the uncertainty that is.
    public func isUsable(goal: Nanoseconds) -> Bool {
        eventCount >= Self.fewestEvents && (uncertainty <= goal || median.magnitude >= uncertainty * 2)
    }

    /// Whether more of the same would not help: all events fell at about the same phase of the frames.
    public var needsOtherPhases: Bool {
        eventCount >= 5 && phases.range < phases.exposure / 4
    }
}
