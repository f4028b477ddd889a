package import MulticamMedia

/// The pressure caused by temperatures, based on the kernel's trip points
/// (Documentation/driver-api/thermal/sysfs-api.rst). At `passive`, the kernel throttles the machine. At `hot`, the
/// kernel issues a warning. At `critical`, the kernel shuts the machine down.
struct HeatPressure: Sendable {
    /// A trip point counts as near if the temperature is within this distance of it, in degrees Celsius.
    /// Sensors are accurate to about one degree, and a small computer under load heats up by one degree in
    /// one to two seconds. At a distance of two degrees, there is barely enough time to close the files.
    private static let near = (fair: 5.0, critical: 5.0, shutdown: 2.0)
    /// Levels for thermal zones without a passive trip point, relative to the zone's lowest limit. Throttling
    /// starts well before the shutdown temperature.
    private static let levelsWithoutTripPoint = LevelSteps(fair: -20, serious: -10)
    /// Minimum temperature rise over the time window that counts as a trend, in degrees.
    private static let minRise = 2.0
    private static let minSpan = Nanoseconds.seconds(20)

    private var trends: [String: RecentSamples] = [:]

    mutating func factor(_ zones: [ThermalZone], readAt time: ClockTime) -> PressureFactor? {
        trends = trends.filter { name, _ in zones.contains { $0.name == name } }
        for zone in zones {
            trends[zone.name, default: RecentSamples(window: .seconds(60))]
                .add(zone.temperature.degrees, at: time)
        }
        return zones.map(Self.factor).max { $0.level < $1.level }
    }

    /// For each thermal zone with rising temperature, returns the estimated time until the zone reaches its
    /// next trip point.
    func deadlines(_ zones: [ThermalZone]) -> [PressureCost.Deadline] {
        zones.compactMap { zone in
            guard let trend = trends[zone.name], trend.span >= Self.minSpan, let slope = trend.slope,
                slope * trend.span.inSeconds >= Self.minRise
            else { return nil }
            let points = [
                (zone.passive, "\(zone.name) is hot enough to be throttled"),
                (zone.hot, "\(zone.name) is hot enough to be damaged"),
                (zone.critical, "\(zone.name) is hot enough to shut down"),
            ]
            let ahead = points.compactMap { point, text in point.map { ($0, text) } }
                .filter { $0.0 > zone.temperature }
            guard let next = ahead.min(by: { $0.0 < $1.0 }) else { return nil }
            let seconds = (next.0.degrees - zone.temperature.degrees) / slope
            // An estimate of more than one day isn't meaningful.
            guard seconds < 86_400 else { return nil }
            return PressureCost.Deadline(limit: next.1, timeLeft: .seconds(rounding: seconds))
        }
    }

    private static func factor(_ zone: ThermalZone) -> PressureFactor {
        let degrees = zone.temperature.degrees
        var (level, point) = (PressureLevel.nominal, "")
        func raiseLevel(_ new: PressureLevel, _ text: String) {
            if new > level { (level, point) = (new, text) }
        }
        if let passive = zone.passive {
            if degrees >= passive.degrees {
                raiseLevel(.serious, "it is throttled at \(passive)")
            } else if degrees >= passive.degrees - near.fair {
                raiseLevel(.fair, "it is throttled at \(passive)")
            }
        } else if let end = [zone.hot, zone.critical].compactMap(\.self).min() {
            raiseLevel(
                levelsWithoutTripPoint.level(ofRemaining: end.degrees - degrees), "its limit is \(end)")
        }
        if let hot = zone.hot, degrees >= hot.degrees { raiseLevel(.critical, "it may be damaged at \(hot)") }
        if let critical = zone.critical {
            let text = "the computer shuts down at \(critical)"
            if degrees >= critical.degrees - near.shutdown {
                raiseLevel(.shutdown, text)
            } else if degrees >= critical.degrees - near.critical {
                raiseLevel(.critical, text)
            }
        }
        return PressureFactor(
            .temperature, level, "the computer is hot (\(zone.name) is at \(zone.temperature); \(point))")
    }
}

