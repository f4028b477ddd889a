public import Media

/// The state of a device's clock model at some moment: for decisions, live displays and the manifest.
public struct ClockReading: Sendable, Equatable {
    /// The measured time from one frame or sample to the next.
    public let interval: Nanoseconds
    /// How fast the device runs against its nominal rate: above 0 it counts too fast.
    public let partsPerMillion: Double
    /// The standard error of the modelled time of the latest stamp.
    public let residual: Nanoseconds
    /// Whether the model can be relied on now: the residual is at most 1 ms, after a second or more, and the latest stamps agree.
    public let isLocked: Bool
    /// How often the model began anew, because the device was away, jumped, or changed its rate.
    public let restarts: Int
    /// The sum of all jumps of the modelled time; above 0 to later times. Absences do not count, as nothing is known of them.
    public let moved: Nanoseconds

    /// The same against a session clock that itself runs so fast against the clock of the stamps.
    ///
    /// - Parameter ppm: How fast the session clock runs, in parts per million.
    /// - Returns: The reading with another rate.
    public func against(sessionClockAt ppm: Double) -> Self {
        ppm == 0
            ? self
            : Self(
                interval: interval, partsPerMillion: partsPerMillion - ppm, residual: residual,
                isLocked: isLocked, restarts: restarts, moved: moved)
    }
}

extension DeviceClock {
    /// The state of the model now.
    public var reading: ClockReading {
        ClockReading(
            interval: interval, partsPerMillion: partsPerMillion, residual: residual, isLocked: isLocked,
            restarts: restarts, moved: moved)
    }
}
