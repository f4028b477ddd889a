import Media

/// A driver's time stamp and its meaning.
struct DriverStamp: Equatable, Sendable {
    /// Time on `CLOCK_MONOTONIC`; `nil` when the driver uses another clock or does not stamp.
    let time: ClockTime?
    /// Whether the time is the start of exposure; otherwise it is the arrival of the last byte.
    let isStartOfExposure: Bool
}
