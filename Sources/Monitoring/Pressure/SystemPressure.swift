public import Media

/// What running costs the computer at present: a level, its causes, how long it can go on, and what could not be known.
public struct SystemPressure: Sendable, Equatable {
    public let level: PressureLevel
    /// What is above nominal, the worst first; at most one of each cause.
    public let factors: [PressureFactor]
    public let cost: PressureCost
    /// What the computer does not tell. A level of `nominal` means no more than what is not missing.
    public let missing: [MissingSource]
    /// How long the recording can go on before its disk is full; `nil` until its rate is known.
    public let diskTime: Nanoseconds?

    /// A sentence for people: the level, its causes, what to do.
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
