public import Media

/// How far a rendering has come, and the way to end it early. Any thread.
public struct RenderProgress: Sendable {
    /// Told what is done and how much of it, 0…1, a few times a second.
    public let tell: @Sendable (_ step: String, _ share: Double) -> Void
    /// The request to stop: what was written so far is removed.
    public let cancellation: Cancellation

    /// Makes the way; by default nobody is told.
    public init(
        cancellation: Cancellation = Cancellation(),
        tell: @escaping @Sendable (_ step: String, _ share: Double) -> Void = { _, _ in }
    ) {
        self.cancellation = cancellation
        self.tell = tell
    }
}
