public import Media
internal import Plan

/// The rule that lowers quality in a stated order while a session is too hard for its computer, and raises it again afterwards.
///
/// A value: readings in, steps out; time is an argument. It steps down quickly and only for what hurts the recording itself: an
/// encoder or a file that falls behind, heat, an empty battery, memory. Tasks that wait and a quota that runs out do not hurt it
/// yet: in that band no step is taken in either direction. It steps up slowly, and more slowly after an attempt that failed, but
/// less slowly where others' work was in the way and is over.
public struct GovernorPolicy: Sendable {
    /// The answer of the policy to a look.
    public enum Decision: Sendable, Equatable {
        /// The session stays as it is.
        case none
        /// The session takes these steps. More than one concern one camera, which is restarted once for all of them.
        case steps([GovernorStep])
        /// The session is to end itself properly, as the computer is about to end it.
        case end(reason: String)
    }

    /// How quickly something must improve.
    private enum Urgency: Comparable { case soon, now }

    private struct Trouble {
        let urgency: Urgency
        let relief: Relief
        /// The time from one step to the next, which it takes to see whether the first has helped.
        let patience: Nanoseconds
        let reason: String
        /// The filled share of an encoder's queue, 0…1, which shows at once whether it becomes less.
        var fill: Double?
    }

    /// The measures that can be taken, in this order.
    public private(set) var ladder: [GovernorMeasure]
    /// Indices of measures that are not worth a step now, as one of a camera that is away.
    package var idle: Set<Int> = []
    /// Indices of measures that a device refused.
    private var void: Set<Int> = []
    /// Indices of the measures in force, in the order in which they were taken.
    private var taken: [Int] = []
    private var lastChange: ClockTime?
    /// The filled share of the fullest queue when a measure was taken last, or its highest since.
    private var fillAtChange: Double?
    private var lastRaise: ClockTime?
    private var troubleSince: ClockTime?
    private var calmSince: ClockTime?
    /// The time before which no attempt is made to take a measure back.
    private var raisesFrom: ClockTime?
    private var backoff = Self.shortestBackoff
    /// When the last step up was made that failed.
    private var failedRaise: ClockTime?
    /// When others' work began to be in the way; `nil` while it is not.
    private var busySince: ClockTime?
    /// Whether others' work is over and no measure was taken since: the session can do again what it could before.
    private var isFreed = false

    /// Shares of an encoder's queue: from the first on it is behind, from the second on frames are about to be lost, and up to
    /// the third it is easy.
    private static let (behind, nearlyFull, easy) = (0.35, 0.7, 0.1)
    /// The time needed for the frames that wait from which an encoder is behind, however few they are.
    private static let tooSlow = Nanoseconds.milliseconds(250)
    /// The time over which trouble must last: two readings in a row, as one may fall between a key frame and the next.
    private static let confirmation = Nanoseconds.milliseconds(150)
    /// The time that a queue is given to drain.
    private static let drainPatience = Nanoseconds.seconds(4)
    /// The patience before a camera is restarted, whose gap must be worth it, and before it is switched off, for trouble that has
    /// not passed meanwhile: longer than a factor is held (`LevelHold.fallDelay`).
    private static let (restartPatience, offPatience) = (
        Nanoseconds.seconds(3), LevelHold.fallDelay + .seconds(4)
    )
    /// The time that the steps before get to help, before the program pauses.
    private static let pausePatience = Nanoseconds.seconds(3)
    /// The calm before the first step up, between two of them, and before one that restarts a camera.
    private static let (firstCalm, nextCalm, restartCalm) = (
        Nanoseconds.seconds(5), Nanoseconds.seconds(3), Nanoseconds.seconds(5)
    )
    /// The calm before a step up, and before one that restarts a camera, where others' work is over: only a relapse must be
    /// noticed.
    private static let (freedCalm, freedRestartCalm) = (Nanoseconds.seconds(1), Nanoseconds.seconds(2))
    /// The calm before a step up while others keep the computer busy.
    private static let busyPatience = Nanoseconds.seconds(60)
    /// The time after a step up within which a step down means that the attempt failed.
    private static let trial = Nanoseconds.seconds(30)
    private static let (shortestBackoff, longestBackoff) = (Nanoseconds.seconds(60), Nanoseconds.seconds(600))

    /// Creates a policy with no measure in force.
    ///
    /// - Parameter ladder: The measures that can be taken, in order.
    public init(ladder: [GovernorMeasure]) {
        self.ladder = ladder
    }

    /// The measures in force, in the order in which they were taken.
    public var inForce: [GovernorMeasure] { taken.map { ladder[$0] } }

    /// Notes that a measure turned out to be impossible: it is not in force, and never taken again.
    package mutating func withdraw(_ measure: GovernorMeasure) {
        guard let index = ladder.firstIndex(of: measure) else { return }
        taken.removeAll { $0 == index }
        void.insert(index)
    }

