public import Media

/// A frame of a camera that is observed, with the time that a recording would give it.
public struct ObservedFrame: Sendable {
    public let role: String
    /// Decoded where it came in a stream whose frames depend on each other; else as captured.
    public let frame: CapturedFrame
    /// The start of its exposure by the model of the camera's clock, with no latency taken off.
    public let time: ClockTime
    /// From it to the next one as the camera's clock has run: its exposure is no longer.
    public let interval: Nanoseconds
    /// The standard error of `time`.
    public let error: Nanoseconds
}
