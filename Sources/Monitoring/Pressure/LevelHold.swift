internal import Media

/// The rule that keeps one factor from flickering: it rises at once, and falls when it has been lower for some seconds.
struct LevelHold: Sendable {
    /// The time after which a lower level counts: long enough for a sensor that goes to and fro over a step, short enough to see
    /// that a measure has helped.
    static let fallDelay = Nanoseconds.seconds(8)

    private var held: PressureFactor?
    /// Since when the factor has been below the held level, and its worst since then.
    private var lower: (since: ClockTime, worst: PressureFactor?)?

    /// Takes the factor of a look.
    ///
    /// - Parameters:
    ///   - factor: The present factor; `nil` for nominal.
    ///   - time: Now, on `CLOCK_MONOTONIC`.
    /// - Returns: The factor that counts now. While it is held, its text is the one of when it was so.
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