/// The pressure caused by reduced processor performance, which results from a frequency cap, thermal
/// throttling, or an exhausted CPU quota.
struct SpeedPressure: Sendable {
    /// Thresholds for the remaining fraction of the processor's full speed, negated. A frequency cap doesn't
    /// indicate whether the remaining speed is sufficient, so the level never exceeds serious.
    private static let cap = LevelSteps(fair: -0.9, serious: -0.5)
    /// Thresholds for the fraction of CPU quota periods in which the process was throttled.
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
            "the processor speed is limited (\(speed.capped) of \(speed.count) processors; \(Int(rounding: speed.allowed * 100)) % of the total speed)"
        )
    }

    private mutating func slowed(_ speed: ProcessorSpeed?, _ time: ClockTime) -> PressureFactor? {
        guard let count = speed?.throttlings else {
            throttlings.removeAll()
            return nil
        }
        // When a processor goes offline, its throttle count is lost.
        if Double(count) < throttlings.last ?? 0 { throttlings.removeAll() }
        throttlings.add(Double(count), at: time)
        let times = Int64(throttlings.increase)
        guard times > 0 else { return nil }
        return PressureFactor(
            .throttling, .serious,
            "the processor was throttled because of heat \(times) \(times == 1 ? "time" : "times") in the last 10 s"
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
            "the quota of \((quota * 10).rounded() / 10) processors was exhausted during \(Int(rounding: part * 100)) % of the last 10 s"
        )
    }
}

/// The pressure caused by stalled tasks (kernel, Documentation/accounting/psi.rst).
///
/// The values of this process's control group cover only its own tasks; the values of the machine cover all
/// tasks. The value of the control group is used if it's known. For memory, which all tasks share, the worse
/// of the two values is used.
enum StallPressure {
    /// Thresholds for the fraction of the time that tasks wait for the CPU. The tasks may belong to other
    /// processes, and multicam's own encoder threads compete when there are more threads than processors.
    /// Therefore, CPU waiting time alone never raises the level above serious. Only the encoders' queues show
    /// whether frames are late.
    private static let processor = LevelSteps(fair: 0.25, serious: 0.6)
    /// Thresholds for the fraction of the time that all tasks wait for the disk. The recording's files are
    /// flushed once per second, and the flushing thread always waits. Therefore, only time in which no task
    /// can run counts, and disk waiting time alone never raises the level above serious. Only the files'
    /// queues show whether writing has fallen behind.
    private static let storage = LevelSteps(fair: 0.25, serious: 0.6)
    /// Threshold for the fraction of the time that some tasks wait for memory. At 7 %, Android's lmkd starts to reclaim
    /// memory (`psi_partial_stall_ms` 70 of 1000).
    private static let memorySome = LevelSteps(fair: 0.07)
    /// Thresholds for the fraction of the time that all tasks wait for memory. systemd-oomd kills processes
    /// at 60 % (`DefaultMemoryPressureLimit`), and lmkd at 70 % (`psi_complete_stall_ms`). At lower values, a
    /// loss of 10 % of the time is already noticeable, and a loss of 33 % makes every device late.
    private static let memoryFull = LevelSteps(fair: 0.05, serious: 0.1, critical: 0.3, shutdown: 0.6)

    static func factors(_ stalls: [ResourceStall]) -> [PressureFactor] {
        func own(_ resource: ResourceStall.Resource) -> ResourceStall? {
            let all = stalls.filter { $0.resource == resource }
            return all.first { $0.scope == .ownGroup } ?? all.first
        }
        let memory = stalls.filter { $0.resource == .memory }.map(memory).max { $0.level < $1.level }
        return [own(.processor).map(processor), own(.storage).map(storage), memory].compactMap(\.self)
    }

    private static func processor(_ stall: ResourceStall) -> PressureFactor {
        PressureFactor(
            .processorStall, processor.level(of: stall.some),
            "the processor is busy (\(subject(stall)) waited for it during \(percent(stall.some)) of the last 10 s)"
        )
    }

