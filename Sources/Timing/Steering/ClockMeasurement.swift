public import Media

/// One instant on `CLOCK_MONOTONIC` and by the time of a group of computers, as it was measured.
public struct ClockMeasurement: Sendable, Equatable {
    /// The instant on `CLOCK_MONOTONIC`.
    public let stamp: ClockTime
    /// The same instant by the group's time, in nanoseconds since 1970.
    public let utc: Int64
    /// `utc` is wrong by no more than this.
    public let bound: Nanoseconds

    /// Makes a measurement of any values; `ClockSteering` refuses those that cannot be.
    ///
    /// - Parameters:
    ///   - stamp: The instant on `CLOCK_MONOTONIC`.
    ///   - utc: The same instant by the group's time, in nanoseconds since 1970.
    ///   - bound: `utc` is wrong by no more than this.
    public init(stamp: ClockTime, utc: Int64, bound: Nanoseconds) {
        (self.stamp, self.utc, self.bound) = (stamp, utc, bound)
    }

    /// How far the group's time is from `CLOCK_MONOTONIC`.
    var distance: Nanoseconds { Nanoseconds(utc) - Nanoseconds(stamp.nanoseconds) }
}
