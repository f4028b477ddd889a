public import Media

/// How much later a device stamps events than a reference, estimated from a range of possible offsets for each event.
///
/// A flash fell somewhere into the exposure of a frame, so one time stamp tells a camera's latency only to within an exposure.
/// Events at uneven phases of the frames narrow it: the true latency lies in all ranges. Where the ranges do not all overlap, as
/// with two microphones at unequal distances, the estimate is their median, which has as many ranges wholly below as above it.
/// Both come from one rule: half of all ends of ranges lie on either side.
public struct LatencyEstimate: Sendable, Equatable {
    /// Estimated latency: positive where the device stamps events later than the reference.
    public let median: Nanoseconds
    /// Largest distance of the true latency from `median`, in either direction.
    public let uncertainty: Nanoseconds
    /// Distance from `median` within which lie the middles of half of the events' ranges.
    public let spread: Nanoseconds
    /// Distance between the lowest and highest middle of the events' ranges, and the median width of the ranges. Events at one
    /// phase of a camera's frames lie far less apart than an exposure.
    public let phases: (range: Nanoseconds, exposure: Nanoseconds)
    /// Number of events in the estimate.
    public let eventCount: Int

    /// Smallest number of events that proves something: two may agree by chance.
    public static let fewestEvents = 3
    /// Number of standard errors that are added: two and a half contain the truth in 99 % of cases.
    private static let standardErrors = 2.5

    /// Estimates the latency from the range of offsets that each event allows; `nil` without events.
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

    /// Whether two estimates are equal in all figures.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.median == rhs.median && lhs.uncertainty == rhs.uncertainty && lhs.spread == rhs.spread
            && lhs.phases == rhs.phases && lhs.eventCount == rhs.eventCount
    }

    /// Whether the estimate may be used to correct time stamps: it has at least three events, and it is as fine as `goal` or so
    /// large that correcting brings stamps nearer to the truth wherever it lies within the uncertainty.
    public func isUsable(goal: Nanoseconds) -> Bool {
        eventCount >= Self.fewestEvents && (uncertainty <= goal || median.magnitude >= uncertainty * 2)
    }

    /// Whether more events of the same kind would not help: all fell at about the same phase of the camera's frames.
    public var needsOtherPhases: Bool {
        eventCount >= 5 && phases.range < phases.exposure / 4
    }
}
