import MulticamMedia

@testable import MulticamMonitoring

/// A computer that is read once per second, starting at second 100 of its clock.
struct SimulatedReadings {
    var assessment = PressureAssessment()
    var second: Int64 = 0

    /// Simulates one reading, a second after the previous one.
    mutating func read(_ queues: [QueueAge] = [], _ change: (inout HostState) -> Void = { _ in })
        -> SystemPressure
    {
        var state = HostState()
        change(&state)
        let time = ClockTime(nanoseconds: (100 + second) * 1_000_000_000)
        second += 1
        return assessment.assess(state, readAt: time, queues: queues, at: time)
    }
}
