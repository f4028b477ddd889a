import Media
internal import SessionFolder
internal import Timing

/// Tells when a device's clock model can be relied on, when that ends, and when it begins anew.
///
/// It tells of what lasts: a second's doubt is none, and a device that changes all the time is told of at growing
/// intervals. A value: time is an argument.
struct ClockWatch: Sendable {
    enum State: String, Sendable {
        case locked
        /// What it was locked on it has been unsure of for a while.
        case lost
        /// It left its line for another: the device was away, jumped, or changed its rate. When that can be relied on, it is
        /// locked again.
        case restarted
    }

    struct Change: Sendable, Equatable {
        let state: State
        let reading: ClockReading
        /// By how much what it tells has moved since the last change told.
        let moved: Nanoseconds
        /// How often it began anew since then.
        let restarts: Int
    }

    /// So long the model must have been unsure to be told of; a second in which a busy host stamps late is shorter.
    private static let patience = Nanoseconds.milliseconds(1500)
    /// From one change told to the next: at first, and at most.
    private static let pauses = (first: Nanoseconds.milliseconds(250), longest: Nanoseconds.seconds(60))
    /// After as many pauses without a change the next is told at once again.
    private static let calmPauses: Int64 = 8

    private var isLocked = false
    private var unsureSince: ClockTime?
    private var restartsTold = 0
    private var movedTold = Nanoseconds.zero
    private var pause = pauses.first
    private var lastTold: ClockTime?

    /// - Parameters:
    ///   - reading: What the model knows now.
    ///   - now: Not before the last call's.
    /// - Returns: What to tell, if anything.
    mutating func look(at reading: ClockReading, now: ClockTime) -> Change? {
        if reading.isLocked {
            unsureSince = nil
        } else if unsureSince == nil {
            unsureSince = now
        }
        guard lastTold.map({ now - $0 >= pause }) ?? true, let state = news(reading, now) else { return nil }
        isLocked = state == .locked
        let change = Change(
            state: state, reading: reading, moved: reading.moved - movedTold,
            restarts: reading.restarts - restartsTold)
        (restartsTold, movedTold) = (reading.restarts, reading.moved)
        let isCalm = lastTold.map { now - $0 >= pause * Self.calmPauses } ?? true
        pause = isCalm ? Self.pauses.first : min(pause * 2, Self.pauses.longest)
        lastTold = now
        return change
    }

    private func news(_ reading: ClockReading, _ now: ClockTime) -> State? {
        if reading.restarts > restartsTold { return .restarted }
        if reading.isLocked { return isLocked ? nil : .locked }
        guard isLocked, let unsureSince, now - unsureSince >= Self.patience else { return nil }
        return .lost
    }
}

extension ClockWatch.Change {
    /// The event that tells of it.
    ///
    /// - Parameters:
    ///   - role: The device's.
    ///   - time: When it was noticed.
    /// - Returns: The event `clock`.
    func event(of role: String, at time: MediaTime) -> SessionEvent {
        var fields: [String: JSONValue] = [
            "track": .string(role), "state": .string(state.rawValue),
            "ppm": .number(Manifest.Clock.rounded(reading.partsPerMillion, 100)),
            "residual_us": .number(Manifest.Clock.rounded(Double(reading.residual.count) / 1000, 10)),
        ]
        if state == .restarted {
            fields["moved_us"] = .number(Manifest.Clock.rounded(Double(moved.count) / 1000, 10))
            fields["restarts"] = .integer(Int64(restarts))
        }
        return SessionEvent(.clock, at: time, fields)
    }
}
