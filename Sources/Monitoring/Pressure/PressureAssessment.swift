public import Media

/// The judgement of how hard a session is on its computer. A value: readings in, an assessment out; time is an argument.
///
/// Where several figures concern one thing, the hard one decides: waiting tasks and capped processors say that frames may become
/// late, queues that they are.
public struct PressureAssessment: Sendable {
    private var holds: [PressureFactor.Cause: LevelHold] = [:]
    private var heat = HeatPressure()
    private var speed = SpeedPressure()
    private var headroom = DiskHeadroom()

    /// The age of a reading from which the computer does not answer.
    private static let staleAge = Nanoseconds.seconds(5)

    /// How long a figure must have been lower before its level falls.
    public static let fallDelay = LevelHold.fallDelay

    /// Creates an assessment that has seen no reading.
    public init() {}

    /// Takes the next reading, about a second after the last.
    ///
    /// - Parameters:
    ///   - state: The latest reading of the computer's state.
    ///   - readAt: When it was read, on `CLOCK_MONOTONIC`. The same reading may be given again.
    ///   - queues: How far behind the session's queues are.
    ///   - time: Now, on `CLOCK_MONOTONIC`.
    /// - Returns: The system pressure, in which a cause that was worse a moment ago is held.
    public mutating func assess(
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

    /// The factors that are above nominal or were a moment ago, the worst first.
    private mutating func settle(_ found: [PressureFactor], at time: ClockTime) -> [PressureFactor] {
        var settled: [PressureFactor] = []
        for cause in PressureFactor.Cause.allCases {
            let now = found.first { $0.cause == cause && $0.level > .nominal }
            if let factor = holds[cause, default: LevelHold()].settle(now, at: time) {
                settled.append(factor)
            }
        }
        // Factors of the same level are in the order of the causes.
        return PressureLevel.allCases.reversed().flatMap { level in settled.filter { $0.level == level } }
    }

    private func missing(_ state: HostState, readAt: ClockTime, at time: ClockTime) -> [MissingSource] {
        let age = time - readAt
        guard age > Self.staleAge else { return state.missing }
        let late = MissingSource(
            .all, "the system has not answered for \(Int64(age.inSeconds)) s, these are its last figures")
        return [late] + state.missing
    }
}
