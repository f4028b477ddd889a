import MulticamMedia

/// Determines which frames or slices of a synthetic device are delivered, and when.
///
/// A device produces *slots*: the frames of a camera, or the audio slices of a microphone. Slot n is captured
/// over [tₙ, tₙ₊₁). The slot is delivered at tₙ₊₁ + latency, unless a random or scripted fault prevents this.
/// This is a value type whose methods receive the current time.
struct ScriptedDelivery {
    enum Step: Equatable {
        /// The slot arrives, either intact or damaged.
        case deliver(slot: Int64, isDamaged: Bool)
        /// The given number of slots were lost. The loss is reported together with the next slot that arrives.
        case lost(slots: Int64, cause: LossCause, capturedAt: ClockTime)
        case away(at: ClockTime)
        case returned(at: ClockTime)
    }

    /// The parameters that are constant while a device is streaming.
    struct Rules {
        var timebase: DeviceTimebase
        /// Number of frames or samples of the time base per slot.
        var slotLength: Int64 = 1
        var latency = Nanoseconds.zero
        var dropShare = 0.0
        var corruptShare = 0.0
        var faults = FaultScript()
        var choices: SeededChoices
        /// Slots that are overdue by more than this time are lost, as if a driver's buffers were full. If the
        /// value is `nil`, no slots are lost this way.
        var maxOverdueTime: Nanoseconds?

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
    /// Number of the slot that is being captured or will be captured next.
    private(set) var slot: Int64
    /// Number of disconnections and reconnections reported so far.
    private(set) var reportedChanges: Int
    /// Time of the last reconnection. Slots that began earlier weren't captured.
    private var connectedSince: ClockTime
    private var unreportedLosses: [Loss] = []

    /// Starts the delivery of a device that is turned on at `start`. The first slot begins at `start` or later.
    ///
    /// - Parameters:
    ///   - rules: The parameters of the stream.
    ///   - start: Time when the device is turned on.
    ///   - reportedChanges: Number of the script's disconnections and reconnections that have already
    ///     occurred.
    init(_ rules: Rules, from start: ClockTime, afterChanges reportedChanges: Int = 0) {
        self.rules = rules
        self.reportedChanges = reportedChanges
        connectedSince = start
        slot = rules.timebase.index(atOrAfter: start)
        if rules.slotLength > 1 { slot = (slot + rules.slotLength - 1).floorDivided(by: rules.slotLength) }
    }

    /// Whether the device is disconnected.
    var isAway: Bool { reportedChanges % 2 == 1 }

    /// Whether the device has been connected since the current slot began.
    var isCapturing: Bool { !isAway && rules.time(of: slot) >= connectedSince }

    private var due: ClockTime { rules.time(of: slot + 1) + rules.latency }

    /// Returns the time of the next call to `dequeueSteps`, which is never later than the device's next event.
    /// `recordingStart` is T0, or `nil` until T0 is known.
    func wakeTime(since recordingStart: ClockTime?) -> ClockTime {
        guard let change = rules.faults.change(reportedChanges, since: recordingStart) else { return due }
        return min(change, due)
    }

    /// Dequeues the earliest events that are due by `now`.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - recordingStart: T0, or `nil` until T0 is known.
    /// - Returns: The events; empty if no event is due.
    mutating func dequeueSteps(at now: ClockTime, since recordingStart: ClockTime?) -> [Step] {
        if let change = rules.faults.change(reportedChanges, since: recordingStart), change <= min(now, due) {
            return applyChange(change)
        }
        guard due <= now else { return [] }
        defer { slot += 1 }
        let begin = rules.time(of: slot)
        guard isCapturing else { return [] }
        if rules.faults.isStalled(at: due, since: recordingStart) { return recordLoss(.disconnected, begin) }
        if let patience = rules.maxOverdueTime, now - due > patience { return recordLoss(.driver, begin) }
        if rules.isDropped(slot) { return recordLoss(.bus, begin) }
        let losses = unreportedLosses.map {
            Step.lost(slots: $0.slots, cause: $0.cause, capturedAt: $0.capturedAt)
        }
        unreportedLosses.removeAll()
        return losses + [.deliver(slot: slot, isDamaged: rules.isDamaged(slot))]
    }

