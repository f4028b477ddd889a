internal import Glibc
internal import Media

/// How fast two tracks move apart.
public struct MeasuredDrift: Sendable, Equatable {
    /// Above zero when the track falls behind the reference: 1 ppm is 3.6 ms an hour.
    public let partsPerMillion: Double
    public let uncertainty: Double

    /// Two measurements less far apart tell nothing of drift.
    static let shortestSpan = Nanoseconds.seconds(10)
    /// A drift that is known worse is not told: frames tell one only after many claps.
    static let largestUncertainty = 20.0

    /// Between a measurement at the start and one at the end.
    ///
    /// - Returns: `nil` where they are too near or too uncertain.
    public init?(from start: MeasuredOffset, to end: MeasuredOffset) {
        let span = Nanoseconds(end.at.nanoseconds - start.at.nanoseconds)
        guard span >= Self.shortestSpan else { return nil }
        partsPerMillion = (end.offset - start.offset).inSeconds / span.inSeconds * 1e6
        uncertainty = (start.uncertainty + end.uncertainty).inSeconds / span.inSeconds * 1e6
        guard uncertainty <= Self.largestUncertainty else { return nil }
    }

    /// The straight line through the offsets of many claps (least squares).
    ///
    /// - Returns: `nil` of fewer than four claps, or within too short a time.
    public init?(of claps: [MeasuredOffset]) {
        guard claps.count >= 4, let first = claps.first, let last = claps.last,
            last.at.nanoseconds - first.at.nanoseconds >= Self.shortestSpan.count
        else { return nil }
        let times = claps.map { Double($0.at.nanoseconds - first.at.nanoseconds) / 1e9 }
        let offsets = claps.map { $0.offset.inSeconds }
        let count = Double(claps.count)
        let (meanTime, meanOffset) = (times.reduce(0, +) / count, offsets.reduce(0, +) / count)
        let spread = times.reduce(0) { $0 + ($1 - meanTime) * ($1 - meanTime) }
        let slope =
            zip(times, offsets).reduce(0) { $0 + ($1.0 - meanTime) * ($1.1 - meanOffset) } / spread
        let squares = zip(times, offsets).reduce(0) { sum, clap in
            let rest = clap.1 - meanOffset - slope * (clap.0 - meanTime)
            return sum + rest * rest
        }
        partsPerMillion = slope * 1e6
        // Two standard errors, and what an onset may be off at either end.
        let span = (times.last ?? 0) - (times.first ?? 0)
        uncertainty = (2 * (squares / (count - 2) / spread).squareRoot() + 0.000_02 / span) * 1e6
        guard uncertainty <= Self.largestUncertainty else { return nil }
    }
}
