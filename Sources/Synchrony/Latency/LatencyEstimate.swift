package import MulticamMedia

/// Estimated delay of a device's time stamps relative to a reference. The estimate is based on the range of
/// possible offsets of each event.
///
/// A flash occurs at an unknown time within the exposure of a frame, so a single time stamp determines a
/// camera's latency only to within an exposure. Events at different phases of the frames narrow the range,
/// because every event's range contains the true latency. If the ranges don't all overlap, for example
/// because two microphones are at unequal distances, the estimate is the median: as many ranges are
/// completely below the estimate as above it. A single rule covers both cases: half of all range bounds are
/// on each side of the estimate.
package struct LatencyEstimate: Sendable, Equatable {
    /// Estimated latency. The value is positive if the device stamps events later than the reference.
    package let median: Nanoseconds
    /// Maximum difference between the true latency and `median`, in either direction.
    package let uncertainty: Nanoseconds
    /// Median distance of the events from `median`: the middles of half of the events' ranges are at most
    /// this far away.
    package let spread: Nanoseconds
    /// The difference between the lowest and the highest middle of the events' ranges, and the median width
    /// of the ranges. If all events occur at the same phase of a camera's frames, the difference between the
    /// middles is much smaller than an exposure.
    package let phases: (range: Nanoseconds, exposure: Nanoseconds)
    /// Number of events on which the estimate is based.
    package let eventCount: Int

    /// Minimum number of events for a reliable estimate. Two events may agree by coincidence.
    package static let fewestEvents = 3
    /// Number of standard errors that are added to the uncertainty. A range of ±2.5 standard errors contains
    /// the true value in 99 % of cases.
    private static let standardErrors = 2.5

    /// Estimates the latency from the range of offsets that each event allows. Returns `nil` if there are no events.
    package init?(_ ranges: [ClosedRange<Nanoseconds>]) {
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

    /// Returns whether all values of two estimates are equal.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.median == rhs.median && lhs.uncertainty == rhs.uncertainty && lhs.spread == rhs.spread
            && lhs.phases == rhs.phases && lhs.eventCount == rhs.eventCount
    }

    /// Whether the estimate may be used to correct time stamps. At least three events are required. The
    /// estimate must also be as precise as `goal`, or the latency must be so large that a correction improves
    /// the time stamps for every true value within the uncertainty.
    package func isUsable(goal: Nanoseconds) -> Bool {
        eventCount >= Self.fewestEvents && (uncertainty <= goal || median.magnitude >= uncertainty * 2)
    }

    /// Whether events at other phases of the camera's frames are needed, because all events so far occurred
    /// at about the same phase.
    package var needsOtherPhases: Bool {
        eventCount >= 5 && phases.range < phases.exposure / 4
    }
}

extension LatencyEstimate {
    /// Estimates the latency of a device from events stamped by the device and by a reference microphone.
    ///
    /// The events of both devices are first matched, using the offset on which most events agree. Events that
    /// only one device detected, or with an offset that deviates from the others, are ignored. The result is
    /// `nil` if no events match.
    ///
    /// - Parameters:
    ///   - events: Events of the device, in chronological order.
    ///   - reference: Events of the reference microphone, in chronological order.
    ///   - mediaType: Media type of the device. Time stamps of a camera are never earlier than those of the
    ///     reference, except by the travel time of the sound. Time stamps of a microphone may be earlier, and
    ///     the microphone may be closer or farther away than the reference.
    package init?(
        of events: [SharpEvent], against reference: [SharpEvent], mediaType: CaptureDevice.MediaType
    ) {
        let (offsets, leeway) = Self.expectations(of: mediaType)
        let matching = EventMatching(of: reference, and: events, offsets: offsets, leeway: leeway)
        self.init(matching.pairs.map(\.offset))
    }

    /// Returns the range of plausible offsets between two observations of the same event, and the maximum
    /// difference between the offsets of different events. The range is narrow because people clap
    /// repeatedly, so a larger offset might match a different clap.
    package static func expectations(
        of mediaType: CaptureDevice.MediaType
    ) -> (offsets: ClosedRange<Nanoseconds>, leeway: Nanoseconds) {
        switch mediaType {
        case .video: (.milliseconds(-100) ... .seconds(1), .milliseconds(2))
        // The tolerance allows for a clapping person who walks around, which changes the delay by 3 ms per
        // meter.
        case .audio: (.milliseconds(-500) ... .milliseconds(500), .milliseconds(20))
        }
    }
}
