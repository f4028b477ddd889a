internal import Media

/// When a destination is tried again. A pure value: time comes with each call.
///
/// In the first minute after a loss the pauses are half a second at most, so that the stream is on the air soon after the network is back;
/// then they grow to ten seconds. What a person has to change is tried again after a minute.
struct RetryPauses {
    private var failures = 0
    private var doubts = 0
    /// When the first failure since the last lasting connection was.
    private var since: ClockTime?
    private var connected: ClockTime?

    private static let first: [Nanoseconds] = [.milliseconds(200), .milliseconds(500)]
    private static let longest = Nanoseconds.seconds(10)
    private static let minute = Nanoseconds.seconds(60)
    /// A connection that held for so long was a success; one that breaks at once is another failure.
    private static let lasting = Nanoseconds.seconds(5)
    private static let mostDoubts = 3

    /// Notes that a connection stands.
    mutating func connect(at now: ClockTime) { connected = now }

    /// Notes a failure.
    ///
    /// - Returns: How long to wait, and whether it counts as a refusal.
    mutating func fail(_ kind: PublishingError.Kind, at now: ClockTime) -> (
        pause: Nanoseconds, isRefusal: Bool
    ) {
        if let connected, now - connected >= Self.lasting { self = RetryPauses() }
        connected = nil
        let since = since ?? now
        self.since = since
        failures += 1
        doubts = kind == .doubtful ? doubts + 1 : 0
        if kind == .refused || doubts >= Self.mostDoubts {
            doubts = 0
            return (Self.minute, true)
        }
        guard now - since >= Self.minute else {
            return (Self.first[min(failures, Self.first.count) - 1], false)
        }
        // Two seconds after the first minute, ten after five.
        return (min((now - since) / 30, Self.longest), false)
    }
}
