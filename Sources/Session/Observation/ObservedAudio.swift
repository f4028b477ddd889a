public import Media

/// A slice of a microphone's audio, with the time that a recording would give it.
public struct ObservedAudio: Sendable {
    public let role: String
    /// Of the channels that the role has picked, interleaved; full scale ± 1.
    public let samples: [Float]
    public let channels: Int
    /// Samples per second and channel, nominal.
    public let rate: Int
    /// The device's count of samples per channel before this slice: a jump is a loss.
    public let firstSample: Int64
    /// Of the first sample by the model of the microphone's clock, with no offset added.
    public let time: ClockTime
    /// The standard error of `time`.
    public let error: Nanoseconds
}
