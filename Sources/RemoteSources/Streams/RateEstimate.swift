internal import Media

/// Finds out at which rate a stream runs.
enum RateEstimate {
    /// Rates of cameras, in frames per second.
    private static let usual: [Double] = [
        1, 2, 3, 4, 5, 6, 7.5, 8, 10, 12, 12.5, 15, 18, 20, 24, 25, 30, 40, 45, 48, 50, 60, 72, 75, 90, 100,
        120, 144, 240,
    ]
    /// Share by which a rate may differ from a usual one.
    private static let tolerance = 0.04

    /// The rate of frames with such time stamps.
    ///
    /// - Parameters:
    ///   - stamps: Time stamps in any order.
    ///   - guessed: What the stream says of itself, which counts where there are too few frames.
    /// - Returns: A usual rate where one is near; 25 where nothing is known.
    static func rate(ofStamps stamps: [Nanoseconds], guessed: FrameRate?) -> FrameRate {
        let ordered = stamps.sorted()
        let intervals = zip(ordered.dropFirst(), ordered).map { ($0 - $1).count }.filter { $0 > 0 }.sorted()
        guard intervals.count >= 5 else { return guessed ?? FrameRate(25) }
        let median = 1e9 / Double(intervals[intervals.count / 2])
        if let guessed, abs(guessed.perSecond / median - 1) < tolerance, guessed.seconds == 1001 {
            return guessed
        }
        return usual(near: median) ?? guessed ?? FrameRate(25)
    }

    /// The rate of frames that arrived at such times, in order. What a server had kept comes at once in the beginning and does not count.
    static func rate(ofArrivals times: [ClockTime]) -> FrameRate {
        let steady = times.dropFirst(times.count / 3)
        guard let first = steady.first, let last = steady.last, steady.count >= 3, last > first else {
            return FrameRate(25)
        }
        let measured = Double(steady.count - 1) / (last - first).inSeconds
        let round = [1, 2, 5, 10, 15, 20, 25, 30, 50, 60, 90, 120].min {
            abs($0 / measured - 1) < abs($1 / measured - 1)
        }
        if let round, abs(round / measured - 1) < 0.1 { return FrameRate(round) ?? FrameRate(25) }
        return usual(near: measured) ?? FrameRate(25)
    }

    private static func usual(near measured: Double) -> FrameRate? {
        guard let nearest = usual.min(by: { abs($0 / measured - 1) < abs($1 / measured - 1) }),
            abs(nearest / measured - 1) < tolerance
        else { return FrameRate(min(max(measured, 1), 240).rounded()) }
        return FrameRate(nearest)
    }
}
