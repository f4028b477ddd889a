public import Media

/// The strain of a session on its computer at present: a level, its causes, how long it can go on, and which figures are missing.
public struct SystemPressure: Sendable, Equatable {
    /// The level: that of the worst factor, or `nominal`.
    public let level: PressureLevel
    /// The factors above nominal, the worst first; at most one of each cause.
    public let factors: [PressureFactor]
    /// How long the session can go on like this.
    public let cost: PressureCost
    /// The figures that the computer does not tell. A level of `nominal` is only known for the others.
    public let missing: [MissingSource]
    /// The time until the disk is full; `nil` until the rate of the recording is known.
    public let diskTime: Nanoseconds?

    /// The pressure as sentences for people: the level, its causes, what to do.
    public var text: String {
        guard let worst = factors.first else { return "system pressure is nominal." }
        let causes = factors.filter { $0.level == worst.level }.map(\.text).joined(separator: "; ")
        let urgency =
            switch level {
            case .nominal, .fair, .serious: "To ease it,"
            case .critical: "Do soon what helps:"
            case .shutdown: "Stop the recording now; to go on later,"
            }
        return "system pressure is \(level.rawValue): \(causes). \(urgency) \(worst.advice)."
    }
}
