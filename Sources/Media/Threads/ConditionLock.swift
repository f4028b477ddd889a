public import Glibc

/// State guarded by a lock, with a way to sleep until the state changes.
///
/// Built on pthreads because `Synchronization.Mutex` has nothing to wait on, and because ThreadSanitizer on Linux does
/// not see it and reports false races. This is the only lock in the project; never hold it across a call into C.
///
/// Its methods are inlinable so that the compiler makes them anew for each state: a generic call of another module costs
/// several times what the lock does.
@usableFromInline
package final class ConditionLock<State>: @unchecked Sendable {
    // `state` is read and written only between lock and unlock of `mutex`, so that the language need not check it again.
    @usableFromInline
    @exclusivity(unchecked) var state: State
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline
    let changed: UnsafeMutablePointer<pthread_cond_t>

    /// Makes an unlocked lock around `state`. Its timed waits use `CLOCK_MONOTONIC`.
    @inlinable
    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    @inlinable
    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the state while the lock is held, and returns its result. Wakes no sleeper.
    @inlinable
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Changes the state under the lock and wakes one sleeper.
    @inlinable
    package func signal<Result>(_ body: (inout State) -> Result) -> Result {
        let result = withLock(body)
        pthread_cond_signal(changed)
        return result
    }

    /// Changes the state under the lock and wakes all sleepers.
    @discardableResult @inlinable
    package func broadcast<Result>(_ body: (inout State) -> Result) -> Result {
        let result = withLock(body)
        pthread_cond_broadcast(changed)
        return result
    }

    /// Sleeps until `body` returns a value. `body` runs under the lock, at once and after each change.
    @discardableResult @inlinable
    package func wait<Result>(_ body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Sleeps until `body` returns a value or `deadline` passes on `CLOCK_MONOTONIC`.
    ///
    /// After the deadline `body` runs once more, and its result is returned: `nil` where it still has no value.
    @inlinable
    package func wait<Result>(until deadline: ClockTime, _ body: (inout State) -> Result?) -> Result? {
        // Of a negative time the system takes none: it would answer at once, again and again.
        let deadline = max(deadline.nanoseconds, 0)
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            if pthread_cond_timedwait(changed, mutex, &time) == ETIMEDOUT { return body(&state) }
        }
    }
}
