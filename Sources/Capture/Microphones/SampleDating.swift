internal import Media

/// Counts a record stream's samples and dates them.
///
/// The server reports now and then when the next unread sample was captured. Between reports samples follow at the
/// nominal rate, so that slices are dated smoothly; each report pulls the dates by a part of its deviation, so that they
/// are right on average. A deviation that two reports agree on is a jump: audio is missing that nobody told of.
///
/// A value: no clock, no thread, no libpulse.
struct SampleDating {
    /// What a report changed.
    enum Verdict: Equatable {
        case steady
        /// Far off what was expected: another report should be asked for at once.
        case doubtful
        /// Audio of this length was lost before the next sample, from `at` on.
        case lost(count: Int64, at: ClockTime)
    }

    /// Of the next sample, as the device counts. Goes on by time over an interruption.
    private(set) var position: Int64 = 0
    private let rate: Int64
    /// When the next sample was captured, once that is known.
    private var next: ClockTime?
    private var reports: Int64 = 0
    private var suspected: Nanoseconds?
    /// Where the audio ended, after an interruption.
    private var interruptedAt: ClockTime?

    /// Reports scatter by a few milliseconds; more is doubtful.
    private static let tolerance = Nanoseconds.milliseconds(40)
    /// Reports within it of one another agree.
    private static let agreement = Nanoseconds.milliseconds(20)
    /// The first reports are averaged, later ones pull with this part of their deviation.
    private static let slowestPull: Int64 = 8

    /// - Parameter rate: Samples per second, above 0.
    init(rate: Int) {
        self.rate = Int64(rate)
    }

    /// When the next sample was captured, as far as known; after an interruption, when the audio ended.
    var end: ClockTime? { interruptedAt ?? next }

    /// Takes the server's word for when the next sample was captured.
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

    /// Passes `count` samples, delivered or lost.
    ///
    /// - Returns: The first one's number and time, or `nil` for samples that nobody can place: before the first report,
    ///   or from before the end of the audio that an interruption ended (a source that starts with an old buffer).
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

    /// The stream stops or ends; what comes next must be dated anew.
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
