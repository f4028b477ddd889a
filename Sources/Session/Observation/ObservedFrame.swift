public import Media

/// A frame of an observed camera, with the time that a recording would give it.
public struct ObservedFrame: Sendable {
    /// The camera's role.
    public let role: String
    /// The frame: decoded if it came in an H.264 stream, else as captured.
    public let frame: CapturedFrame
    /// Start of the exposure on the session's clock, by the model of the camera's clock, with no latency taken off.
    public let time: ClockTime
    /// Interval to the next frame by the model of the camera's clock, in nanoseconds; the exposure is no longer.
    public let interval: Nanoseconds
    /// Standard error of `time`, in nanoseconds; zero for a file.
    public let error: Nanoseconds
}
