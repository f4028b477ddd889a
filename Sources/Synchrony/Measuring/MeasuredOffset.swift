public import Media

/// How much later than the reference a track is, around one time; below zero where it is earlier.
public struct MeasuredOffset: Sendable, Equatable, Codable {
    /// Around when, since T0: the mean time of the claps, or the middle of the window.
    public let at: MediaTime
    public let offset: Nanoseconds
    /// The truth lies so far from it at most. Between frames it is larger than a frame lasts, until claps at many phases
    /// of the frames have narrowed it.
    public let uncertainty: Nanoseconds
    /// How many claps it is made of; 0 of a correlation.
    public let claps: Int

    enum CodingKeys: String, CodingKey {
        case at = "at_ns"
        case offset = "offset_ns"
        case uncertainty = "uncertainty_ns"
        case claps
    }

    /// The least offset that is possible, as a magnitude: zero where no offset at all is possible.
    var leastMagnitude: Nanoseconds { max(.zero, offset.magnitude - uncertainty) }
}
