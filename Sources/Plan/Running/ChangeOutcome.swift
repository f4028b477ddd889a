public import Media

/// The outcome of a change that was requested of a running session.
public enum ChangeOutcome: Sendable, Equatable {
    /// The recording shows the change from this time on, counted from T0.
    case recorded(from: MediaTime)
    /// No recording runs; the next one begins with the change.
    case next
    /// The recording ended before the change, which is discarded.
    case ended
}

/// A callback that receives the outcome of a requested change, once and on any thread, which it must not block.
public typealias ChangeDecision = @Sendable (ChangeOutcome) -> Void
