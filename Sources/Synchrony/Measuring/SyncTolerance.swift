public import Media

/// How far tracks may be apart before they are called so.
public struct SyncTolerance: Sendable, Equatable {
    /// Between sounds.
    public var audio: Nanoseconds
    /// Where a frame takes part, in frames of the slower camera: of several claps together.
    public var frame: Double
    /// Likewise, of a single clap: aligned cameras may show it a frame apart.
    public var singleFrame: Double

    public init(audio: Nanoseconds = .milliseconds(5), frame: Double = 0.5, singleFrame: Double = 1.3) {
        self.audio = audio
        self.frame = frame
        self.singleFrame = singleFrame
    }

    /// An offset so small could be anything: 5 ms, or a seventh of a short frame. Audio needs 3 ms for a metre.
    private static let slack = (most: Nanoseconds.milliseconds(5), frameParts: Int64(7))

    /// What is allowed.
    ///
    /// - Parameters:
    ///   - frame: The longest of the frames that take part; `nil` between sounds.
    ///   - claps: How many were measured.
    /// - Returns: The largest magnitude of an offset that is none.
    func limit(frame: Nanoseconds?, claps: Int) -> Nanoseconds {
        guard let frame else { return audio }
        let frames = claps == 1 ? singleFrame : self.frame
        return .seconds(rounding: frame.inSeconds * min(frames, 1e6))
    }

    /// Whether tracks are apart beyond doubt: the offset is beyond the limit, and what is possible keeps away from zero.
    ///
    /// An aligned recording always has zero among what is possible, so it is never judged to be apart, whatever its phases.
    func isExceeded(by measured: MeasuredOffset, frame: Nanoseconds?) -> Bool {
        let limit = limit(frame: frame, claps: measured.claps)
        guard measured.offset.magnitude > limit else { return false }
        guard let frame else { return measured.leastMagnitude > audio }
        return measured.leastMagnitude > min(Self.slack.most, frame / Self.slack.frameParts)
    }
}
