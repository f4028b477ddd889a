package import MulticamMedia
package import MulticamSessionFolder

/// Limits how often outages of one device are reported, because a loose cable would otherwise flood the event
/// log.
///
/// The first twelve events are reported immediately, and further events at most every half second. A user who
/// unplugs and reconnects a cable doesn't reach this limit. A warning replaces the first suppressed event.
/// The gaps in the manifest include all outages.
package struct OutageEventLimiter {
    private let device: String
    private let kind: SourceKind
    private var allowance = Self.maxAllowance
    private var replenishedAt: MediaTime?
    private var hasWarned = false
    /// Whether a silence of the device was announced. If the device later reports an outage, it is treated as
    /// the same outage.
    private var isSilent = false
    /// Whether the reason that the device gave for the silence was reported to the user.
    private var hasReportedReason = false
    /// Reason for the last outage that was reported.
    private var lastCause: String?

    private static let maxAllowance: Int64 = 12
    private static let interval: Int64 = 500_000_000

    /// Creates the limiter for one device.
    ///
    /// - Parameters:
    ///   - device: The device's display name, such as `camera desk`.
    ///   - kind: Kind of device, which determines the advice in the warning.
    package init(of device: String, kind: SourceKind) {
        self.device = device
        self.kind = kind
    }

    /// Decides whether to report an event.
    ///
    /// - Parameter event: An event from the device. Pass events in chronological order.
    /// - Returns: The event to report; `nil` to suppress the event.
    package mutating func filter(_ event: SessionEvent) -> SessionEvent? {
        let (track, outage): (String, SessionEvent.DeviceLost?)
        switch event.content {
        case .deviceLost(let lost): (track, outage, lastCause) = (lost.track, lost, lost.cause)
        case .deviceRestored(let restored): (track, outage) = (restored.track, nil)
        default: return event
        }
        // The outage was already announced as a silence, so only the reason that the device reports is new.
        if let outage, isSilent {
            guard !hasReportedReason else { return nil }
            hasReportedReason = true
            return SessionEvent(warning: outage.text, at: event.at, track: track)
        }
        hasReportedReason = false
        isSilent = outage?.cause == CameraInput.silenceCause
        replenish(at: event.at)
        if allowance > 0 {
            allowance -= 1
            hasWarned = false
            return event
        }
        if hasWarned { return nil }
        hasWarned = true
        return SessionEvent(
            .warning(
                SessionEvent.Warning(
                    text:
                        "\(device) disconnects repeatedly. Not every event is reported here; the manifest lists all gaps. "
                        + "\(kind.advice).", track: track, cause: lastCause)), at: event.at)
    }

    private mutating func replenish(at time: MediaTime) {
        guard let before = replenishedAt else { return replenishedAt = time }
        let passed = time.nanoseconds.subtractingReportingOverflow(before.nanoseconds)
        let count = passed.overflow ? 0 : passed.partialValue / Self.interval
        guard count > 0 else { return }
        allowance = min(allowance + min(count, Self.maxAllowance), Self.maxAllowance)
        replenishedAt = time
    }
}
