package import Media
package import SessionFolder
package import Timing

/// Decides when to tell that a device's clock model became reliable, ceased to be, or began anew.
///
/// Only lasting changes are told: a second's doubt is none, and a device that changes all the time is told at growing
/// intervals. A value: time is an argument.
package struct ClockWatch: Sendable {
    /// The state of a clock model, as told in the event `clock`.
    package enum State: String, Sendable {
        case locked
        /// The model has been unreliable for a while.
        case lost
        /// The model left its line for another, since the device was away, jumped, or changed its rate. It is locked
        /// again once the new line is reliable.
        case restarted
    }

    /// A change of a clock model that is to be told.
    package struct Change: Sendable, Equatable {
        package let state: State
        let reading: ClockReading
        /// By how much the dates of the model have moved since the last change told.
        package let moved: Nanoseconds
        /// How often the model began anew since the last change told.
        package let restarts: Int
    }

    /// How long the model must be unreliable to be told: longer than the second in which a busy host stamps late.
    private static let patience = Nanoseconds.milliseconds(1500)
    /// Pause from one change told to the next: at first, and at most.
    private static let pauses = (first: Nanoseconds.milliseconds(250), longest: Nanoseconds.seconds(60))
    /// Number of pauses without a change after which the next change is told at once.
    private static let calmPauses: Int64 = 8

    private var isLocked = false
    private var unsureSince: ClockTime?
    private var restartsTold = 0
    private var movedTold = Nanoseconds.zero
    private var pause = pauses.first
    private var lastTold: ClockTime?

    package init() {}

    /// Looks at the state of a clock model.
    ///
    /// - Parameters:
    ///   - reading: The state now.
    ///   - now: The present instant, not before that of the last call.
    /// - Returns: The change to tell, or `nil`.
    package mutating func look(at reading: ClockReading, now: ClockTime) -> Change? {
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
    /// The event `clock` that tells of the change.
    ///
    /// - Parameters:
    ///   - role: The device's role.
    ///   - time: When the change was noticed.
    /// - Returns: The event.
    package func event(of role: String, at time: MediaTime) -> SessionEvent {
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
