public import FoundationEssentials
internal import Glibc

/// A session clock whose time passes only when every thread of the session sleeps, and then at once.
///
/// Exactly one thread that this clock started runs at a time; when it sleeps, the thread with the earliest deadline runs
/// next (among equal deadlines, the one started first), and time jumps to that deadline. So a recording is a function of
/// its devices alone: repeatable to the byte, and as fast as the machine computes.
public final class SimulatedClock: SessionClock {
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
        /// The number of each thread that this clock has started and that has not ended.
        var numbers: [pthread_t: Int] = [:]

        mutating func passOn() {
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

    /// Makes a clock that stands at `start` until its threads sleep.
    ///
    /// - Parameters:
    ///   - start: The first instant.
    ///   - epoch: The wall-clock date of instant zero, not of `start`.
    public init(
        start: ClockTime = ClockTime(nanoseconds: 1_000_000_000_000),
        epoch: Date = Date(timeIntervalSince1970: 1_767_225_600)
    ) {
        monitor = ConditionLock(State(now: start))
        self.epoch = epoch
    }

    /// The simulated present: the latest deadline that a thread was woken for, or the start.
    public var now: ClockTime { monitor.withLock { $0.now } }
    /// Always `false`: queues wait for room instead of dropping.
    public var isRealTime: Bool { false }

    /// The wall-clock date of an instant: `epoch` plus the instant's nanoseconds.
    public func date(of instant: ClockTime) -> Date {
        epoch.addingTimeInterval(Double(instant.nanoseconds) / 1e9)
    }

    /// Lets the next thread run, and returns when time has come to `deadline`. Only on a thread that this clock started:
    /// any other is a programming error and traps.
    ///
    /// - Parameters:
    ///   - deadline: The instant to wake at.
    ///   - cancellation: Looked at before and after the sleep; it does not shorten the sleep.
    /// - Returns: `false` when `cancellation` was given by then.
    @discardableResult
    public func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        if cancellation.isCancelled { return false }
        let thread = monitor.broadcast { state in
            guard let thread = state.numbers[pthread_self()] else {
                preconditionFailure("only a thread of the simulated clock may sleep on it")
            }
            state.sleepers.append(Sleeper(thread: thread, deadline: deadline))
            state.running = nil
            state.passOn()
            return thread
        }
        waitForTurn(thread)
        return !cancellation.isCancelled
    }

    /// Starts a thread that runs when its turn comes, at the present simulated instant.
    public func startThread(named name: String, _ body: sending @escaping () -> Void) -> MediaThread {
        let thread = monitor.broadcast { state in
            state.started += 1
            state.sleepers.append(Sleeper(thread: state.started, deadline: state.now))
            state.passOn()
            return state.started
        }
        return MediaThread(name: name) {
            self.monitor.withLock { $0.numbers[pthread_self()] = thread }
            self.waitForTurn(thread)
            body()
            self.monitor.broadcast { state in
                state.numbers[pthread_self()] = nil
                state.running = nil
                state.passOn()
            }
        }
    }

    /// Keeps every thread from starting its next turn until `release()` is called as often as `hold()`.
    public func hold() {
        monitor.withLock { $0.holds += 1 }
    }

    /// Ends one `hold()`; when all are ended, the thread with the earliest deadline runs.
    public func release() {
        monitor.broadcast { state in
            state.holds -= 1
            state.passOn()
        }
    }

    private func waitForTurn(_ thread: Int) {
        monitor.wait { $0.running == thread ? true : nil }
    }
}
