public import Media

/// What is known of one frame of a camera, or of frames that were lost in a row.
public struct CameraMetadata: Sendable, Equatable {
    /// The device's own count of frames; of lost ones the first's. `nil` where the device did not count what is missing,
    /// as while it is away.
    public let sequence: Int64?
    /// When it was captured, by the model of its camera's clock and less its latency: the time by which it is aligned. Of
    /// lost frames the first's, as well as known.
    public let capturedAt: MediaTime
    /// The driver's time stamp for the start of its exposure, as it was. `nil` for what never came.
    public let stamp: MediaTime?
    /// When it was taken from the driver. `nil` for what never came.
    public let arrival: MediaTime?
    /// Why it is not in the recording; `nil` for a good frame.
    public let lost: LossCause?
    /// How many frames this tells of: 1, or as many as were lost in a row.
    public let count: Int
    /// What the camera's packets said of time, where the camera gives that.
    public let headerClock: UVCHeaderClock?

    package init(
        sequence: Int64?, capturedAt: MediaTime, stamp: MediaTime?, arrival: MediaTime?, lost: LossCause?,
        count: Int, headerClock: UVCHeaderClock?
    ) {
        self.sequence = sequence
        self.capturedAt = capturedAt
        self.stamp = stamp
        self.arrival = arrival
        self.lost = lost
        self.count = count
        self.headerClock = headerClock
    }
}
