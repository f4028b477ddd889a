public import Media

/// A camera's frame at its tick.
public struct SynchronizedFrame: Sendable {
    /// The frame as captured, or converted to the output's format. A raw frame as captured may borrow the driver's
    /// memory: keep `ownedCopy()` if it is to outlive the handler.
    public let frame: CapturedFrame
    /// Capture time since T0 by the model of the camera's clock, less the camera's latency. `frame.capturedAt` is the
    /// raw time stamp.
    public let capturedAt: MediaTime
    /// The camera's own count of frames.
    public let sequence: Int64
}
