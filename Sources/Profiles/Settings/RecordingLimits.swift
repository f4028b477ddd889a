public import Media

/// Losses beyond these end the recording with exit status 6. `nil` is no limit.
public struct RecordingLimits: Sendable, Equatable, Codable {
    /// Lost ÷ (captured + lost) of each track of frames, 0…1; `nil` for no limit.
    public var lostFrames: Double?
    /// Filled ÷ written samples of each microphone, 0…1; `nil` for no limit.
    public var lostSamples: Double?
    /// How long a microphone may be silent; `nil` for no limit.
    public var silence: Nanoseconds?

    public init(lostFrames: Double? = 0.01, lostSamples: Double? = 0.001, silence: Nanoseconds? = nil) {
        self.lostFrames = lostFrames
        self.lostSamples = lostSamples
        self.silence = silence
    }

    /// No limit at all: `limits: none`.
    public static let none = Self(lostFrames: nil, lostSamples: nil)
}
