public import Media

/// A camera's picture at its tick.
public struct SynchronizedPicture: Sendable {
    /// As captured or converted, as the output asks. Raw pictures as captured may borrow the driver's memory: keep
    /// `ownedCopy()` of one that outlives the handler.
    public let picture: CapturedPicture
    /// When it was captured, by the model of its camera's clock and less its latency. `picture.capturedAt` is the stamp.
    public let capturedAt: MediaTime
    /// The device's own count of pictures.
    public let sequence: Int64
}
