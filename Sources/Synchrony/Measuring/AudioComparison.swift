internal import Encoding
internal import Media

/// Offset of two microphones from the audio that both contain, measured in two windows that must agree: one near the start, one
/// near the end.
struct AudioComparison {
    let start: MeasuredOffset
    let end: MeasuredOffset
    /// Confidence, 0.5…1, from the lower of both peaks.
    let confidence: Double

    private static let windowLength = Nanoseconds.seconds(12)
    private static let shortestLength = Nanoseconds.seconds(3)
    /// Number of windows that are tried from either end.
    private static let tries = 5
    /// Error of a correlation peak in a room.
    private static let error = Nanoseconds.microseconds(100)
    /// Largest drift between two clocks, as a share.
    private static let largestDrift = 300e-6

    /// Compares two tracks of audio.
    ///
    /// - Parameters:
    ///   - reference: The reference track.
    ///   - other: The track to measure.
    ///   - duration: Length of the shorter track.
    /// - Returns: The offsets near start and end; `nil` where no peak is certain, or the windows contradict each other.
    /// - Throws: `EncodingError` when a file cannot be read.
    static func measured(
        _ reference: TrackEvents, _ other: TrackEvents, duration: Nanoseconds
    ) throws(EncodingError) -> Self? {
        let length = min(windowLength, duration / 2)
        guard length >= shortestLength else { return nil }
        let tries = max(1, min(Int64(self.tries), duration.count / 2 / length.count))
        var first: (MeasuredOffset, Double)?
        var last: (MeasuredOffset, Double)?
        for number in 0..<tries where first == nil {
            let begin = length * number
            first = try peak(reference, other, TrackWindow(from: begin, to: begin + length))
        }
        guard let first else { return nil }
        for number in 0..<tries where last == nil {
            let end = duration - length * number
            last = try peak(reference, other, TrackWindow(from: end - length, to: end))
        }
        guard let last else { return nil }
        let span = Nanoseconds(last.0.at.nanoseconds - first.0.at.nanoseconds).inSeconds
        let most = span * largestDrift + 2 * error.inSeconds
        guard (last.0.offset - first.0.offset).magnitude.inSeconds <= most else { return nil }
        let deviations = min(first.1, last.1)
        return Self(
            start: first.0, end: last.0, confidence: 1 - AudioCorrelation.leastDeviations / deviations / 2)
    }

    private static func peak(
        _ reference: TrackEvents, _ other: TrackEvents, _ window: TrackWindow
    ) throws(EncodingError) -> (MeasuredOffset, Double)? {
        guard let first = try reference.samples(in: window), let second = try other.samples(in: window),
            first.rate == second.rate
        else { return nil }
        let correlation = try AudioCorrelation(rate: first.rate)
        guard let peak = correlation.peak(of: first.samples, and: second.samples), peak.isCertain else {
            return nil
        }
        let measured = MeasuredOffset(at: window.middle, offset: peak.offset, uncertainty: error, claps: 0)
        return (measured, peak.deviations)
    }
}
