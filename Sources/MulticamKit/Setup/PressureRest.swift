internal import Host
public import Media
internal import Session

/// The time between a recording that system pressure has ended and one that takes it up again.
public struct PressureRest: Sendable {
    private let host: any HostReading
    private let folder: String

    /// - Parameters:
    ///   - folder: Where was recorded, for its disk.
    ///   - host: The computer that is asked; `nil` for this one.
    public init(folder: String, host: (any HostReading)? = nil) {
        self.host = host ?? ThisHost()
        self.folder = folder
    }

    /// Blocks its thread until pressure is nominal; asks about once a second.
    ///
    /// - Parameters:
    ///   - cancellation: Ends the wait.
    ///   - clock: The one that a recording would have.
    /// - Returns: `false` when it was cancelled.
    public func waitForNominal(
        unless cancellation: Cancellation, on clock: any SessionClock = MonotonicClock()
    ) -> Bool {
        var assessment = PressureAssessment()
        var due = clock.now
        while true {
            let state = host.read(folder: folder, at: clock.now)
            // What was critical a moment ago is not taken for calm at the first lower figure: the assessment holds it.
            let pressure = assessment.assess(state, readAt: clock.now, queues: [], at: clock.now)
            if pressure.level == .nominal { return true }
            due = due + .seconds(1)
            guard clock.sleep(until: due, unless: cancellation) else { return false }
        }
    }
}
