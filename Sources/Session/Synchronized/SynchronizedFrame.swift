public import Media

/// A camera's frame at its tick.
public struct SynchronizedFrame: Sendable {
    /// As captured or converted, as the output asks. Raw frames as captured may borrow the driver's memory: keep
    /// `ownedCopy()` of one that outlives the handler.
    public let frame: CapturedFrame
    /// When it was captured, by the model of its camera's clock and less its latency. `frame.capturedAt` is the stamp.
    public let capturedAt: MediaTime
    /// The device's own count of frames.
    public let sequence: Int64
}
