internal import MulticamEncoding
internal import MulticamMedia

/// Offset between two microphones, based on sound that both recorded. The offset is measured in one window
/// near the start and one near the end of the recording, and the two results must agree.
struct AudioComparison {
    let start: MeasuredOffset
    let end: MeasuredOffset
    /// Confidence from 0.5 to 1, based on the lower of the two correlation peaks.
    let confidence: Double

    private static let windowLength = Nanoseconds.seconds(12)
    private static let shortestLength = Nanoseconds.seconds(3)
    /// Number of windows that are tried at each end of the recording.
    private static let tries = 5
    /// Error of a correlation peak in a typical room.
    private static let error = Nanoseconds.microseconds(100)
    /// Maximum drift between two clocks, as a ratio.
    private static let largestDrift = 300e-6

    /// Compares two audio tracks.
    ///
    /// - Parameters:
    ///   - reference: The reference track.
    ///   - other: The track to measure.
    ///   - duration: Length of the shorter track.
    /// - Returns: The offsets near the start and the end; `nil` if no peak is certain or the windows
    ///   contradict each other.
    /// - Throws: `EncodingError` if a file can't be read.
    static func measure(
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

/// Offset between two tracks, based on the claps that both tracks contain in one window.
struct ClapComparison {
    /// Offset of each clap, in chronological order.
    let claps: [MeasuredOffset]
    /// The track's offset, based on all claps.
    let whole: MeasuredOffset
    /// Confidence from 0 to 1, computed as the share of claps found in both tracks, multiplied by n ÷ (n + 1)
    /// for n claps.
    let confidence: Double

    /// Share of the possible range of offsets between two aligned cameras that is considered likely: 1.8 of
    /// 2.1 frames. The maximum offset requires that four values are extreme at the same time: for each
    /// camera, the phase of its exposures relative to the ticks, and the position of the clap within the
    /// exposure. If all four are uniformly distributed, an offset of more than 1.8 frames occurs once in ten
    /// thousand cases.
    private static let likelyShare = (num: Int64(18), den: Int64(21))
    private static let agreementShare = 2.0 / 3
    /// Maximum offset at which one or two matching events are trusted without confirmation. A limit is needed
    /// because unrelated impact sounds occur in every room.
    private static let largestAlone = Nanoseconds.milliseconds(100)

    /// Matches the events of two tracks. Returns `nil` if too few events agree to be certain that both tracks
    /// contain the same events.
    ///
    /// - Parameters:
    ///   - reference: Events of the reference track, in chronological order.
    ///   - other: Events of the track to measure, in chronological order.
    ///   - areAudio: Whether both tracks are audio. If `true`, the offset is the median of the matched
    ///     events' offsets, and the uncertainty includes their scatter. If `false`, the offset is the
    ///     intersection of the events' possible ranges.
    ///   - areFrames: Whether neither track is audio.
    init?(_ reference: [SharpEvent], _ other: [SharpEvent], areAudio: Bool, areFrames: Bool) {
        let matching = EventMatching(of: reference, and: other)
        guard Self.isTrusted(matching) else { return nil }
        claps = matching.pairs.map { pair in
            let (least, most) = (pair.offset.lowerBound, pair.offset.upperBound)
            let half = (most - least) / 2
            let likely = areFrames ? half * Self.likelyShare.num / Self.likelyShare.den : half
            return MeasuredOffset(
                at: reference[pair.reference].middle, offset: least + half, uncertainty: likely, claps: 1)
        }
        whole = areAudio ? Self.median(claps) : Self.intersection(claps)
        let count = Double(claps.count)
        confidence = matching.share * count / (count + 1)
    }

    /// Whether it is certain that both tracks contain the same events. If both tracks contain three or more
    /// events, at least three events and half of the shorter list must match. If one track contains only one
    /// or two events, all of them must match at a small offset, and the other track may contain only a few
    /// additional events.
    private static func isTrusted(_ matching: EventMatching) -> Bool {
        let fewer = min(matching.referenceCount, matching.otherCount)
        let more = max(matching.referenceCount, matching.otherCount)
        guard matching.count > 0 else { return false }
        if fewer <= 2 {
            let isNear = matching.pairs.allSatisfy { pair in
                (pair.offset.lowerBound + pair.offset.upperBound).magnitude / 2 <= largestAlone
            }
            return matching.count == fewer && more <= 2 * fewer + 1 && isNear
        }
        return matching.count >= 3 && matching.share >= 0.5
    }

    private static func meanTime(_ claps: [MeasuredOffset]) -> MediaTime {
        let sum = claps.reduce(0.0) { $0 + Double($1.at.nanoseconds) }
        return MediaTime(nanoseconds: Int64(sum / Double(claps.count)))
    }

    private static func median(_ claps: [MeasuredOffset]) -> MeasuredOffset {
        let offsets = claps.map { Double($0.offset.count) }
        let middle = offsets.median
        let scatter = 1.4826 * offsets.map { abs($0 - middle) }.median
        let own = claps.map { Double($0.uncertainty.count) }.median
        // The uncertainty is two standard errors of the median, plus the measurement error of the onsets.
        let error = 2.5 * scatter / Double(claps.count).squareRoot() + own
        return MeasuredOffset(
            at: meanTime(claps), offset: Nanoseconds(Int64(rounding: middle, .towardZero)),
            uncertainty: Nanoseconds(Int64(rounding: error, .towardZero)),
            claps: claps.count)
    }

    private static func intersection(_ claps: [MeasuredOffset]) -> MeasuredOffset {
        let ranges = claps.map { ($0.offset - $0.uncertainty)...($0.offset + $0.uncertainty) }
        if let found = IntervalIntersection.mostCommon(of: ranges),
            Double(found.count) >= Self.agreementShare * Double(claps.count)
        {
            return MeasuredOffset(
                at: meanTime(claps), offset: found.middle, uncertainty: found.uncertainty, claps: claps.count)
        }
        // If the claps' possible ranges contradict each other, as they do if there is drift, the largest
        // uncertainty of any clap is used.
        let middle = Int64(claps.map { Double($0.offset.count) }.median)
        let widest = claps.map(\.uncertainty).max() ?? .zero
        return MeasuredOffset(
            at: meanTime(claps), offset: Nanoseconds(middle), uncertainty: widest, claps: claps.count)
    }
}