    /// Adds the measures of a camera that was added to the session. Measures in force stay so.
    ///
    /// - Parameter longer: The ladder with the added measures.
    package mutating func extend(to longer: [GovernorMeasure]) {
        let known = ladder
        ladder = longer + known.filter { !longer.contains($0) }
        func moved(_ indices: some Sequence<Int>) -> [Int] {
            indices.compactMap { ladder.firstIndex(of: known[$0]) }
        }
        (idle, void, taken) = (Set(moved(idle)), Set(moved(void)), moved(taken))
    }

    /// Decides what to do now; to be called about ten times a second, since a queue fills in less than one.
    ///
    /// - Parameters:
    ///   - queues: The session's queues as they are now.
    ///   - pressure: The last assessment; `nil` where nobody reads the computer's state.
    ///   - time: Now, on `CLOCK_MONOTONIC`.
    /// - Returns: The decision, which counts as carried out.
    public mutating func look(
        _ queues: [QueueAge], _ pressure: SystemPressure?, at time: ClockTime
    ) -> Decision {
        let factors = pressure?.factors.filter { $0.cause != .disk } ?? []
        if let end = factors.first(where: { $0.level == .shutdown }) {
            return .end(reason: "\(end.text); before it goes on, \(end.advice)")
        }
        let isBusy = factors.contains { Self.isOthers($0.cause) && $0.level >= .serious }
        noteOthers(isBusy, at: time)
        guard let trouble = Self.trouble(queues, factors) else {
            troubleSince = nil
            return raise(queues, isBusy: isBusy, at: time)
        }
        calmSince = nil
        return lower(trouble, at: time)
    }

    // MARK: Down

    private mutating func lower(_ trouble: Trouble, at time: ClockTime) -> Decision {
        let since = troubleSince ?? time
        troubleSince = since
        guard trouble.urgency == .now || time - since >= Self.confirmation,
            let index = ladder.indices.first(where: { index in
                !taken.contains(index) && !idle.contains(index) && !void.contains(index)
                    && !ladder[index].relieves.isDisjoint(with: trouble.relief)
            }),
            isTime(for: ladder[index], trouble, since: since, at: time), !isDraining(trouble, at: time)
        else { return .none }
        if let raise = lastRaise, time - raise < Self.trial {
            raisesFrom = time + backoff
            backoff = min(backoff * 2, Self.longestBackoff)
            failedRaise = raise
            lastRaise = nil
        }
        taken.append(index)
        lastChange = time
        fillAtChange = trouble.fill
        isFreed = false
        return .steps([
            GovernorStep(index: index, measure: ladder[index], isUp: false, reason: trouble.reason)
        ])
    }

    private func isTime(
        for measure: GovernorMeasure, _ trouble: Trouble, since: ClockTime, at time: ClockTime
    ) -> Bool {
        var patience = trouble.patience
        if measure.restartsCamera { patience = max(patience, Self.restartPatience) }
        switch measure.action {
        case .cameraOff:
            guard trouble.urgency == .now else { return false }
            patience = max(patience, Self.offPatience)
        // Frames that the encoder finds no time for are dropped anyway, and a few frames are more than none.
        case .programPause:
            guard trouble.urgency == .now else { return false }
            patience = max(patience, Self.pausePatience)
        case .preset, .rate, .coarseDecoding, .previews, .cameraRate, .cameraSize: break
        }
        // Trouble that has only begun may pass before a camera's stream is broken for it.
        let reference = measure.restartsCamera ? max(lastChange ?? since, since) : lastChange
        return reference.map { time - $0 >= patience } ?? true
    }

    /// Whether the last step already has an effect.
    private mutating func isDraining(_ trouble: Trouble, at time: ClockTime) -> Bool {
        guard let fill = trouble.fill, let before = fillAtChange, let lastChange else { return false }
        fillAtChange = max(fill, before)
        return fill < before && time - lastChange < Self.drainPatience
    }

    private static func trouble(_ queues: [QueueAge], _ factors: [PressureFactor]) -> Trouble? {
        // An encoder waits for its file too: then less work is no help, and a faster preset makes larger files.
        let isDiskSlow = factors.contains { $0.cause == .writer && $0.level >= .serious }
        let troubles =
            [encoderTrouble(queues, relief: isDiskSlow ? .storage : .processor)].compactMap(\.self)
            + factors.compactMap(trouble)
        // The first of equally urgent ones: the encoder's, which is the quickest.
        return troubles.first { $0.urgency == .now } ?? troubles.first
    }

