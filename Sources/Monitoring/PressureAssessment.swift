package import MulticamMedia

/// Assesses the system pressure on a session's computer. This value type maps readings to an assessment and
/// receives the time as an argument.
///
/// If several values describe the same problem, direct evidence takes precedence. For example, CPU contention
/// and throttled processors indicate only that frames may be late, whereas queues show that frames are late.
package struct PressureAssessment: Sendable {
    private var holds: [PressureFactor.Cause: LevelHold] = [:]
    private var heat = HeatPressure()
    private var speed = SpeedPressure()
    private var headroom = DiskHeadroom()

    /// Maximum age of a reading. If the latest reading is older, the computer is considered unresponsive.
    private static let staleAge = Nanoseconds.seconds(5)

    /// Time for which a value must have been lower before its level falls.
    package static let fallDelay = LevelHold.fallDelay

    /// Creates an assessment without readings.
    package init() {}

    /// Processes the next reading, about one second after the previous one.
    ///
    /// - Parameters:
    ///   - state: The latest reading of the computer's state.
    ///   - readAt: The time of the reading, on `CLOCK_MONOTONIC`. A reading may be passed more than once.
    ///   - queues: The age of the session's queues.
    ///   - time: The current time on `CLOCK_MONOTONIC`.
    /// - Returns: The system pressure. If the level of a cause was higher until recently, the higher level is
    ///   kept.
    package mutating func assess(
        _ state: HostState, readAt: ClockTime, queues: [QueueAge], at time: ClockTime
    ) -> SystemPressure {
        let diskTime = headroom.timeLeft(state.disk, readAt: readAt)
        var found = StallPressure.factors(state.stalls)
        found += [heat.factor(state.zones, readAt: readAt)].compactMap(\.self)
        found += speed.factors(state.speed, state.share, readAt: readAt)
        found += [PowerPressure.factor(state.power), DiskHeadroom.factor(diskTime)].compactMap(\.self)
        found += QueuePressure.factors(queues)
        let factors = settle(found, at: time)
        let level = factors.first?.level ?? .nominal
        var deadlines = heat.deadlines(state.zones)
        deadlines += [PowerPressure.deadline(state.power)].compactMap(\.self)
        if let diskTime {
            deadlines.append(PressureCost.Deadline(limit: "the disk is full", timeLeft: diskTime))
        }
        return SystemPressure(
            level: level, factors: factors, cost: PressureCost(deadlines: deadlines, level: level),
            missing: missing(state, readAt: readAt, at: time), diskTime: diskTime)
    }

    /// Returns the factors that are above nominal or were above nominal recently, in descending order of
    /// severity.
    private mutating func settle(_ found: [PressureFactor], at time: ClockTime) -> [PressureFactor] {
        var settled: [PressureFactor] = []
        for cause in PressureFactor.Cause.allCases {
            let now = found.first { $0.cause == cause && $0.level > .nominal }
            if let factor = holds[cause, default: LevelHold()].settle(now, at: time) {
                settled.append(factor)
            }
        }
        // Factors with the same level are sorted by cause.
        return PressureLevel.allCases.reversed().flatMap { level in settled.filter { $0.level == level } }
    }

    private func missing(_ state: HostState, readAt: ClockTime, at time: ClockTime) -> [MissingSource] {
        let age = time - readAt
        guard age > Self.staleAge else { return state.missing }
        let late = MissingSource(
            .all, "no reading for \(Int64(age.inSeconds)) s; the last values are used")
        return [late] + state.missing
    }
}

/// Prevents the level of a factor from changing too often. The level rises immediately, and falls after it
/// has been lower for several seconds.
struct LevelHold: Sendable {
    /// The time after which a lower level takes effect. This time is long enough for a sensor that fluctuates around a
    /// threshold, and short enough to show that a measure has helped.
    static let fallDelay = Nanoseconds.seconds(8)

    private var held: PressureFactor?
    /// The time when the factor fell below the held level, and the worst factor since that time.
    private var lower: (since: ClockTime, worst: PressureFactor?)?

    /// Processes a new factor.
    ///
    /// - Parameters:
    ///   - factor: The current factor. `nil` means nominal.
    ///   - time: The current time on `CLOCK_MONOTONIC`.
    /// - Returns: The effective factor. While an earlier, higher level is held, the factor keeps the earlier
    ///   text.
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
