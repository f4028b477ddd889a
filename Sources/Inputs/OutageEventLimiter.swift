package import Media
package import SessionFolder

/// Limits how often one device's outages and returns are reported, since a loose contact would otherwise
/// flood the event log.
///
/// Twelve events are reported immediately, and then at most one every half second. No user unplugs and reconnects a
/// cable faster than this for long. The first suppressed event becomes a warning. The gaps in the manifest contain all
/// outages.
package struct OutageEventLimiter {
    private let device: String
    private let kind: SourceKind
    private var allowance = Self.most
    private var regainedAt: MediaTime?
    private var isWarned = false
    /// Whether a silence of the device was announced. An outage that the device reports later is the same outage.
    private var isSilent = false
    /// Whether the device's reason for that silence was reported to the user.
    private var isReasonTold = false
    /// Reason of the last disconnection.
    private var lastCause: String?

    private static let most: Int64 = 12
    private static let interval: Int64 = 500_000_000

    /// Creates the limiter for one device.
    ///
    /// - Parameters:
    ///   - device: The device's display name, such as `camera desk`.
    ///   - kind: Kind of device, which determines the advice.
    package init(of device: String, kind: SourceKind) {
        self.device = device
        self.kind = kind
    }

    /// Decides whether to report an event.
    ///
    /// - Parameter event: An event from the device. Pass events in chronological order.
    /// - Returns: The event to report instead, or `nil` for none.
    package mutating func told(_ event: SessionEvent) -> SessionEvent? {
        let (track, outage): (String, SessionEvent.DeviceLost?)
        switch event.content {
        case .deviceLost(let lost): (track, outage, lastCause) = (lost.track, lost, lost.cause)
        case .deviceRestored(let restored): (track, outage) = (restored.track, nil)
        default: return event
        }
        // The outage has already been announced; the reason that the device reports is new.
        if let outage, isSilent {
            guard !isReasonTold else { return nil }
            isReasonTold = true
            return SessionEvent(warning: outage.text, at: event.at, track: track)
        }
        isReasonTold = false
        isSilent = outage?.cause == CameraInput.silence
        regain(at: event.at)
        if allowance > 0 {
            allowance -= 1
            isWarned = false
            return event
        }
        if isWarned { return nil }
        isWarned = true
        return SessionEvent(
            .warning(
                SessionEvent.Warning(
                    text:
                        "\(device) disconnects repeatedly. Not every event is reported here; the manifest lists all gaps. "
                        + "\(kind.advice).", track: track, cause: lastCause)), at: event.at)
    }

    private mutating func regain(at time: MediaTime) {
        guard let before = regainedAt else { return regainedAt = time }
        let passed = time.nanoseconds.subtractingReportingOverflow(before.nanoseconds)
        let count = passed.overflow ? 0 : passed.partialValue / Self.interval
        guard count > 0 else { return }
        allowance = min(allowance + min(count, Self.most), Self.most)
        regainedAt = time
    }
}
