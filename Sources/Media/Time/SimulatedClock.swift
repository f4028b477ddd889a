package import FoundationEssentials
internal import Glibc

/// A session clock that advances only when all of the session's threads are sleeping. The clock then jumps
/// immediately to the next deadline.
///
/// Exactly one thread started by this clock runs at a time. When this thread sleeps, the thread with the
/// earliest deadline runs next (if deadlines are equal, the thread that was started first), and time jumps to
/// that deadline. A simulated recording therefore depends only on its devices: the files are reproducible
/// byte for byte, and the recording runs as fast as the machine can compute.
package final class SimulatedClock: SteppingClock {
    private struct Sleeper {
        let thread: Int
        let deadline: ClockTime
    }

    private struct State {
        var now: ClockTime
        var sleepers: [Sleeper] = []
        var running: Int?
        var holds = 0
        var started = 0
        /// Sequence numbers of the threads that this clock started and that haven't ended.
        var numbers: [pthread_t: Int] = [:]

        mutating func wakeNext() {
            guard running == nil, holds == 0 else { return }
            let next = sleepers.indices.min {
                (sleepers[$0].deadline, sleepers[$0].thread) < (sleepers[$1].deadline, sleepers[$1].thread)
            }
            guard let next else { return }
            let sleeper = sleepers.remove(at: next)
            now = max(now, sleeper.deadline)
            running = sleeper.thread
        }
    }

    private let monitor: ConditionLock<State>
    private let epoch: Date

    /// Creates a simulated clock that stays at `start` until all of its threads are sleeping.
    ///
    /// - Parameters:
    ///   - start: The first instant on the clock.
    ///   - epoch: The wall-clock date of instant zero, not of `start`.
    package init(
        start: ClockTime = ClockTime(nanoseconds: 1_000_000_000_000),
        epoch: Date = Date(timeIntervalSince1970: 1_767_225_600)
    ) {
        monitor = ConditionLock(State(now: start))
        self.epoch = epoch
    }

    /// Current simulated instant: the last deadline that woke a thread, or the start.
    package var now: ClockTime { monitor.withLock { $0.now } }
    /// Always `false`, so writers wait for space in a full queue instead of dropping elements.
    package var isRealTime: Bool { false }

    /// Returns the wall-clock date of an instant: `epoch` plus the instant's nanoseconds.
    package func date(of instant: ClockTime) -> Date {
        epoch.addingTimeInterval(Double(instant.nanoseconds) / 1e9)
    }

    /// Lets the next thread run, and returns when simulated time has reached `deadline`. Call this method
    /// only on a thread started by this clock; on any other thread, the call traps.
    ///
    /// - Parameters:
    ///   - deadline: The instant at which the sleep ends.
    ///   - cancellation: Checked before and after the sleep; canceling doesn't shorten the sleep.
    /// - Returns: `true` unless `cancellation` was canceled before the method returned.
    @discardableResult
    package func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        if cancellation.isCancelled { return false }
        let thread = monitor.broadcast { state in
            guard let thread = state.numbers[pthread_self()] else {
                preconditionFailure("only threads of the simulated clock can call sleep")
            }
            state.sleepers.append(Sleeper(thread: thread, deadline: deadline))
            state.running = nil
            state.wakeNext()
            return thread
        }
        waitForTurn(thread)
        return !cancellation.isCancelled
    }

    /// Starts a thread that runs at the current simulated instant as soon as the clock selects the thread.
    package func startThread(
        named name: String, _ body: sending @escaping () -> Void
    ) throws(ThreadError) -> MediaThread {
        let thread = monitor.broadcast { state in
            state.started += 1
            state.sleepers.append(Sleeper(thread: state.started, deadline: state.now))
            state.wakeNext()
            return state.started
        }
        do throws(ThreadError) {
            return try MediaThread(name: name) {
                self.monitor.withLock { $0.numbers[pthread_self()] = thread }
                self.waitForTurn(thread)
                body()
                self.monitor.broadcast { state in
                    state.numbers[pthread_self()] = nil
                    state.running = nil
                    state.wakeNext()
                }
            }
        } catch {
            // The thread is removed here because the other threads would otherwise wait for a thread that
            // couldn't be created.
            monitor.broadcast { state in
                state.sleepers.removeAll { $0.thread == thread }
                if state.running == thread { state.running = nil }
                state.wakeNext()
            }
            throw error
        }
    }

    /// Prevents all threads from starting their next turn until each `hold()` is matched by a `release()`.
    package func hold() {
        monitor.withLock { $0.holds += 1 }
    }

    /// Ends the effect of one call of `hold()`. When all holds have ended, the thread with the earliest
    /// deadline runs.
    package func release() {
        monitor.broadcast { state in
            state.holds -= 1
            state.wakeNext()
        }
    }

    private func waitForTurn(_ thread: Int) {
        monitor.wait { $0.running == thread ? true : nil }
    }
}
