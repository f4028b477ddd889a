public import Media

/// The losses that a recording may have. A recording with more of them runs to its end, and the program exits with status 6.
public struct RecordingLimits: Sendable, Equatable, Codable {
    /// Lost ÷ (captured + lost) frames of each track of frames, the program included, 0…1; `nil` for no limit.
    public var lostFrames: Double?
    /// Filled ÷ written samples of each microphone, 0…1; `nil` for no limit.
    public var lostSamples: Double?
    /// The longest time that a microphone may be silent; `nil` for no limit.
    public var silence: Nanoseconds?

    /// Creates limits; by default 1 % of the frames and 0.1 % of the samples may be lost.
    public init(lostFrames: Double? = 0.01, lostSamples: Double? = 0.001, silence: Nanoseconds? = nil) {
        self.lostFrames = lostFrames
        self.lostSamples = lostSamples
        self.silence = silence
    }

    /// No limits: `limits: none` in a profile.
    public static let none = Self(lostFrames: nil, lostSamples: nil)
}