    private static func storage(_ stall: ResourceStall) -> PressureFactor {
        let full = stall.full ?? 0
        return PressureFactor(
            .storageStall, storage.level(of: full),
            "the disk is slow (all \(subject(stall)) waited for it during \(percent(full)) of the last 10 s)"
        )
    }

    private static func memory(_ stall: ResourceStall) -> PressureFactor {
        let full = stall.full ?? 0
        let level = max(memorySome.level(of: stall.some), memoryFull.level(of: full))
        return PressureFactor(
            .memoryStall, level,
            "memory is low (\(subject(stall)) waited for it during \(percent(stall.some)) of the last 10 s, all tasks at once during \(percent(full)))"
        )
    }

    private static func subject(_ stall: ResourceStall) -> String {
        stall.scope == .ownGroup ? "tasks of this program's control group" : "tasks"
    }

    private static func percent(_ share: Double) -> String { "\(Int(rounding: share * 100)) %" }
}

/// The pressure caused by running on battery.
enum PowerPressure {
    /// UPower's thresholds for a warning, a critical warning, and shutdown (UPower.conf: `PercentageLow` 20,
    /// `PercentageCritical` 5, `PercentageAction` 2). Any discharging battery results in at least the level `fair`.
    private static let charge = LevelSteps(fair: -1, serious: -0.2, critical: -0.05, shutdown: -0.02)

    static func factor(_ power: PowerSupply?) -> PressureFactor? {
        guard let power, power.isDischarging else { return nil }
        guard let rest = power.charge else {
            return PressureFactor(
                .power, .fair, "the computer runs on battery, and the charge is unknown")
        }
        let time = power.timeToEmpty.map { ", \($0.count / 60_000_000_000) min left" } ?? ""
        return PressureFactor(
            .power, charge.level(ofRemaining: rest),
            "the computer runs on battery (\(Int(rounding: rest * 100)) % charged\(time))")
    }

    static func deadline(_ power: PowerSupply?) -> PressureCost.Deadline? {
        guard let power, power.isDischarging, let time = power.timeToEmpty else { return nil }
        return PressureCost.Deadline(limit: "the battery is empty", timeLeft: time)
    }
}

/// The pressure caused by queues that don't drain.
enum QueuePressure {
    /// Thresholds for the fraction of an encoder's queue that remains filled for one second. At 80 %, the
    /// queue can't absorb fluctuations, and frames are lost.
    private static let encoder = LevelSteps(fair: 0.2, serious: 0.5, critical: 0.8)
    /// Thresholds for the age of a file's queue in frame intervals: 0.5 s, 2 s, and 5 s at 30 frames per
    /// second. Frames that are waiting in a file's queue are lost in a power failure. Frames that don't fit
    /// into the queue are dropped (`WriteLimits`).
    private static let writer = LevelSteps(fair: 15, serious: 60, critical: 150)

    static func factors(_ queues: [QueueAge]) -> [PressureFactor] {
        let all = queues.map(factor)
        return [PressureFactor.Cause.encoder, .writer].compactMap { cause in
            all.filter { $0.cause == cause }.max { $0.level < $1.level }
        }
    }

    private static func factor(_ queue: QueueAge) -> PressureFactor {
        let behind = "\(Int(rounding: queue.intervals)) frames behind"
        switch queue.kind {
        case .encoder(let room):
            return PressureFactor(
                .encoder, encoder.level(of: queue.intervals / Double(max(room, 1))),
                "the encoder of \(queue.name) is \(behind) (buffer: \(room) frames)")
        case .writer:
            return PressureFactor(
                .writer, writer.level(of: queue.intervals),
                "the disk is too slow (the file \(queue.name) is \(behind))")
        }
    }
}