    private static func encoderTrouble(_ queues: [QueueAge], relief: Relief) -> Trouble? {
        if let (queue, room, fill) = fullest(queues), fill >= behind {
            let isNow = fill >= nearlyFull
            return Trouble(
                urgency: isNow ? .now : .soon, relief: relief,
                patience: isNow ? .milliseconds(300) : .seconds(1),
                reason:
                    "the encoder of \(queue.name) is \(Int(rounding: queue.intervals)) frames behind, with room for \(room).",
                fill: fill)
        }
        // Frames that take long are dropped before there are many of them.
        guard let slowest = queues.max(by: { $0.backlog < $1.backlog }), slowest.backlog >= tooSlow else {
            return nil
        }
        let milliseconds = slowest.backlog.count / 1_000_000
        return Trouble(
            urgency: .soon, relief: relief, patience: .seconds(1),
            reason: "the encoder of \(slowest.name) is \(milliseconds) ms behind, and from "
                + "\(GovernorMeasure.fullBacklog.count / 1_000_000) ms on frames are left out.")
    }

    private static func fullest(_ queues: [QueueAge]) -> (queue: QueueAge, room: Int, fill: Double)? {
        queues.compactMap { queue in
            guard case .encoder(let room) = queue.kind else { return nil }
            return (queue, room, queue.intervals / Double(max(room, 1)))
        }.max { $0.fill < $1.fill }
    }

    private static func trouble(_ factor: PressureFactor) -> Trouble? {
        guard factor.level >= .serious else { return nil }
        let isNow = factor.level >= .critical
        let relief: Relief
        let patience: (soon: Int64, now: Int64)
        switch factor.cause {
        // Warmth goes slowly.
        case .temperature, .throttling, .power: (relief, patience) = (.processor, (15, 3))
        case .memoryStall: (relief, patience) = (.memory, (5, 1))
        case .writer: (relief, patience) = (.storage, (10, 2))
        // Queues themselves say more, and sooner; the disk's room is used to its end.
        case .encoder, .processorStall, .storageStall, .speed, .share, .disk: return nil
        }
        return Trouble(
            urgency: isNow ? .now : .soon, relief: relief,
            patience: .seconds(isNow ? patience.now : patience.soon), reason: "\(factor.text).")
    }

    // MARK: Up

    private mutating func raise(_ queues: [QueueAge], isBusy: Bool, at time: ClockTime) -> Decision {
        let isCalm = (Self.fullest(queues)?.fill ?? 0) <= Self.easy
        guard isCalm else {
            calmSince = nil
            return .none
        }
        let since = calmSince ?? time
        calmSince = since
        guard let index = taken.last, raisesFrom.map({ time >= $0 }) ?? true else { return .none }
        let wait = calm(before: ladder[index], isBusy: isBusy)
        guard time - max(since, lastChange ?? since) >= wait else { return .none }
        let raised = takenTogether()
        taken.removeLast(raised.count)
        // The step up before has proved itself.
        if let lastRaise, time - lastRaise >= Self.trial { backoff = Self.shortestBackoff }
        lastChange = time
        lastRaise = time
        fillAtChange = nil
        let reason =
            isBusy
            ? "the queues have been empty for a minute, so one step is tried."
            : "the computer has room again: nothing has been behind for \(Int(wait.inSeconds)) s."
        return .steps(
            raised.map { GovernorStep(index: $0, measure: ladder[$0], isUp: true, reason: reason) })
    }

    /// The time for which all must have been calm before a measure is taken back.
    private func calm(before measure: GovernorMeasure, isBusy: Bool) -> Nanoseconds {
        if isBusy { return Self.busyPatience }
        if isFreed { return measure.restartsCamera ? Self.freedRestartCalm : Self.freedCalm }
        if measure.restartsCamera { return Self.restartCalm }
        return lastRaise == lastChange ? Self.nextCalm : Self.firstCalm
    }

    /// Indices of the measures to take back at once, the last first: one, or all of the same camera where that is as safe as one.
    private func takenTogether() -> [Int] {
        guard let last = taken.last else { return [] }
        guard isFreed, let camera = ladder[last].changedCamera else { return [last] }
        return Array(taken.reversed().prefix { ladder[$0].changedCamera == camera })
    }

    /// Notes whether others' work keeps the computer busy. When it is over, attempts that failed meanwhile mean nothing any more.
    /// If it began only after such an attempt, the session itself was the cause.
    private mutating func noteOthers(_ isBusy: Bool, at time: ClockTime) {
        if isBusy {
            busySince = busySince ?? time
        } else if let since = busySince {
            busySince = nil
            isFreed = true
            guard let failedRaise, since < failedRaise else { return }
            raisesFrom = nil
            backoff = Self.shortestBackoff
        }
    }

    /// Whether a cause concerns the computer as a whole, and not yet the recording.
    private static func isOthers(_ cause: PressureFactor.Cause) -> Bool {
        switch cause {
        case .processorStall, .storageStall, .share, .speed: true
        case .memoryStall, .temperature, .throttling, .power, .encoder, .writer, .disk: false
        }
    }
}
