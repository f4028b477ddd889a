package import MulticamMedia
internal import MulticamMonitoring
internal import MulticamSystem

/// Waits until system pressure has recovered, after a recording ended because of system pressure and before
/// the next recording continues it.
///
/// The wait ends when all pressure factors have been below `serious` for several seconds. A permanent
/// condition below this level, such as battery operation or moderate heat, doesn't prolong the wait.
package struct PressureRecovery: Sendable {
    private let host: any HostReading
    private let folder: String

    private static let reportInterval = Nanoseconds.seconds(60)

    /// Creates the object without waiting.
    ///
    /// - Parameters:
    ///   - folder: The recording folder, whose disk is monitored.
    ///   - host: The computer to monitor. `nil` monitors this computer.
    package init(folder: String, host: (any HostReading)? = nil) {
        self.host = host ?? ThisHost()
        self.folder = folder
    }

    /// Blocks the calling thread until system pressure has recovered. Reads the pressure about once per second.
    ///
    /// - Parameters:
    ///   - cancellation: The cancellation that ends the wait early.
    ///   - clock: The clock that determines when readings are taken. Tests use a simulated clock.
    ///   - report: Receives a status message for the user about once per minute.
    /// - Returns: `false` if the wait was canceled.
    package func waitForRecovery(
        unless cancellation: Cancellation, on clock: any SessionClock = MonotonicClock(),
        report: (String) -> Void
    ) -> Bool {
        var assessment = PressureAssessment()
        let begin = clock.now
        var due = begin
        var tellDue = begin + Self.reportInterval
        while true {
            let now = clock.now
            let pressure = assessment.assess(
                host.read(folder: folder, at: now), readAt: now, queues: [], at: now)
            // The assessment holds a level for some time after the pressure falls, but it has no readings from before
            // its creation.
            if pressure.level < .serious, now - begin >= PressureAssessment.fallDelay { return true }
            if now >= tellDue {
                tellDue = now + Self.reportInterval
                report(Self.sentence(pressure))
            }
            due = due + .seconds(1)
            guard clock.sleep(until: due, unless: cancellation) else { return false }
        }
    }

    private static func sentence(_ pressure: SystemPressure) -> String {
        let causes = pressure.factors.filter { $0.level >= .serious }
        let advice = causes.first.map { ". To reduce it, \($0.advice)" } ?? ""
        return "waiting for system pressure to drop before the recording continues: "
            + causes.map(\.text).joined(separator: "; ") + advice + "."
    }
}
