internal import Media

/// What the claps that two tracks share in one window tell of their offset.
struct ClapComparison {
    /// One by one, in order of time.
    let claps: [MeasuredOffset]
    /// All together.
    let whole: MeasuredOffset
    /// The share of the claps that could have been found which were, and the more of them the better: 0…1.
    let confidence: Double

    /// Of two cameras, four things must be at their ends at once for the extreme: where each camera's exposures lie from the
    /// ticks, and where in them the clap fell. If all are evenly spread, farther than 1.8 of the 2.1 frames that are possible
    /// happens once in ten thousand.
    private static let likelyShare = (num: Int64(18), den: Int64(21))
    private static let agreementShare = 2.0 / 3
    /// One or two events that nothing confirms are the same one only if they are so near: something falls in every room.
    private static let largestAlone = Nanoseconds.milliseconds(100)

    /// `nil` where too few agree to be sure that they are the same.
    ///
    /// - Parameters:
    ///   - reference: The events of the reference.
    ///   - other: Those of the other track.
    ///   - areSound: Whether both are sound: then the median is told, with how the claps scatter about it. Else ranges are
    ///     intersected, by what the clap of each may have been.
    ///   - arePictures: Whether neither is audio.
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

    /// Several must agree, and be half of what there is; where there are only one or two, all of them, near to each other, and
    /// nearly nothing else.
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
        // Two standard errors of the median, and what the onsets themselves may be off.
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
        // They contradict each other, as with drift: what each of them allows is all that is known.
        let middle = Int64(claps.map { Double($0.offset.count) }.median)
        let widest = claps.map(\.uncertainty).max() ?? .zero
        return MeasuredOffset(
            at: meanTime(claps), offset: Nanoseconds(middle), uncertainty: widest, claps: claps.count)
    }
}
