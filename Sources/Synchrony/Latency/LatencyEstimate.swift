public import Media

/// Delay of a device's time stamps relative to a reference, estimated from a range of possible offsets for
/// each event.
///
/// A flash occurs at an unknown time within the exposure of a frame, so a single time stamp determines a
/// camera's latency only to within an exposure. Events at different phases of the frames reduce the range,
/// since the true latency is in all ranges. If the ranges don't all overlap, as with two microphones at
/// unequal distances, the estimate is their median: as many ranges are completely below it as above it. Both
/// results follow from one rule: half of all range bounds are on each side.
public struct LatencyEstimate: Sendable, Equatable {
    /// Estimated latency. Positive if the device stamps events later than the reference.
    public let median: Nanoseconds
    /// Maximum distance of the true latency from `median`, in either direction.
    public let uncertainty: Nanoseconds
    /// Distance from `median` that contains the middles of half of the events' ranges.
    public let spread: Nanoseconds
    /// Distance between the lowest and the highest middle of the events' ranges, and the median width of the ranges. If
    /// all events are at one phase of a camera's frames, the middles are much closer together than an exposure.
    public let phases: (range: Nanoseconds, exposure: Nanoseconds)
    /// Number of events in the estimate.
    public let eventCount: Int

    /// Minimum number of events for a reliable estimate, since two may agree by coincidence.
    public static let fewestEvents = 3
    /// Number of standard errors added. Two and a half contain the true value in 99 % of cases.
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

    /// Whether all values of two estimates are equal.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.median == rhs.median && lhs.uncertainty == rhs.uncertainty && lhs.spread == rhs.spread
            && lhs.phases == rhs.phases && lhs.eventCount == rhs.eventCount
    }

    /// Whether the estimate may be used to correct time stamps. It needs at least three events. It must also
    /// be as precise as `goal`, or so large that a correction improves the time stamps for every true value
    /// within the uncertainty.
    public func isUsable(goal: Nanoseconds) -> Bool {
        eventCount >= Self.fewestEvents && (uncertainty <= goal || median.magnitude >= uncertainty * 2)
    }

    /// Whether more events of the same kind wouldn't help, because all were at about the same phase of the camera's
    /// frames.
    public var needsOtherPhases: Bool {
        eventCount >= 5 && phases.range < phases.exposure / 4
    }
}

extension LatencyEstimate {
    /// Estimates the latency of a device from events stamped by the device and by a reference microphone.
    ///
    /// Events are first matched at the offset that most of them share. Events that only one of the two devices
    /// detected, or that agree with no others, don't count. The result is `nil` if no events match.
    ///
    /// - Parameters:
    ///   - events: Events of the device, in chronological order.
    ///   - reference: Events of the reference microphone, in chronological order.
    ///   - mediaType: Kind of the device. A camera is never earlier than the reference, except for the travel time of
    ///     the sound. A microphone may be earlier, and may be closer or farther away.
    public init?(
        of events: [SharpEvent], against reference: [SharpEvent], mediaType: CaptureDevice.MediaType
    ) {
        let (offsets, leeway) = Self.expectations(of: mediaType)
        let matching = EventMatching(of: reference, and: events, offsets: offsets, leeway: leeway)
        self.init(matching.pairs.map(\.offset))
    }

    /// Returns the possible offsets between two observations of the same event, and the maximum difference between
    /// offsets. The range is narrow because claps repeat: the smallest matching offset is used.
    public static func expectations(
        of mediaType: CaptureDevice.MediaType
    ) -> (offsets: ClosedRange<Nanoseconds>, leeway: Nanoseconds) {
        switch mediaType {
        case .video: (.milliseconds(-100) ... .seconds(1), .milliseconds(2))
        // Allows for the person clapping to walk around: 3 ms per meter.
        case .audio: (.milliseconds(-500) ... .milliseconds(500), .milliseconds(20))
        }
    }
}
