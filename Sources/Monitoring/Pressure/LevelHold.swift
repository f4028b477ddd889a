internal import Media

/// Keeps one factor from flickering: it rises at once, and falls when it has been lower for some seconds.
struct LevelHold: Sendable {
    /// Long enough for a sensor that goes to and fro over a step, short enough to see that a measure has helped.
    static let fallDelay = Nanoseconds.seconds(8)

    private var held: PressureFactor?
    /// Since when it has been below the held level, and the worst since then.
    private var lower: (since: ClockTime, worst: PressureFactor?)?

    /// - Parameters:
    ///   - factor: As it is now; `nil` for nominal.
    ///   - time: Now.
    /// - Returns: What counts now. While it is held, its text is that of when it was so.
    mutating func settle(_ factor: PressureFactor?, at time: ClockTime) -> PressureFactor? {
        let (new, old) = (factor?.level ?? .nominal, held?.level ?? .nominal)
        guard new < old else {
            held = factor
            lower = nil
            return held
        }
        var below = lower ?? (since: time, worst: factor)
        if new >= below.worst?.level ?? .nominal { below.worst = factor }
        guard time - below.since >= Self.fallDelay else {
            lower = below
            return held
        }
        held = below.worst
        lower = nil
        return held
    }
}
