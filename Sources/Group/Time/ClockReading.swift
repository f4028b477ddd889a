internal import Media

/// How far this computer's clock is from the group's time, as chrony has measured it.
struct ClockReading: Codable, Sendable, Equatable {
    /// Address of the source that chrony follows.
    var source: String
    /// The group's time less this computer's clock, in nanoseconds.
    var offset_ns: Int64
    /// No more than this is `offset_ns` wrong, in nanoseconds: half the root delay and the root dispersion. This computer reckons with the
    /// offset, so no more is the group's time wrong here.
    var bound_ns: Int64
    /// Half of this is in the bound, in nanoseconds.
    var root_delay_ns: Int64
    /// What the source and the way to it add to the bound, in nanoseconds.
    var root_dispersion_ns: Int64
    /// How fast this computer's clock runs against the group's time, in parts per million; negative when it is slow.
    var ppm: Double
    /// Nanoseconds since the last measurement.
    var age_ns: Int64
    /// How often this computer's clock was set since the measurement began.
    var steps: Int
}
