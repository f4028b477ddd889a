public import Media

/// Metadata of one frame of a camera, or of frames that were lost in a row. All times count from T0.
public struct CameraMetadata: Sendable, Equatable {
    /// The device's own count of frames; of lost frames the first one's. `nil` when the device did not count the
    /// missing frames, as while it is away.
    public let sequence: Int64?
    /// Capture time since T0, by the model of the camera's clock and less its latency; frames are aligned by it. Of
    /// lost frames the first one's, as well as it is known.
    public let capturedAt: MediaTime
    /// The driver's unchanged time stamp for the start of the exposure, since T0; `nil` for a frame that never came.
    public let stamp: MediaTime?
    /// When the frame was taken from the driver, since T0; `nil` for a frame that never came.
    public let arrival: MediaTime?
    /// Why the frame is not in the recording; `nil` for a good frame.
    public let lost: LossCause?
    /// Number of frames that this describes: 1, or as many as were lost in a row.
    public let count: Int
    /// Time as the camera's USB packets state it, or `nil` when the camera does not state it.
    public let headerClock: UVCHeaderClock?

    /// Creates metadata; each parameter sets the property of its name.
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
