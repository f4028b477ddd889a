public import Profiles

/// What a run may lose without failing.
public struct StressLimits: Sendable, Equatable {
    /// The share of frames that a track may lose, lost ÷ (captured + lost), 0…1.
    public var lostShare: Double
    /// The share of samples that a microphone may lose, filled ÷ (captured + filled), 0…1.
    public var lostAudioShare: Double
    /// Whether pressure and clocks, which show only with time, are judged too.
    public var isLong: Bool

    /// Creates the limits of a run.
    ///
    /// - Parameters:
    ///   - limits: The profile's limits; where one is missing, every loss is allowed.
    ///   - isLong: Whether pressure and clocks are judged too.
    public init(_ limits: RecordingLimits, isLong: Bool) {
        lostShare = limits.lostFrames ?? 1
        lostAudioShare = limits.lostSamples ?? 1
        self.isLong = isLong
    }
}
