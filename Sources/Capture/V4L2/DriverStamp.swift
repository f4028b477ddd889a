import Media

/// A driver's time stamp, and what it means.
struct DriverStamp: Equatable, Sendable {
    /// On `CLOCK_MONOTONIC`; `nil` when the driver stamps by another clock or not at all.
    let time: ClockTime?
    /// Otherwise it is that of the last byte's arrival.
    let isStartOfExposure: Bool
}
