internal import Media
public import Timing

/// A microphone's audio from one tick to the next, aligned to the session's clock, at 48 kHz.
public struct SynchronizedAudio: Sendable {
    /// The index of its first sample: T0 + index/48 000.
    public let firstSample: Int64
    public let channels: Int
    /// Interleaved, full scale ± 1.
    public let samples: [Float]
    /// Which of the samples are silence for want of audio, in order.
    public let missing: [MissingAudio]

    /// Samples per channel.
    public var frameCount: Int { samples.count / channels }
}
