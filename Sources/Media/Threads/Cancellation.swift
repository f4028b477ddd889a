/// A request to end, given once, that wakes every thread that sleeps on it.
public final class Cancellation: Sendable {
    private let monitor = ConditionLock(false)

    /// Makes a request that is not given yet.
    public init() {}

    /// Whether `cancel()` was called.
    public var isCancelled: Bool { monitor.withLock { $0 } }

    /// Gives the request for good, and wakes the threads that wait for it. Further calls change nothing.
    public func cancel() {
        monitor.broadcast { $0 = true }
    }

    /// Sleeps until cancelled or until `deadline` on `CLOCK_MONOTONIC`.
    ///
    /// - Returns: Whether it was cancelled; `false` when the deadline passed first.
    package func wait(until deadline: ClockTime) -> Bool {
        monitor.wait(until: deadline) { $0 ? true : nil } ?? false
    }
}
