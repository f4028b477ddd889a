internal import Media

/// Offset of two tracks from the claps that both contain in one window.
struct ClapComparison {
    /// Offset of each clap, in the order of time.
    let claps: [MeasuredOffset]
    /// Offset of all claps together.
    let whole: MeasuredOffset
    /// Confidence, 0…1: the share of claps found in both tracks, multiplied by n ÷ (n + 1) for n claps.
    let confidence: Double

    /// Part of the possible range of an offset between two cameras that is taken as likely: 1.8 of 2.1 frames. The extreme needs
    /// four coincidences: where each camera's exposures lie relative to the ticks, and where in them the clap fell. If all are
    /// evenly spread, an offset beyond 1.8 frames happens once in ten thousand.
    private static let likelyShare = (num: Int64(18), den: Int64(21))
    private static let agreementShare = 2.0 / 3
    /// Largest offset at which one or two events count as the same without confirmation: things fall in every room.
    private static let largestAlone = Nanoseconds.milliseconds(100)

    /// Matches the events of two tracks; `nil` where too few agree to be certain that they are the same.
    ///
    /// - Parameters:
    ///   - reference: Events of the reference track, in the order of time.
    ///   - other: Events of the track to measure, in the order of time.
    ///   - areAudio: Whether both tracks are audio. Then the offset is the median, and its uncertainty includes the scatter;
    ///     otherwise the possible ranges are intersected.
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

    /// Whether the matched events are certain to be the same. Of many, at least three and half of the shorter list must agree;
    /// of one or two, all must agree, be near to each other, and be nearly the only ones.
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
        // Two standard errors of the median, and the error of the onsets themselves.
        let error = 2.5 * scatter / Double(claps.count).squareRoot() + own
        return MeasuredOffset(
            at: meanTime(claps), offset: Nanoseconds(Int64(rounding: middle, .towardZero)),
            uncertainty: Nanoseconds(Int64(rounding: error, .towardZero)),
            claps: claps.count)
    }

    private static func intersection(_ claps: [MeasuredOffset]) -> MeasuredOffset {
        let ranges = claps.map { ($0.offset - $0.uncertainty)...($0.offset + $0.uncertainty) }
        if let found = IntervalIntersection.most(of: ranges),
            Double(found.count) >= Self.agreementShare * Double(claps.count)
        {
            return MeasuredOffset(
                at: meanTime(claps), offset: found.middle, uncertainty: found.uncertainty, claps: claps.count)
        }
        // The ranges contradict each other, as with drift: the widest of them is the uncertainty.
        let middle = Int64(claps.map { Double($0.offset.count) }.median)
        let widest = claps.map(\.uncertainty).max() ?? .zero
        return MeasuredOffset(
            at: meanTime(claps), offset: Nanoseconds(middle), uncertainty: widest, claps: claps.count)
    }
}
