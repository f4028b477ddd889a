import Media

/// Decides which frames or slices of a synthetic device reach the computer, and when.
///
/// A device makes *slots*: frames of a camera, slices of a microphone. Slot n is captured over [tₙ, tₙ₊₁) and delivered
/// at tₙ₊₁ + latency, unless chance or the script says otherwise. A pure value: time is an argument.
struct ScriptedDelivery {
    enum Step: Equatable {
        /// The slot arrives, damaged or whole.
        case deliver(slot: Int64, isDamaged: Bool)
        /// That many slots did not arrive; reported with the next slot that does.
        case lost(slots: Int64, cause: LossCause, capturedAt: ClockTime)
        case away(at: ClockTime)
        case returned(at: ClockTime)
    }

    /// The parameters that stay the same while a device streams.
    struct Rules {
        var timebase: DeviceTimebase
        /// Number of frames or samples of the time base in one slot.
        var slotLength: Int64 = 1
        var latency = Nanoseconds.zero
        var dropShare = 0.0
        var corruptShare = 0.0
        var faults = FaultScript()
        var choices: SeededChoices
        /// Slots overdue by more than this are lost, as when a driver's buffers are full; `nil` never loses them.
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
    /// Number of the slot that is captured now or next.
    private(set) var slot: Int64
    /// Number of unpluggings and returns that were reported so far.
    private(set) var changesTold: Int
    /// When the device was last plugged in; slots that began earlier were not captured.
    private var connectedSince: ClockTime
    private var untold: [Loss] = []

    /// Starts delivery of a device that is switched on at `start`: its first slot begins then or later.
    ///
    /// - Parameters:
    ///   - rules: The parameters of the stream.
    ///   - start: When the device is switched on.
    ///   - changesTold: Number of unpluggings and returns of the script that are already over.
    init(_ rules: Rules, from start: ClockTime, afterChanges changesTold: Int = 0) {
        self.rules = rules
        self.changesTold = changesTold
        connectedSince = start
        slot = rules.timebase.index(atOrAfter: start)
        if rules.slotLength > 1 { slot = (slot + rules.slotLength - 1).floorDivided(by: rules.slotLength) }
    }

    /// Whether the device is unplugged.
    var isAway: Bool { changesTold % 2 == 1 }

    /// Whether the device is connected, and has been since the current slot began.
    var isCapturing: Bool { !isAway && rules.time(of: slot) >= connectedSince }

    private var due: ClockTime { rules.time(of: slot + 1) + rules.latency }

    /// When `steps` is to be called next; never later than the device's next event. `recordingStart` is T0, or `nil`
    /// while it is not known.
    func wake(since recordingStart: ClockTime?) -> ClockTime {
        guard let change = rules.faults.change(changesTold, since: recordingStart) else { return due }
        return min(change, due)
    }

    /// Takes the events that happen first among those due by `now`.
    ///
    /// - Parameters:
    ///   - now: The present instant.
    ///   - recordingStart: T0; `nil` while it is not known.
    /// - Returns: The events; empty when none is due.
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
            // Earlier losses are no longer reported: the gap that begins at the last arrival covers them.
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
