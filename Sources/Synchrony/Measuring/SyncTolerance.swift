public import Media

/// Largest offsets of tracks that still count as aligned.
public struct SyncTolerance: Sendable, Equatable {
    /// Largest offset between two tracks of audio.
    public var audio: Nanoseconds
    /// Largest offset where a track has frames and several claps were measured, in frames of the slower camera.
    public var frame: Double
    /// Largest offset where a track has frames and one clap was measured, in frames of the slower camera: aligned cameras may
    /// show one clap a frame apart.
    public var singleFrame: Double

    /// Creates tolerances; the defaults are those of `multicam sync-check`.
    public init(audio: Nanoseconds = .milliseconds(5), frame: Double = 0.5, singleFrame: Double = 1.3) {
        self.audio = audio
        self.frame = frame
        self.singleFrame = singleFrame
    }

    /// Smallest offset from zero that counts as apart where frames take part: 5 ms, or a seventh of a short frame. Audio takes 3
    /// ms for a metre.
    private static let slack = (most: Nanoseconds.milliseconds(5), frameParts: Int64(7))

    /// Largest magnitude of an offset that still counts as aligned.
    ///
    /// - Parameters:
    ///   - frame: Length of the longest frame that takes part; `nil` between tracks of audio.
    ///   - claps: Number of claps that were measured.
    /// - Returns: The largest magnitude.
    func limit(frame: Nanoseconds?, claps: Int) -> Nanoseconds {
        guard let frame else { return audio }
        let frames = claps == 1 ? singleFrame : self.frame
        return .seconds(rounding: frame.inSeconds * min(frames, 1e6))
    }

    /// Whether tracks are apart beyond doubt: the offset exceeds the limit, and all possible offsets keep a distance from zero.
    ///
    /// Zero is always possible for an aligned recording, so it is never judged to be apart, whatever the phases of its frames
    /// are.
    func isExceeded(by measured: MeasuredOffset, frame: Nanoseconds?) -> Bool {
        let limit = limit(frame: frame, claps: measured.claps)
        guard measured.offset.magnitude > limit else { return false }
        guard let frame else { return measured.leastMagnitude > audio }
        return measured.leastMagnitude > min(Self.slack.most, frame / Self.slack.frameParts)
    }
}
