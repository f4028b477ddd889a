internal import Media

/// The pressure of a processor that may not do all that it can: it is capped, slowed down for heat, or its quota runs out.
struct SpeedPressure: Sendable {
    /// The share of the full speed that is left, with the sign turned. A cap does not tell whether the rest suffices, so it is
    /// never more than serious.
    private static let cap = LevelSteps(fair: -0.9, serious: -0.5)
    /// The share of the quota's periods in which it ran out.
    private static let quota = LevelSteps(fair: 0.05, serious: 0.25)

    private static let window = Nanoseconds.seconds(10)
    private var throttlings = RecentSamples(window: window)
    private var periods = RecentSamples(window: window)
    private var throttledPeriods = RecentSamples(window: window)

    mutating func factors(
        _ speed: ProcessorSpeed?, _ share: ProcessorShare?, readAt time: ClockTime
    ) -> [PressureFactor] {
        [speed.flatMap(Self.capped), slowed(speed, time), exhausted(share, time)].compactMap(\.self)
    }

    private static func capped(_ speed: ProcessorSpeed) -> PressureFactor? {
        guard speed.capped > 0 else { return nil }
        return PressureFactor(
            .speed, cap.level(ofRemaining: speed.allowed),
            "\(speed.capped) of \(speed.count) processors are capped; together they may run at \(Int(rounding: speed.allowed * 100)) % of their speed"
        )
    }

    private mutating func slowed(_ speed: ProcessorSpeed?, _ time: ClockTime) -> PressureFactor? {
        guard let count = speed?.throttlings else {
            throttlings.removeAll()
            return nil
        }
        // A processor that is switched off takes its count with it.
        if Double(count) < throttlings.last ?? 0 { throttlings.removeAll() }
        throttlings.add(Double(count), at: time)
        let times = Int64(throttlings.increase)
        guard times > 0 else { return nil }
        return PressureFactor(
            .throttling, .serious,
            "the processor was slowed down for heat \(times) \(times == 1 ? "time" : "times") in the last 10 s"
        )
    }

    private mutating func exhausted(_ share: ProcessorShare?, _ time: ClockTime) -> PressureFactor? {
        guard let share, let quota = share.quota, let all = share.periods, let some = share.throttledPeriods
        else {
            periods.removeAll()
            throttledPeriods.removeAll()
            return nil
        }
        if Double(all) < periods.last ?? 0 || Double(some) < throttledPeriods.last ?? 0 {
            periods.removeAll()
            throttledPeriods.removeAll()
        }
        periods.add(Double(all), at: time)
        throttledPeriods.add(Double(some), at: time)
        guard periods.increase > 0 else { return nil }
        let part = throttledPeriods.increase / periods.increase
        return PressureFactor(
            .share, Self.quota.level(of: part),
            "the quota of \((quota * 10).rounded() / 10) processors ran out in \(Int(rounding: part * 100)) % of the last 10 s"
        )
    }
}
