internal import CLinux
import Media

/// Ends all present and future waits for the sound server from another thread.
final class PulseInterruption: Sendable {
    private struct State {
        var isInterrupted = false
        /// Loop of the connection that was made last.
        weak var loop: PulseLoop?
    }

    private let state = ConditionLock(State())

    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    func interrupt() {
        let loop = state.broadcast { state in
            state.isInterrupted = true
            return state.loop
        }
        // Signalled under the loop's lock, so that a waiting thread cannot miss it between its check and its sleep.
        loop?.locked { pa_threaded_mainloop_signal(loop?.pointer, 0) }
    }

    /// Makes this loop the one that `interrupt` wakes.
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
