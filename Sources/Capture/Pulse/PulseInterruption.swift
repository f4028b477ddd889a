internal import CLinux
import Media

/// Ends all waiting for the sound server, now and from now on, from another thread than the one that waits.
final class PulseInterruption: Sendable {
    private struct State {
        var isInterrupted = false
        /// Of the connection that was made last.
        weak var loop: PulseLoop?
    }

    private let state = ConditionLock(State())

    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    func interrupt() {
        let loop = state.broadcast { state in
            state.isInterrupted = true
            return state.loop
        }
        // Under the loop's lock: whoever waits has looked for an interruption before, or looks after this.
        loop?.locked { pa_threaded_mainloop_signal(loop?.pointer, 0) }
    }

    /// From now on it is this loop that has to be woken.
    func concerns(_ loop: PulseLoop) {
        state.withLock { $0.loop = loop }
    }

    /// Sleeps until interrupted or until `deadline` on `CLOCK_MONOTONIC`.
    ///
    /// - Returns: Whether it was interrupted.
    func wait(until deadline: ClockTime) -> Bool {
        state.wait(until: deadline) { $0.isInterrupted ? true : nil } ?? false
    }
}
