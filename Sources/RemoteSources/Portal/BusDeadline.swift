internal import CSoup
internal import Media

/// Cancels one of GIO's calls that takes too long: connecting with a bus has no deadline of its own. A thread waits for it.
final class BusDeadline: @unchecked Sendable {
    // Written once; GIO's cancellables are safe on any thread.
    /// What the call is given.
    let cancellable: UnsafeMutablePointer<GCancellable> = g_cancellable_new()
    private let isOver = ConditionLock(false)

    /// Begins to count.
    ///
    /// - Parameter limit: How long the call may take.
    init(_ limit: Nanoseconds) {
        _ = MediaThread(name: "portal:deadline") { [self] in
            let ended = isOver.wait(until: MonotonicClock().now + limit) { $0 ? true : nil }
            if ended == nil { g_cancellable_cancel(cancellable) }
        }
    }

    deinit { g_object_unref(cancellable) }

    /// Ends it: the call has returned.
    func end() { isOver.broadcast { $0 = true } }
}
