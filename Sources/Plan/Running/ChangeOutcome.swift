public import Media

/// What became of something that was asked of a running session.
public enum ChangeOutcome: Sendable, Equatable {
    /// The recording has it, from this time of it on.
    case recorded(from: MediaTime)
    /// Nothing is recorded at the moment, and the next recording begins with it.
    case next
    /// The recording ended before, and nothing of it is kept.
    case ended
}

/// Told once what became of something that was asked of a running session, on any thread, which it must not block.
public typealias ChangeDecision = @Sendable (ChangeOutcome) -> Void
