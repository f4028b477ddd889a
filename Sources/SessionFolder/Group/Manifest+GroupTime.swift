internal import Media
package import Timing

extension Manifest {
    /// How the session clock followed the time of a group of computers.
    public struct GroupTime: Codable, Sendable, Equatable {
        /// Measurements that were followed, about one a second.
        public var followed: Int
        /// Measurements that were not followed: steps, and values that cannot be.
        public var refused: Int
        /// The widest bound of a measurement in nanoseconds: no more was the group's time wrong here, by what chrony knew.
        public var max_bound_ns: Int64
        /// The farthest that the session clock was from the group's time as measured, in nanoseconds.
        public var max_error_ns: Int64
        /// How often the group's time stepped against `CLOCK_MONOTONIC`; the session clock did not.
        public var steps: Int
        /// How much longer the recording is than it was by `CLOCK_MONOTONIC`, in nanoseconds.
        public var gained_ns: Int64
        /// How fast the group's time ran against `CLOCK_MONOTONIC` at the end, in parts per million.
        public var ppm: Double
    }
}

extension Manifest.GroupTime {
    package init(_ summary: ClockSteering.Summary) {
        self.init(
            followed: summary.followed, refused: summary.refused, max_bound_ns: summary.largestBound.count,
            max_error_ns: summary.largestError.count, steps: summary.steps, gained_ns: summary.gained.count,
            ppm: (summary.partsPerMillion * 1000).rounded() / 1000)
    }
}
