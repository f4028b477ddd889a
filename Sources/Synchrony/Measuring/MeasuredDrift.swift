internal import Glibc
internal import Media

/// How fast a track drifts away from its reference.
public struct MeasuredDrift: Sendable, Equatable {
    /// Drift in parts per million, positive when the track falls behind the reference: 1 ppm is 3.6 ms per hour.
    public let partsPerMillion: Double
    /// Uncertainty of the drift in parts per million, in either direction.
    public let uncertainty: Double

    /// Shortest time between two measurements that may tell drift.
    static let shortestSpan = Nanoseconds.seconds(10)
    /// Largest uncertainty in parts per million of a drift that is reported: frames tell drift only after many claps.
    static let largestUncertainty = 20.0

    /// Takes the drift between a measurement near the start and one near the end; `nil` where they are too near to each other or
    /// too uncertain.
    public init?(from start: MeasuredOffset, to end: MeasuredOffset) {
        let span = Nanoseconds(end.at.nanoseconds - start.at.nanoseconds)
        guard span >= Self.shortestSpan else { return nil }
        partsPerMillion = (end.offset - start.offset).inSeconds / span.inSeconds * 1e6
        uncertainty = (start.uncertainty + end.uncertainty).inSeconds / span.inSeconds * 1e6
        guard uncertainty <= Self.largestUncertainty else { return nil }
    }

    /// Fits a straight line through the offsets of many claps (least squares); `nil` with fewer than four claps, within too
    /// short a time, or where the result is too uncertain.
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
        // Two standard errors, and the error of an onset at either end.
        let span = (times.last ?? 0) - (times.first ?? 0)
        uncertainty = (2 * (squares / (count - 2) / spread).squareRoot() + 0.000_02 / span) * 1e6
        guard uncertainty <= Self.largestUncertainty else { return nil }
    }
}
