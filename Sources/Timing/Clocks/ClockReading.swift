public import Media

/// What a device's clock model knows at some moment: for decisions, live displays and the manifest.
public struct ClockReading: Sendable, Equatable {
    /// From one frame or sample to the next, as measured.
    public let interval: Nanoseconds
    /// How fast the device runs against its nominal rate: above 0 it counts too fast.
    public let partsPerMillion: Double
    /// The standard error of what it tells of the latest stamp.
    public let residual: Nanoseconds
    /// Whether that can be relied on now: the residual is at most 1 ms, after a second or more, and the latest stamps agree.
    public let isLocked: Bool
    /// How often the model began anew: the device was away, jumped, or changed its rate.
    public let restarts: Int
    /// By how much all jumps together moved what it tells; above 0 to later times. Absences, of which nothing is known,
    /// do not count.
    public let moved: Nanoseconds
}

extension DeviceClock {
    public var reading: ClockReading {
        ClockReading(
            interval: interval, partsPerMillion: partsPerMillion, residual: residual, isLocked: isLocked,
            restarts: restarts, moved: moved)
    }
}
