internal import Media

/// Counts and dates the samples of a record stream.
///
/// The server reports now and then when the next unread sample was captured. Between reports samples follow at the
/// nominal rate, so that slices are dated smoothly; each report pulls the dates by a part of its deviation, so that
/// they are right on average. A deviation that two reports agree on is a jump: audio is missing that was not reported
/// as lost.
///
/// A value: no clock, no thread, no libpulse.
struct SampleDating {
    /// The effect of a report.
    enum Verdict: Equatable {
        case steady
        /// The report is far off; another one should be asked for at once.
        case doubtful
        /// Audio of this length was lost before the next sample, from `at` on.
        case lost(count: Int64, at: ClockTime)
    }

    /// Number of the next sample, in samples per channel. Continues by time over an interruption.
    private(set) var position: Int64 = 0
    private let rate: Int64
    /// Capture time of the next sample, once it is known.
    private var next: ClockTime?
    private var reports: Int64 = 0
    private var suspected: Nanoseconds?
    /// Time at which the audio ended, after an interruption.
    private var interruptedAt: ClockTime?

    /// Largest deviation of a report that is not doubtful: reports scatter by a few milliseconds.
    private static let tolerance = Nanoseconds.milliseconds(40)
    /// Largest difference between two doubtful reports that agree.
    private static let agreement = Nanoseconds.milliseconds(20)
    /// Divisor of a late report's deviation: the first reports are averaged, later ones pull by this part.
    private static let slowestPull: Int64 = 8

    /// Starts without a date.
    ///
    /// - Parameter rate: Samples per second, above 0.
    init(rate: Int) {
        self.rate = Int64(rate)
    }

    /// Capture time of the next sample, as far as known; after an interruption, the time at which the audio ended.
    var end: ClockTime? { interruptedAt ?? next }

    /// Takes the server's report of when the next sample was captured.
    mutating func report(_ time: ClockTime) -> Verdict {
        guard let expected = next else {
            next = time
            reports = 1
            return .steady
        }
        let deviation = time - expected
        guard deviation.magnitude > Self.tolerance else {
            suspected = nil
            reports += 1
            next = expected + deviation / min(reports, Self.slowestPull)
            return .steady
        }
        guard let suspected, (deviation - suspected).magnitude < Self.agreement else {
            suspected = deviation
            return .doubtful
        }
        self.suspected = nil
        reports = 1
        next = time
        guard deviation > .zero else { return .steady }
        let count = samples(in: deviation)
        position += count
        return .lost(count: count, at: expected)
    }

    /// Counts `count` samples per channel, delivered or lost.
    ///
    /// - Returns: The first one's number and capture time, or `nil` for samples that cannot be dated: before the first
    ///   report, or from before the end of the audio that an interruption ended (a source that starts with an old
    ///   buffer).
    mutating func take(_ count: Int) -> (first: Int64, time: ClockTime)? {
        guard let time = next else { return nil }
        if let interruptedAt {
            guard time >= interruptedAt else {
                next = time + duration(of: Int64(count))
                return nil
            }
            position += samples(in: time - interruptedAt)
            self.interruptedAt = nil
        }
        let first = position
        position += Int64(count)
        // From the whole count, so that the rounding of slices does not add up.
        next = time + duration(of: position) - duration(of: first)
        return (first, time)
    }

    /// Notes that the stream stops or ends; later samples must be dated anew.
    mutating func interrupt() {
        interruptedAt = interruptedAt ?? next
        next = nil
        suspected = nil
        reports = 0
    }

    private func samples(in time: Nanoseconds) -> Int64 {
        time.count.rescaled(from: 1_000_000_000, to: rate)
    }

    private func duration(of count: Int64) -> Nanoseconds {
        .duration(of: count, perSecond: rate)
    }
}
