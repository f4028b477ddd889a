package import MulticamMedia
internal import MulticamPlan

/// Reduces quality in a defined order while a session is overloading its computer, and restores it
/// afterwards.
///
/// This value type maps readings to steps and receives the time as an argument. The policy steps down
/// quickly, and only for problems that affect the recording itself: an encoder or file that falls behind,
/// heat, a low battery, or memory pressure. CPU contention and an exhausted CPU quota don't affect the
/// recording yet, so in these situations the policy takes no step in either direction. The policy steps up
/// slowly, and even more slowly after a step up has failed. After load from other processes has ended, the
/// policy steps up faster.
package struct GovernorPolicy: Sendable {
    /// The policy's decision after an evaluation.
    package enum Decision: Sendable, Equatable {
        /// No measure is applied or reverted.
        case none
        /// The session must take these steps. If there are several steps, all of them affect the same camera,
        /// which is restarted only once.
        case steps([GovernorStep])
        /// The session must end cleanly, because the computer is about to terminate it.
        case end(reason: String)
    }

    /// How urgently a problem must be resolved.
    private enum Urgency: Comparable { case soon, now }

    private struct Problem {
        let urgency: Urgency
        let relief: MachineResources
        /// Minimum time between two steps, which is long enough to tell whether the first step has helped.
        let minStepInterval: Nanoseconds
        /// The reason for a step, in two or three words.
        let situation: String
        let reason: String
        /// Fill level of an encoder's queue, 0…1. Changes of the fill level show immediately whether a step
        /// helps.
        var fill: Double?
    }

    /// The available measures, in order of use.
    package private(set) var ladder: [GovernorMeasure]
    /// Indices of measures that aren't currently useful, for example because their camera is disconnected.
    package var inapplicable: Set<Int> = []
    /// Indices of measures rejected by a device.
    private var rejected: Set<Int> = []
    /// Indices of the active measures, in order of activation.
    private var active: [Int] = []
    private var lastChange: ClockTime?
    /// Fill level of the fullest queue when the last measure was applied, or its maximum since then.
    private var fillAtChange: Double?
    private var lastRaise: ClockTime?
    private var problemSince: ClockTime?
    private var calmSince: ClockTime?
    /// Earliest time at which a measure may be reverted.
    private var earliestRaise: ClockTime?
    private var backoff = Self.shortestBackoff
    /// Time of the last step up that failed.
    private var failedRaise: ClockTime?
    /// Time when load from other processes started to interfere with the session. `nil` if no such load is
    /// interfering.
    private var busySince: ClockTime?
    /// Whether load from other processes has ended and no measure has been applied since. If so, the session
    /// should be able to return to its earlier quality.
    private var hasExternalLoadEnded = false

    /// Thresholds for the fill level of an encoder's queue. At or above `behind`, the encoder has fallen
    /// behind. At or above `nearlyFull`, frames are about to be lost. At or below `easy`, the load is low.
    private static let (behind, nearlyFull, easy) = (0.35, 0.7, 0.1)
    /// If encoding the waiting frames takes at least this time, the encoder counts as behind, regardless of the number
    /// of frames.
    private static let tooSlow = Nanoseconds.milliseconds(250)
    /// Minimum duration of a problem. This duration covers two consecutive readings, because a single reading
    /// may fall between a key frame and the next frame.
    private static let confirmation = Nanoseconds.milliseconds(150)
    /// Maximum time for which the policy waits for a queue to drain.
    private static let maxDrainTime = Nanoseconds.seconds(4)
    /// Minimum time that a problem must persist before a camera is restarted, which causes a gap, and before
    /// a camera is switched off. The second time is longer than the hold time of a factor
    /// (`LevelHold.fallDelay`).
    private static let (minDurationBeforeRestart, minDurationBeforeOff) = (
        Nanoseconds.seconds(3), LevelHold.fallDelay + .seconds(4)
    )
    /// Minimum time for earlier steps to take effect before the program is paused.
    private static let minDurationBeforePause = Nanoseconds.seconds(3)
    /// Minimum periods without problems before the first step up, between two steps up, and before a step up
    /// that restarts a camera.
    private static let (firstCalm, nextCalm, restartCalm) = (
        Nanoseconds.seconds(5), Nanoseconds.seconds(3), Nanoseconds.seconds(5)
    )
    /// Minimum periods without problems before a step up, and before a step up that restarts a camera, after
    /// load from other processes has ended. These periods are just long enough to detect that the problem has
    /// returned.
    private static let (freedCalm, freedRestartCalm) = (Nanoseconds.seconds(1), Nanoseconds.seconds(2))
    /// Minimum period without problems before a step up while other processes keep the computer busy.
    private static let busyCalm = Nanoseconds.seconds(60)
    /// If a step down follows a step up within this time, the step up has failed.
    private static let raiseTrialPeriod = Nanoseconds.seconds(30)
    private static let (shortestBackoff, maxBackoff) = (Nanoseconds.seconds(60), Nanoseconds.seconds(600))

    /// Creates a policy without active measures.
    ///
    /// - Parameter ladder: The available measures, in order of use.
    package init(ladder: [GovernorMeasure]) {
        self.ladder = ladder
    }

    /// The active measures, in order of activation.
    package var activeMeasures: [GovernorMeasure] { active.map { ladder[$0] } }

    /// Marks a measure as impossible. The policy reverts the measure and never applies it again.
    package mutating func withdraw(_ measure: GovernorMeasure) {
        guard let index = ladder.firstIndex(of: measure) else { return }
        active.removeAll { $0 == index }
        rejected.insert(index)
    }

    /// Adds the measures of a camera that was added to the session. Active measures remain active.
    ///
    /// - Parameter longer: The ladder including the added measures.
    package mutating func extend(to longer: [GovernorMeasure]) {
        let known = ladder
        ladder = longer + known.filter { !longer.contains($0) }
        func moved(_ indices: some Sequence<Int>) -> [Int] {
            indices.compactMap { ladder.firstIndex(of: known[$0]) }
        }
        (inapplicable, rejected, active) = (Set(moved(inapplicable)), Set(moved(rejected)), moved(active))
    }

    /// Decides which steps to take now. Call this method about ten times per second, because a queue can fill
    /// in less than one second.
    ///
    /// - Parameters:
    ///   - queues: The current state of the session's queues.
    ///   - pressure: The last assessment of the system pressure. `nil` if the computer's state isn't
    ///     monitored.
    ///   - time: The current time on `CLOCK_MONOTONIC`.
    /// - Returns: The decision. The policy assumes that the caller executes the decision.
    package mutating func evaluate(
        _ queues: [QueueAge], _ pressure: SystemPressure?, at time: ClockTime
    ) -> Decision {
        let factors = pressure?.factors.filter { $0.cause != .disk } ?? []
        if let end = factors.first(where: { $0.level == .shutdown }) {
            return .end(reason: "\(end.text). Before you continue, \(end.advice)")
        }
        let isBusy = factors.contains { Self.isExternal($0.cause) && $0.level >= .serious }
        trackExternalLoad(isBusy, at: time)
        guard let trouble = Self.problem(queues, factors) else {
            problemSince = nil
            return raise(queues, isBusy: isBusy, at: time)
        }
        calmSince = nil
        return lower(trouble, at: time)
    }

    // MARK: Steps down

    private mutating func lower(_ trouble: Problem, at time: ClockTime) -> Decision {
        let since = problemSince ?? time
        problemSince = since
        guard trouble.urgency == .now || time - since >= Self.confirmation,
            let index = ladder.indices.first(where: { index in
                !active.contains(index) && !inapplicable.contains(index) && !rejected.contains(index)
                    && !ladder[index].relieves.isDisjoint(with: trouble.relief)
            }),
            isDue(for: ladder[index], trouble, since: since, at: time), !isDraining(trouble, at: time)
        else { return .none }
        if let raise = lastRaise, time - raise < Self.raiseTrialPeriod {
            earliestRaise = time + backoff
            backoff = min(backoff * 2, Self.maxBackoff)
            failedRaise = raise
            lastRaise = nil
        }
        active.append(index)
        lastChange = time
        fillAtChange = trouble.fill
        hasExternalLoadEnded = false
        return .steps([
            GovernorStep(
                index: index, measure: ladder[index], isReverted: false, situation: trouble.situation,
                reason: trouble.reason)
        ])
    }

    private func isDue(
        for measure: GovernorMeasure, _ trouble: Problem, since: ClockTime, at time: ClockTime
    ) -> Bool {
        var patience = trouble.minStepInterval
        if measure.restartsCamera { patience = max(patience, Self.minDurationBeforeRestart) }
        switch measure.action {
        case .cameraOff:
            guard trouble.urgency == .now else { return false }
            patience = max(patience, Self.minDurationBeforeOff)
        // For an overloaded encoder, pausing the program isn't useful: the encoder drops frames in any case,
        // and a few frames are better than none.
        case .programPause:
            guard trouble.urgency == .now else { return false }
            patience = max(patience, Self.minDurationBeforePause)
        case .preset, .rate, .coarseDecoding, .previews, .analysis, .cameraRate, .cameraSize: break
        }
        // A new problem may resolve itself, so the policy waits before interrupting a camera's stream.
        let reference = measure.restartsCamera ? max(lastChange ?? since, since) : lastChange
        return reference.map { time - $0 >= patience } ?? true
    }

    /// Returns whether the last step is already having an effect.
    private mutating func isDraining(_ trouble: Problem, at time: ClockTime) -> Bool {
        guard let fill = trouble.fill, let before = fillAtChange, let lastChange else { return false }
        fillAtChange = max(fill, before)
        return fill < before && time - lastChange < Self.maxDrainTime
    }

    private static func problem(_ queues: [QueueAge], _ factors: [PressureFactor]) -> Problem? {
        // An encoder also falls behind if the disk is too slow for its file. In this case, reducing the
        // encoding work doesn't help, and a faster preset even increases the file size.
        let isDiskSlow = factors.contains { $0.cause == .writer && $0.level >= .serious }
        let troubles =
            [encoderProblem(queues, relief: isDiskSlow ? .storage : .processor)].compactMap(\.self)
            + factors.compactMap(problem)
        // Of several equally urgent problems, the first one is chosen. Encoder problems come first because
        // measures against them take effect most quickly.
        return troubles.first { $0.urgency == .now } ?? troubles.first
    }

    private static func encoderProblem(_ queues: [QueueAge], relief: MachineResources) -> Problem? {
        let situation = relief == .storage ? "Disk too slow" : "Computer too slow"
        if let (queue, room, fill) = fullest(queues), fill >= behind {
            let isNow = fill >= nearlyFull
            return Problem(
                urgency: isNow ? .now : .soon, relief: relief,
                minStepInterval: isNow ? .milliseconds(300) : .seconds(1), situation: situation,
                reason:
                    "the encoder of \(queue.name) is \(Int(rounding: queue.intervals)) frames behind (buffer: \(room) frames).",
                fill: fill)
        }
        // If frames take long to encode, frames are dropped before many of them accumulate in the queue.
        guard let slowest = queues.max(by: { $0.backlog < $1.backlog }), slowest.backlog >= tooSlow else {
            return nil
        }
        let milliseconds = slowest.backlog.count / 1_000_000
        return Problem(
            urgency: .soon, relief: relief, minStepInterval: .seconds(1), situation: situation,
            reason: "the encoder of \(slowest.name) is \(milliseconds) ms behind. At "
                + "\(GovernorMeasure.fullBacklog.count / 1_000_000) ms, frames are dropped.")
    }

    private static func fullest(_ queues: [QueueAge]) -> (queue: QueueAge, room: Int, fill: Double)? {
        queues.compactMap { queue in
            guard case .encoder(let room) = queue.kind else { return nil }
            return (queue, room, queue.intervals / Double(max(room, 1)))
        }.max { $0.fill < $1.fill }
    }

    private static func problem(_ factor: PressureFactor) -> Problem? {
        guard factor.level >= .serious else { return nil }
        let isNow = factor.level >= .critical
        let relief: MachineResources
        let patience: (soon: Int64, now: Int64)
        let situation: String
        switch factor.cause {
        // Temperature changes slowly, so the policy waits longer between steps for these problems.
        case .temperature, .throttling:
            (relief, patience, situation) = (.processor, (15, 3), "Computer too hot")
        case .power: (relief, patience, situation) = (.processor, (15, 3), "Battery low")
        case .memoryStall: (relief, patience, situation) = (.memory, (5, 1), "Memory low")
        case .writer: (relief, patience, situation) = (.storage, (10, 2), "Disk too slow")
        // The queues show encoder problems earlier and in more detail. Low disk space isn't a reason for a step,
        // because the recording uses the disk until it is full.
        case .encoder, .processorStall, .storageStall, .speed, .share, .disk: return nil
        }
        return Problem(
            urgency: isNow ? .now : .soon, relief: relief,
            minStepInterval: .seconds(isNow ? patience.now : patience.soon), situation: situation,
            reason: "\(factor.text).")
    }

    // MARK: Steps up

    private mutating func raise(_ queues: [QueueAge], isBusy: Bool, at time: ClockTime) -> Decision {
        let isCalm = (Self.fullest(queues)?.fill ?? 0) <= Self.easy
        guard isCalm else {
            calmSince = nil
            return .none
        }
        let since = calmSince ?? time
        calmSince = since
        guard let index = active.last, earliestRaise.map({ time >= $0 }) ?? true else { return .none }
        let wait = requiredCalm(before: ladder[index], isBusy: isBusy)
        guard time - max(since, lastChange ?? since) >= wait else { return .none }
        let raised = measuresToRevert()
        active.removeLast(raised.count)
        // The previous step up was successful, so the backoff is reset.
        if let lastRaise, time - lastRaise >= Self.raiseTrialPeriod { backoff = Self.shortestBackoff }
        lastChange = time
        lastRaise = time
        fillAtChange = nil
        let reason =
            isBusy
            ? "the encoder queues have been empty for one minute. One reduction is undone to test whether the computer can handle the load."
            : "the computer has spare capacity again. There has been no delay for \(Int(wait.inSeconds)) s."
        return .steps(
            raised.map {
                GovernorStep(
                    index: $0, measure: ladder[$0], isReverted: true, situation: "Load is lower",
                    reason: reason)
            })
    }

    /// Returns the minimum period without problems before a measure is reverted.
    private func requiredCalm(before measure: GovernorMeasure, isBusy: Bool) -> Nanoseconds {
        if isBusy { return Self.busyCalm }
        if hasExternalLoadEnded { return measure.restartsCamera ? Self.freedRestartCalm : Self.freedCalm }
        if measure.restartsCamera { return Self.restartCalm }
        return lastRaise == lastChange ? Self.nextCalm : Self.firstCalm
    }

    /// Returns the indices of the measures to revert together, starting with the last one. Usually, this is a
    /// single measure. If load from other processes has ended, the result contains all measures of the same
    /// camera.
    private func measuresToRevert() -> [Int] {
        guard let last = active.last else { return [] }
        guard hasExternalLoadEnded, let camera = ladder[last].changedCamera else { return [last] }
        return Array(active.reversed().prefix { ladder[$0].changedCamera == camera })
    }

    /// Tracks whether other processes keep the computer busy. When the load from other processes ends, steps
    /// up that failed during the load are disregarded. If a step up failed before the load started, the
    /// session itself was the cause of the failure.
    private mutating func trackExternalLoad(_ isBusy: Bool, at time: ClockTime) {
        if isBusy {
            busySince = busySince ?? time
        } else if let since = busySince {
            busySince = nil
            hasExternalLoadEnded = true
            guard let failedRaise, since < failedRaise else { return }
            earliestRaise = nil
            backoff = Self.shortestBackoff
        }
    }

    /// Returns whether a cause affects the whole computer but not yet the recording.
    private static func isExternal(_ cause: PressureFactor.Cause) -> Bool {
        switch cause {
        case .processorStall, .storageStall, .share, .speed: true
        case .memoryStall, .temperature, .throttling, .power, .encoder, .writer, .disk: false
        }
    }
}
