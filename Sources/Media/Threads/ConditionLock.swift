public import Glibc

/// State guarded by a lock, with a condition variable to wait for state changes.
///
/// The lock uses pthreads, because `Synchronization.Mutex` lacks a condition variable and causes false race
/// reports by ThreadSanitizer on Linux. `ConditionLock` is the only lock type in the project; never hold the
/// lock across a call into C.
///
/// The lock's methods are inlinable so that the compiler specializes them for each type of state. A generic
/// call across modules costs several times as much as the lock itself.
@usableFromInline
package final class ConditionLock<State>: @unchecked Sendable {
    // `state` is accessed only while `mutex` is locked, so Swift's runtime doesn't need to check exclusive
    // access again.
    @usableFromInline
    @exclusivity(unchecked) var state: State
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline
    let condition: UnsafeMutablePointer<pthread_cond_t>

    /// Creates an unlocked lock that guards `state`. Timed waits use `CLOCK_MONOTONIC`.
    @inlinable
    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    @inlinable
    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` on the state while holding the lock, and returns its result. This method doesn't wake
    /// waiting threads.
    @inlinable
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Changes the state under the lock and wakes one waiting thread.
    @inlinable
    package func signal<Result>(_ body: (inout State) -> Result) -> Result {
        let result = withLock(body)
        pthread_cond_signal(condition)
        return result
    }

    /// Changes the state under the lock and wakes all waiting threads.
    @discardableResult @inlinable
    package func broadcast<Result>(_ body: (inout State) -> Result) -> Result {
        let result = withLock(body)
        pthread_cond_broadcast(condition)
        return result
    }

    /// Blocks until `body` returns a value. `body` is called with the lock held: once immediately, and again
    /// after each change of the state.
    @discardableResult @inlinable
    package func wait<Result>(_ body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Blocks until `body` returns a value or the `deadline` on `CLOCK_MONOTONIC` passes.
    ///
    /// After the deadline, `body` is called once more and its result is returned, even if the result is
    /// `nil`.
    @inlinable
    package func wait<Result>(until deadline: ClockTime, _ body: (inout State) -> Result?) -> Result? {
        // The system rejects negative times immediately, which would make the waiting thread a busy loop.
        let deadline = max(deadline.nanoseconds, 0)
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&state) }
        }
    }
}

/// A one-time cancellation request that wakes every thread that waits for it.
package final class Cancellation: Sendable {
    private let monitor = ConditionLock(false)

    /// Creates a cancellation request that hasn't been triggered.
    package init() {}

    /// Whether `cancel()` was called.
    package var isCancelled: Bool { monitor.withLock { $0 } }

    /// Triggers the cancellation permanently and wakes the waiting threads. Subsequent calls do nothing.
    package func cancel() {
        monitor.broadcast { $0 = true }
    }

    /// Blocks until `cancel()` is called or the `deadline` on `CLOCK_MONOTONIC` passes.
    ///
    /// - Returns: `true` if `cancel()` was called; `false` if the deadline passed first.
    package func wait(until deadline: ClockTime) -> Bool {
        monitor.wait(until: deadline) { $0 ? true : nil } ?? false
    }
}
