import Media

/// Decides what of a synthetic device reaches the computer, and when.
///
/// A device makes *slots*: frames of a camera, slices of a microphone. Slot n is captured over [tₙ, tₙ₊₁) and delivered at
/// tₙ₊₁ + latency, unless chance or the script says otherwise. A pure value: time is an argument.
struct ScriptedDelivery {
    enum Step: Equatable {
        /// The slot arrives, damaged or whole.
        case deliver(slot: Int64, isDamaged: Bool)
        /// So many slots did not; told with the next one that does.
        case lost(slots: Int64, cause: LossCause, capturedAt: ClockTime)
        case away(at: ClockTime)
        case returned(at: ClockTime)
    }

    /// What stays the same while a device runs.
    struct Rules {
        var timebase: DeviceTimebase
        /// How many frames or samples of the time base a slot is.
        var slotLength: Int64 = 1
        var latency = Nanoseconds.zero
        var dropShare = 0.0
        var corruptShare = 0.0
        var faults = FaultScript()
        var choices: SeededChoices
        /// Slots that are overdue by more are lost, as with a driver whose buffers are full. `nil` waits for ever.
        var patience: Nanoseconds?

        func time(of slot: Int64) -> ClockTime { timebase.time(of: slot * slotLength) }
        func isDropped(_ slot: Int64) -> Bool { choices.fraction(.drop, of: slot) < dropShare }
        func isDamaged(_ slot: Int64) -> Bool { choices.fraction(.corrupt, of: slot) < corruptShare }
    }

    private struct Loss {
        let cause: LossCause
        var slots: Int64
        let capturedAt: ClockTime
    }

    let rules: Rules
    /// The slot that is captured now or next.
    private(set) var slot: Int64
    /// How often it was unplugged or came back.
    private(set) var changesTold: Int
    /// What is captured before this instant is gone: the device was not there.
    private var connectedSince: ClockTime
    private var untold: [Loss] = []

    /// The device is switched on at `start`: its first slot begins then or later. Of its script `changesTold` is over.
    init(_ rules: Rules, from start: ClockTime, afterChanges changesTold: Int = 0) {
        self.rules = rules
        self.changesTold = changesTold
        connectedSince = start
        slot = rules.timebase.index(atOrAfter: start)
        if rules.slotLength > 1 { slot = (slot + rules.slotLength - 1).floorDivided(by: rules.slotLength) }
    }

    /// Whether it is unplugged.
    var isAway: Bool { changesTold % 2 == 1 }

    /// Whether the device is there, and has been since the current slot began.
    var isCapturing: Bool { !isAway && rules.time(of: slot) >= connectedSince }

    private var due: ClockTime { rules.time(of: slot + 1) + rules.latency }

    /// When `steps` is to be called next. Never later than any of the device's events.
    func wake(since recordingStart: ClockTime?) -> ClockTime {
        guard let change = rules.faults.change(changesTold, since: recordingStart) else { return due }
        return min(change, due)
    }

    /// What happens first of that which is due by `now`.
    mutating func steps(at now: ClockTime, since recordingStart: ClockTime?) -> [Step] {
        if let change = rules.faults.change(changesTold, since: recordingStart), change <= min(now, due) {
            return tell(change)
        }
        guard due <= now else { return [] }
        defer { slot += 1 }
        let begin = rules.time(of: slot)
        guard isCapturing else { return [] }
        if rules.faults.isStalled(at: due, since: recordingStart) { return lose(.away, begin) }
        if let patience = rules.patience, now - due > patience { return lose(.driver, begin) }
        if rules.isDropped(slot) { return lose(.bus, begin) }
        let losses = untold.map { Step.lost(slots: $0.slots, cause: $0.cause, capturedAt: $0.capturedAt) }
        untold.removeAll()
        return losses + [.deliver(slot: slot, isDamaged: rules.isDamaged(slot))]
    }

    private mutating func tell(_ change: ClockTime) -> [Step] {
        changesTold += 1
        guard !isAway else {
            // Nobody is there any more to tell what was missing before; the gap that begins at the last arrival holds it.
            untold.removeAll()
            return [.away(at: change)]
        }
        connectedSince = change
        return [.returned(at: change)]
    }

    private mutating func lose(_ cause: LossCause, _ capturedAt: ClockTime) -> [Step] {
        if let last = untold.indices.last, untold[last].cause == cause {
            untold[last].slots += 1
        } else {
            untold.append(Loss(cause: cause, slots: 1, capturedAt: capturedAt))
        }
        return []
    }
}
