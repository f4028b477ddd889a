internal import MulticamMedia

/// Assigns sample numbers and capture times to the samples of a record stream.
///
/// The server periodically reports when the next unread sample was captured. Between reports, capture times
/// advance smoothly at the nominal rate. Each report corrects the capture times by a fraction of its
/// deviation, so that the capture times are correct on average. If two consecutive reports agree on a large
/// deviation, audio is missing that the server didn't report as lost.
///
/// This value type doesn't depend on a clock, a thread, or libpulse.
struct SampleTimestamper {
    /// Effect of a timing report.
    enum Verdict: Equatable {
        case steady
        /// The report deviates too much; another report should be requested immediately.
        case doubtful
        /// `count` samples were lost before the next sample. The loss started at the time `at`.
        case lost(count: Int64, at: ClockTime)
    }

    /// Number of the next sample, in samples per channel. The number advances with time during an
    /// interruption.
    private(set) var position: Int64 = 0
    private let rate: Int64
    /// Capture time of the next sample; `nil` if unknown.
    private var next: ClockTime?
    private var reports: Int64 = 0
    private var suspected: Nanoseconds?
    /// End time of the audio before an interruption.
    private var interruptedAt: ClockTime?

    /// Maximum deviation of a trusted report. Reports normally vary by a few milliseconds.
    private static let tolerance = Nanoseconds.milliseconds(40)
    /// Maximum difference between two doubtful reports that confirm each other.
    private static let agreement = Nanoseconds.milliseconds(20)
    /// Divisor for the deviation of a report. The first reports are averaged; later reports correct the times by 1/8 of
    /// their deviation.
    private static let maxCorrectionDivisor: Int64 = 8

    /// Creates the initial state, in which no capture time is known.
    ///
    /// - Parameter rate: Samples per second, above 0.
    init(rate: Int) {
        self.rate = Int64(rate)
    }

    /// Capture time of the next sample, or the end time of the audio after an interruption; `nil` if unknown.
    var end: ClockTime? { interruptedAt ?? next }

    /// Processes the server's report of the capture time of the next sample.
    mutating func applyReport(_ time: ClockTime) -> Verdict {
        guard let expected = next else {
            next = time
            reports = 1
            return .steady
        }
        let deviation = time - expected
        guard deviation.magnitude > Self.tolerance else {
            suspected = nil
            reports += 1
            next = expected + deviation / min(reports, Self.maxCorrectionDivisor)
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

    /// Counts `count` samples per channel, either delivered or lost.
    ///
    /// - Returns: The number and capture time of the first sample. `nil` if no time can be assigned: before
    ///   the first report, or for samples that were captured before an interruption, because a source can
    ///   restart with an old buffer.
    mutating func advance(by count: Int) -> (first: Int64, time: ClockTime)? {
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
        // The time is computed from the total sample count, so that rounding errors don't accumulate.
        next = time + duration(of: position) - duration(of: first)
        return (first, time)
    }

    /// Records that the stream has stopped or ended. The capture times of later samples must be determined
    /// again.
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
