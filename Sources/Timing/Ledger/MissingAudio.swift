public import Media

/// A stretch of a microphone's samples that are silence for want of audio.
public struct MissingAudio: Sendable, Equatable {
    /// By the track's samples: sample n is T0 + n/48 000.
    public let samples: Range<Int64>
    public let cause: LossCause

    package init(samples: Range<Int64>, cause: LossCause) {
        self.samples = samples
        self.cause = cause
    }
}
