internal import Media

/// Tells when a process has said nothing for too long. Safe to use from any thread.
final class Pulse: Sendable {
    private struct State {
        /// Seconds since the last beat.
        var silence: Int
        /// Seconds of silence that are too many.
        var limit: Int
    }

    private let state: ConditionLock<State>
    private let limit: Int

    /// Begins without a beat.
    ///
    /// - Parameters:
    ///   - limit: Seconds between two beats that are too many.
    ///   - first: Seconds until the first beat that are too many.
    init(limit: Int, first: Int) {
        self.limit = limit
        state = ConditionLock(State(silence: 0, limit: first))
    }

    /// The process has said something.
    func beat() { state.withLock { $0 = State(silence: 0, limit: limit) } }

    /// Notes that another second has passed.
    ///
    /// - Returns: Whether the silence is too long now.
    func isStill() -> Bool {
        state.withLock { state in
            state.silence += 1
            return state.silence >= state.limit
        }
    }

    /// Watches on a thread of its own. It counts seconds that it was awake for: when this process itself was stopped, or the machine
    /// slept, that says nothing of the other.
    ///
    /// - Parameters:
    ///   - ended: Ends the watch.
    ///   - stopped: Called once when the silence is too long.
    func watch(unless ended: Cancellation, _ stopped: @escaping @Sendable () -> Void) {
        _ = MediaThread(name: "pulse") { [self] in
            let clock = MonotonicClock()
            while clock.sleep(until: clock.now + .seconds(1), unless: ended) {
                if isStill() { return stopped() }
            }
        }
    }
}
