public import Media

/// Offset of a track from its reference around one time: positive where the track is later.
public struct MeasuredOffset: Sendable, Equatable, Codable {
    /// Mean time of the claps, or the middle of the window, since T0.
    public let at: MediaTime
    /// Offset from the reference, positive where the track is later.
    public let offset: Nanoseconds
    /// Largest distance of the true offset from `offset`. Between frames it exceeds the length of a frame until claps at many
    /// phases of the frames have narrowed it.
    public let uncertainty: Nanoseconds
    /// Number of claps that were measured; 0 for a correlation of audio.
    public let claps: Int

    enum CodingKeys: String, CodingKey {
        case at = "at_ns"
        case offset = "offset_ns"
        case uncertainty = "uncertainty_ns"
        case claps
    }

    /// Smallest magnitude that the true offset may have; zero where it may be zero.
    var leastMagnitude: Nanoseconds { max(.zero, offset.magnitude - uncertainty) }
}
