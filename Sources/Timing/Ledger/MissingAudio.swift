public import Media

/// A stretch of a microphone's track that is silent because audio is missing.
public struct MissingAudio: Sendable, Equatable {
    /// The samples of the stretch: sample n is T0 + n/48 000 s.
    public let samples: Range<Int64>
    /// Why the audio is missing.
    public let cause: LossCause

    /// Creates a stretch with its cause.
    package init(samples: Range<Int64>, cause: LossCause) {
        self.samples = samples
        self.cause = cause
    }
}
