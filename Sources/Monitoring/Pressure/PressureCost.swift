public import Media

/// How long a session can go on like this, on the scale of Apple's `systemPressureCost`: below 1 for ever, 1…2 for about
/// 15 minutes, 2…3 for about 10 minutes, above 3 briefly.
///
/// An estimate: it extends the present trend as a straight line to the nearest limit, while a temperature levels off, a battery
/// sags and a disk's user changes his mind.
public struct PressureCost: Sendable, Equatable {
    /// The cost, 0 and above; 0 where nothing is known to come nearer to a limit.
    public let value: Double
    /// The time until the nearest limit; `nil` where none comes nearer.
    public let timeLeft: Nanoseconds?
    /// The event at the nearest limit, such as `the disk is full`; `nil` where none comes nearer.
    public let limit: String?

    /// A limit and the time until it.
    struct Deadline: Sendable, Equatable {
        let limit: String
        let timeLeft: Nanoseconds
    }

    /// Reckons the cost from the nearest deadline and the present level.
    ///
    /// - Parameters:
    ///   - deadlines: The limits that come nearer.
    ///   - level: The present level, which sets the least cost: serious 1, critical 2, shutdown 3.
    init(deadlines: [Deadline], level: PressureLevel) {
        let nearest = deadlines.min { $0.timeLeft < $1.timeLeft }
        timeLeft = nearest?.timeLeft
        limit = nearest?.limit
        let least: Double =
            switch level {
            case .nominal, .fair: 0
            case .serious: 1
            case .critical: 2
            case .shutdown: 3
            }
        value = max(least, nearest.map { Self.value(timeLeft: $0.timeLeft) } ?? 0)
    }

    /// The line through the middles of Apple's two ranges (1.5 at 15 min, 2.5 at 10 min), which comes to 1 at 17.5 min;
    /// from there on in inverse proportion to the time.
    static func value(timeLeft: Nanoseconds) -> Double {
        let minutes = max(timeLeft.inSeconds / 60, 0)
        return minutes < 17.5 ? 4.5 - minutes / 5 : 17.5 / minutes
    }
}
