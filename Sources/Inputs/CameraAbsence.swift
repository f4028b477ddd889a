public import Media

/// Why no frames come from a camera, and since when.
public struct CameraAbsence: Sendable, Equatable {
    /// Since when, on `CLOCK_MONOTONIC`.
    public let since: ClockTime
    /// Why, in words: what the driver says, or what a person or the governor asked for.
    public let reason: String
    /// The ledger's cause of the frames that are missing meanwhile.
    public let cause: LossCause
}
