/// A request to end, given once, that wakes whoever sleeps on it.
public final class Cancellation: Sendable {
    private let monitor = ConditionLock(false)

    public init() {}

    public var isCancelled: Bool { monitor.withLock { $0 } }

    public func cancel() {
        monitor.broadcast { $0 = true }
    }

    /// Sleeps until cancelled or until `deadline` on `CLOCK_MONOTONIC`.
    ///
    /// - Returns: Whether it was cancelled.
    package func wait(until deadline: ClockTime) -> Bool {
        monitor.wait(until: deadline) { $0 ? true : nil } ?? false
    }
}
