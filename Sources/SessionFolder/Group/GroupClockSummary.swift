/// What was measured of a node's clock while it recorded.
public struct GroupClockSummary: Codable, Sendable, Equatable {
    /// Address of the source of time.
    public var source: String
    /// The largest magnitude of the offset, in nanoseconds.
    public var max_offset_ns: Int64
    /// The largest bound, in nanoseconds: root delay ÷ 2 + root dispersion. No more was the group's time wrong as the node reckoned it.
    public var max_bound_ns: Int64
    /// The greatest age of a measurement, in nanoseconds.
    public var max_age_ns: Int64
    /// How often the clock was set.
    public var steps: Int
    /// How much longer the group's time was than this node's CLOCK_MONOTONIC between the first reading and the last, in nanoseconds. Its session
    /// clock follows the former, so that its tracks are not off by that.
    public var drift_ns: Int64
    /// Number of readings.
    public var readings: Int

    /// Creates a summary from its values.
    public init(
        source: String, max_offset_ns: Int64, max_bound_ns: Int64, max_age_ns: Int64, steps: Int,
        drift_ns: Int64,
        readings: Int
    ) {
        (self.source, self.max_offset_ns, self.max_bound_ns) = (source, max_offset_ns, max_bound_ns)
        (self.max_age_ns, self.steps, self.drift_ns) = (max_age_ns, steps, drift_ns)
        self.readings = readings
    }
}