/// Estimates the time until the recording disk is full from the growth rate of the recording's own files. Data written
/// by other processes appears as reduced free space in the next reading.
package struct DiskHeadroom: Sendable {
    /// Remaining time at the start of each level, in negated seconds. The levels leave the user enough time
    /// to notice the problem, decide what to do, and replace the disk, and they leave the session enough time
    /// to close the files.
    private static let steps = LevelSteps(fair: -15 * 60, serious: -5 * 60, critical: -2 * 60, shutdown: -30)
    /// Minimum time span for measuring a growth rate. Shorter spans are too inaccurate, because files grow by
    /// one fragment per second.
    private static let minSpan = Nanoseconds.seconds(3)

    private var recorded = RecentSamples(window: .seconds(30))

    package init() {}

    /// Returns the time until the disk is full.
    ///
    /// - Returns: The remaining time, or `nil` until the data rate is known, or if no files are being
    ///   written.
    package mutating func timeLeft(_ disk: DiskSpace?, readAt time: ClockTime) -> Nanoseconds? {
        guard let disk else {
            recorded.removeAll()
            return nil
        }
        recorded.add(Double(disk.recordedBytes), at: time)
        guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = Double(max(disk.freeBytes, 0)) / bytesPerSecond
        // The result is limited to about 30 years, which is effectively unlimited.
        return .seconds(rounding: min(seconds, 1e9))
    }

    /// Growth rate of the recording's files, in bytes per second. `nil` until the rate is known.
    package var bytesPerSecond: Double? {
        recorded.span >= Self.minSpan ? recorded.increase / recorded.span.inSeconds : nil
    }

    static func factor(_ timeLeft: Nanoseconds?) -> PressureFactor? {
        guard let timeLeft else { return nil }
        let seconds = Int64(timeLeft.inSeconds)
        let text = seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
        return PressureFactor(
            .disk, steps.level(ofRemaining: timeLeft.inSeconds), "the disk will be full in \(text)")
    }
}

/// The recent samples of a value, and statistics about its change.
struct RecentSamples: Sendable {
    /// Maximum age of a sample. Older samples are removed.
    let window: Nanoseconds
    private var samples: [(time: ClockTime, value: Double)] = []

    init(window: Nanoseconds) {
        self.window = window
    }

    /// Adds a sample. A sample that isn't newer than the last one comes from the same reading and is ignored.
    mutating func add(_ value: Double, at time: ClockTime) {
        if let last = samples.last, time <= last.time { return }
        samples.append((time, value))
        samples.removeAll { time - $0.time > window }
    }

    mutating func removeAll() { samples.removeAll() }

    /// The latest sample.
    var last: Double? { samples.last?.value }

    /// Time from the first to the last sample.
    var span: Nanoseconds {
        guard let first = samples.first, let last = samples.last else { return .zero }
        return last.time - first.time
    }

    /// Difference between the last and the first sample, that is, the increase of a counter.
    var increase: Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        return last.value - first.value
    }

    /// Change per second, fitted by least squares. `nil` for fewer than three samples.
    var slope: Double? {
        guard samples.count >= 3, let origin = samples.first?.time else { return nil }
        let count = Double(samples.count)
        let times = samples.map { ($0.time - origin).inSeconds }
        let (meanTime, meanValue) = (
            times.reduce(0, +) / count, samples.reduce(0) { $0 + $1.value } / count
        )
        var (product, square) = (0.0, 0.0)
        for (time, sample) in zip(times, samples) {
            product += (time - meanTime) * (sample.value - meanValue)
            square += (time - meanTime) * (time - meanTime)
        }
        return square > 0 ? product / square : nil
    }
}

/// The thresholds of all levels, for a value whose increase means higher pressure.
struct LevelSteps: Sendable {
    let fair: Double
    var serious = Double.infinity
    var critical = Double.infinity
    var shutdown = Double.infinity

    func level(of value: Double) -> PressureLevel {
        if value >= shutdown { return .shutdown }
        if value >= critical { return .critical }
        if value >= serious { return .serious }
        return value >= fair ? .fair : .nominal
    }

    /// Returns the level of a value whose decrease means higher pressure. The thresholds of such a value are
    /// negated.
    func level(ofRemaining value: Double) -> PressureLevel { level(of: -value) }
}
