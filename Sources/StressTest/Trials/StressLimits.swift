public import Profiles

/// What a run may lose and still has held.
public struct StressLimits: Sendable, Equatable {
    /// Lost ÷ (captured + lost) of each track of frames, 0…1.
    public var lostShare: Double
    /// Filled ÷ written samples of each microphone, 0…1.
    public var lostAudioShare: Double
    /// Whether it is also judged by what only shows with time: pressure and clocks.
    public var isLong: Bool

    /// - Parameters:
    ///   - limits: The profile's; where it has no limit, every loss is allowed.
    ///   - isLong: As the property.
    public init(_ limits: RecordingLimits, isLong: Bool) {
        lostShare = limits.lostFrames ?? 1
        lostAudioShare = limits.lostSamples ?? 1
        self.isLong = isLong
    }
}
