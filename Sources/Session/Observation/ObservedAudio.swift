public import Media

/// A slice of an observed microphone's audio, with the time that a recording would give it.
public struct ObservedAudio: Sendable {
    /// The microphone's role.
    public let role: String
    /// Samples of the channels that the role has picked, interleaved; full scale is ±1.
    public let samples: [Float]
    /// Number of channels in `samples`.
    public let channels: Int
    /// Nominal samples per second and channel.
    public let rate: Int
    /// The device's count of samples per channel before this slice; a jump is a loss.
    public let firstSample: Int64
    /// Time of the first sample on the session's clock, by the model of the microphone's clock, with no offset added.
    public let time: ClockTime
    /// Standard error of `time`, in nanoseconds; zero for a file.
    public let error: Nanoseconds
}
