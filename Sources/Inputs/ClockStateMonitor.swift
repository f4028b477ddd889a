package import MulticamMedia
package import MulticamSessionFolder
package import MulticamTiming

/// Decides when to report that a device's clock model became reliable, became unreliable, or restarted.
///
/// Short changes aren't reported, such as a model that is unreliable for one second. If the state of a device
/// changes constantly, it is reported at increasing intervals. The caller of this value type passes in the
/// current time.
package struct ClockStateMonitor: Sendable {
    /// State of a clock model, as reported in the `clock` event.
    package typealias State = SessionEvent.Clock.State

    /// A change of a clock model that must be reported.
    package struct Change: Sendable, Equatable {
        package let state: State
        let reading: ClockReading
        /// Amount by which the model's times have shifted since the last reported change.
        package let moved: Nanoseconds
        /// Number of restarts of the model since the last reported change.
        package let restarts: Int
    }

    /// Minimum time for which a model must be unreliable before this is reported. On a busy computer,
    /// timestamps are typically late for up to one second.
    private static let minUnlockedTime = Nanoseconds.milliseconds(1500)
    /// Initial and maximum value of the minimum time between two reports.
    private static let reportIntervals = (
        first: Nanoseconds.milliseconds(250), longest: Nanoseconds.seconds(60)
    )
    /// Number of report intervals without a change after which the next change is reported immediately.
    private static let quietIntervals: Int64 = 8

    private var isLocked = false
    private var unlockedSince: ClockTime?
    private var reportedRestarts = 0
    private var reportedShift = Nanoseconds.zero
    private var reportInterval = reportIntervals.first
    private var lastReport: ClockTime?

    package init() {}

    /// Processes the current state of a clock model.
    ///
    /// - Parameters:
    ///   - reading: Current state of the clock model.
    ///   - now: Current time, which must not be earlier than in the previous call.
    /// - Returns: The change to report; `nil` for none.
    package mutating func update(with reading: ClockReading, now: ClockTime) -> Change? {
        if reading.isLocked {
            unlockedSince = nil
        } else if unlockedSince == nil {
            unlockedSince = now
        }
        guard lastReport.map({ now - $0 >= reportInterval }) ?? true,
            let state = newState(for: reading, at: now)
        else { return nil }
        isLocked = state == .locked
        let change = Change(
            state: state, reading: reading, moved: reading.moved - reportedShift,
            restarts: reading.restarts - reportedRestarts)
        (reportedRestarts, reportedShift) = (reading.restarts, reading.moved)
        let isCalm = lastReport.map { now - $0 >= reportInterval * Self.quietIntervals } ?? true
        reportInterval =
            isCalm ? Self.reportIntervals.first : min(reportInterval * 2, Self.reportIntervals.longest)
        lastReport = now
        return change
    }

    private func newState(for reading: ClockReading, at now: ClockTime) -> State? {
        if reading.restarts > reportedRestarts { return .restarted }
        if reading.isLocked { return isLocked ? nil : .locked }
        guard isLocked, let unlockedSince, now - unlockedSince >= Self.minUnlockedTime else { return nil }
        return .lost
    }
}

extension ClockStateMonitor.Change {
    /// Returns the `clock` event for the change.
    ///
    /// - Parameters:
    ///   - role: The device's role.
    ///   - time: Time at which the change was detected.
    /// - Returns: The event.
    package func event(of role: String, at time: MediaTime) -> SessionEvent {
        let isReset = state == .restarted
        return SessionEvent(
            .clock(
                SessionEvent.Clock(
                    track: role, state: state, ppm: Manifest.Clock.rounded(reading.partsPerMillion, 100),
                    residual_us: Manifest.Clock.rounded(Double(reading.residual.count) / 1000, 10),
                    moved_us: isReset ? Manifest.Clock.rounded(Double(moved.count) / 1000, 10) : nil,
                    restarts: isReset ? Int64(restarts) : nil)),
            at: time)
    }
}
