internal import Host
public import Media
internal import Monitoring

/// The time between a recording that system pressure has ended and one that takes it up again.
///
/// It is over when nothing has been at `serious` or above for some seconds. What may last, as running on a battery or
/// being warm does, keeps no recording from going on.
public struct PressureRest: Sendable {
    private let host: any HostReading
    private let folder: String

    private static let tellInterval = Nanoseconds.seconds(60)

    /// - Parameters:
    ///   - folder: Where was recorded, for its disk.
    ///   - host: The computer that is asked; `nil` for this one.
    public init(folder: String, host: (any HostReading)? = nil) {
        self.host = host ?? ThisHost()
        self.folder = folder
    }

    /// Blocks its thread until system pressure has recovered; asks about once a second.
    ///
    /// - Parameters:
    ///   - cancellation: Ends the wait.
    ///   - clock: The one that a recording would have.
    ///   - tell: Is given a sentence about every minute: what is waited for.
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
            // The assessment holds what was worse a moment ago. What it has not seen worse yet may have been so.
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
