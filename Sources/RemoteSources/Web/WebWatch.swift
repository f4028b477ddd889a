internal import CSoup
internal import Media

/// Cancels calls of libsoup at a deadline, or when nobody waits for them any more.
final class WebWatch: @unchecked Sendable {
    // A GCancellable may be used by any thread.
    let cancellable = g_cancellable_new()
    private let deadline: ConditionLock<ClockTime>
    private let ended = Cancellation()

    private static let pause = Nanoseconds.milliseconds(50)

    init(_ cancellation: Cancellation) {
        deadline = ConditionLock(MonotonicClock().now + .seconds(60))
        _ = MediaThread(name: "source:watch") { [self] in
            while !ended.wait(until: MonotonicClock().now + Self.pause) {
                guard cancellation.isCancelled || isOver else { continue }
                return g_cancellable_cancel(cancellable)
            }
        }
    }

    deinit { g_object_unref(cancellable) }

    /// Gives the call that follows so much time.
    func allow(_ time: Nanoseconds) { deadline.withLock { $0 = MonotonicClock().now + time } }

    /// Whether the present call has taken too long.
    var isOver: Bool { MonotonicClock().now >= deadline.withLock { $0 } }

    /// Watches no longer.
    func end() { ended.cancel() }
}