    private mutating func applyChange(_ change: ClockTime) -> [Step] {
        reportedChanges += 1
        guard !isAway else {
            // Earlier losses are not reported, because the gap since the last arrival covers them.
            unreportedLosses.removeAll()
            return [.away(at: change)]
        }
        connectedSince = change
        return [.returned(at: change)]
    }

    private mutating func recordLoss(_ cause: LossCause, _ capturedAt: ClockTime) -> [Step] {
        if let last = unreportedLosses.indices.last, unreportedLosses[last].cause == cause {
            unreportedLosses[last].slots += 1
        } else {
            unreportedLosses.append(Loss(cause: cause, slots: 1, capturedAt: capturedAt))
        }
        return []
    }
}

extension ScriptedDelivery.Rules {
    /// Derives the rules from a device's behavior.
    ///
    /// - Parameters:
    ///   - behavior: The parsed parts of the selector that cameras and microphones have in common.
    ///   - role: The role in the profile, on which random choices depend.
    ///   - rate: Nominal frames or samples per second.
    ///   - slotLength: Number of frames or samples per delivery.
    ///   - corruptShare: Fraction of the slots that arrive damaged, 0…1.
    init(
        _ behavior: DeviceBehavior, role: String, rate: FrameRate, slotLength: Int64 = 1,
        corruptShare: Double = 0
    ) {
        let choices = SeededChoices(seed: behavior.seed, role: role)
        let slot = FrameRate(rate.frames, per: rate.seconds * slotLength).interval
        self.init(
            timebase: DeviceTimebase(
                rate: rate, driftPerBillion: behavior.driftPerBillion,
                phase: behavior.phase ?? choices.length(.phase, below: slot)),
            slotLength: slotLength, latency: behavior.latency, dropShare: behavior.dropShare,
            corruptShare: corruptShare, faults: behavior.faults, choices: choices)
    }
}

/// The random choices of a synthetic device. Each choice is a function of the seed, the role, the frame number, and the
/// purpose.
///
/// The values are computed with SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA
/// 2014; constants as in Vigna's splitmix64.c), indexed by frame number. A choice therefore doesn't depend on the
/// number of earlier choices. The role is hashed with 64-bit FNV-1a.
struct SeededChoices: Sendable, Equatable {
    /// The purposes of random choices. Changing a raw value changes the results of every seed.
    enum Purpose: UInt64 {
        case phase = 1
        case drop, corrupt, jitter, noise, tint, metered, person
    }

    private let base: UInt64
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(seed: UInt64, role: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in role.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        base = Self.mixed(Self.mixed(seed &+ Self.step) ^ hash)
    }

    /// Returns 64 random bits for a purpose and a frame number.
    func bits(_ purpose: Purpose, of number: Int64) -> UInt64 {
        let start = Self.mixed(base &+ purpose.rawValue &* Self.step)
        return Self.mixed(start &+ (UInt64(bitPattern: number) &+ 1) &* Self.step)
    }

    /// Returns a number uniformly distributed in [0, 1).
    func fraction(_ purpose: Purpose, of number: Int64) -> Double {
        Double(bits(purpose, of: number) >> 11) * 0x1p-53
    }

    /// Returns a duration that is uniformly distributed between −`limit` and `limit`.
    func error(_ purpose: Purpose, of number: Int64, within limit: Nanoseconds) -> Nanoseconds {
        guard limit > .zero else { return .zero }
        return Nanoseconds(Int64(rounding: (fraction(purpose, of: number) * 2 - 1) * Double(limit.count)))
    }

    /// Returns a duration uniformly distributed in [0, `limit`).
    func length(_ purpose: Purpose, below limit: Nanoseconds) -> Nanoseconds {
        Nanoseconds(Int64(fraction(purpose, of: 0) * Double(limit.count)))
    }

    /// Applies SplitMix64's output function.
    static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns the SplitMix64 state that follows `state`.
    static func advanced(_ state: UInt64) -> UInt64 { state &+ step }
}
