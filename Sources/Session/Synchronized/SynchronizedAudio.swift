internal import Media
public import Timing

/// A microphone's audio from one tick to the next, aligned to the session's clock, at 48 kHz.
public struct SynchronizedAudio: Sendable {
    /// Index of the first sample, which lies at T0 + index/48 000 s.
    public let firstSample: Int64
    /// Number of channels in `samples`.
    public let channels: Int
    /// Samples, interleaved; full scale is ±1.
    public let samples: [Float]
    /// Stretches of the samples that are silence because audio is missing, in order.
    public let missing: [MissingAudio]

    /// Number of samples per channel.
    public var frameCount: Int { samples.count / channels }
}
