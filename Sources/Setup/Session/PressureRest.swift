internal import Host
public import Media
internal import Monitoring

/// Waits between a recording that system pressure has ended and the next one that continues it.
///
/// The wait ends when no factor has been at `serious` or above for some seconds. A lasting state below that, such as running on
/// battery or being warm, does not prolong it.
public struct PressureRest: Sendable {
    private let host: any HostReading
    private let folder: String

    private static let tellInterval = Nanoseconds.seconds(60)

    /// Prepares the wait.
    ///
    /// - Parameters:
    ///   - folder: The folder that is recorded into, whose disk counts.
    ///   - host: The computer to read; `nil` for this one.
    public init(folder: String, host: (any HostReading)? = nil) {
        self.host = host ?? ThisHost()
        self.folder = folder
    }

    /// Blocks its thread until system pressure has recovered; reads it about once a second.
    ///
    /// - Parameters:
    ///   - cancellation: Ends the wait.
    ///   - clock: The clock that paces the readings; simulated in tests.
    ///   - tell: Receives a sentence for the user about every minute.
    /// - Returns: `false` when it was cancelled.
    public func waitForRecovery(
        unless cancellation: Cancellation, on clock: any SessionClock = MonotonicClock(),
        tell: (String) -> Void
    ) -> Bool {
        var assessment = PressureAssessment()
        let begin = clock.now
        var due = begin
        var tellDue = begin + Self.tellInterval
        while true {
            let now = clock.now
            let pressure = assessment.assess(
                host.read(folder: folder, at: now), readAt: now, queues: [], at: now)
            // The assessment remembers what was worse a moment ago, but not what was so before it began.
            if pressure.level < .serious, now - begin >= PressureAssessment.fallDelay { return true }
            if now >= tellDue {
                tellDue = now + Self.tellInterval
                tell(Self.sentence(pressure))
            }
            due = due + .seconds(1)
            guard clock.sleep(until: due, unless: cancellation) else { return false }
        }
    }

    private static func sentence(_ pressure: SystemPressure) -> String {
        let causes = pressure.factors.filter { $0.level >= .serious }
        let advice = causes.first.map { "; to ease it, \($0.advice)" } ?? ""
        return "waiting for system pressure to recover before the recording goes on: "
            + causes.map(\.text).joined(separator: "; ") + advice + "."
    }
}
