internal import Glibc
package import MulticamMedia

/// A child process that is restarted whenever it exits, until `end` is called. A process that stops sending heartbeats
/// is killed and restarted. Can be used from any thread.
package final class SupervisedChild: Sendable {
    /// How a process is restarted, monitored, and ended.
    package struct Policy: Sendable {
        /// Delays before restarts.
        package var backoff: Backoff
        /// Run time after which the next restart uses the first delay again.
        package var minStableDuration: Nanoseconds
        /// How the process is asked to exit.
        package var exitRequest = ExitRequest.signal(SIGTERM)
        /// Maximum time for the process to exit after the request. A process that takes longer is killed.
        package var exitTimeout = Nanoseconds.seconds(2)
        /// Maximum time without a heartbeat, in whole seconds; `nil` if the process sends none.
        package var heartbeat: (usual: Int, first: Int)?

        /// Creates a policy for a process that is ended with SIGTERM and sends no heartbeats.
        package init(backoff: Backoff, minStableDuration: Nanoseconds = .seconds(10)) {
            (self.backoff, self.minStableDuration) = (backoff, minStableDuration)
        }
    }

    /// A request to exit.
    package enum ExitRequest: Sendable {
        case signal(Int32)
        /// Closes the process's standard input after the queued lines have been written.
        case endOfInput
    }

    /// The result of an attempt to start a process.
    package enum Start: Sendable {
        case started(ChildProcess)
        /// The process couldn't be started. Try again after the next delay.
        case retry
        /// No process is needed until the next call of `wake`.
        case idle
        /// End the supervision.
        case end
    }

    /// How a process exited.
    package struct Exit: Sendable {
        /// Exit status, or 128 plus the number of the signal that terminated the process.
        package let status: Int32
        /// Whether the process was killed because it stopped sending heartbeats.
        package let wasHung: Bool
        /// Whether the exit was requested by `end`, `requestEnd`, or `restart`.
        package let isRequested: Bool
    }

    /// Starts the processes and is notified of their exits.
    package struct Handler: Sendable {
        /// Starts a process. Called on the supervising thread.
        package var start: @Sendable () -> Start
        /// Called on the supervising thread after a process has exited, for example to wait for its last output. `exited`
        /// is called afterward.
        package var drain: @Sendable () -> Void = {}
        /// Called on the supervising thread after a process has exited.
        ///
        /// - Returns: Whether to start the process again. The result is ignored if the exit was requested.
        package var exited: @Sendable (Exit) -> Bool
        /// Whether the process must currently send heartbeats. Called every second on another thread.
        package var expectsHeartbeat: @Sendable () -> Bool = { true }

        /// Creates a handler of a process that must always send heartbeats.
        package init(
            start: @escaping @Sendable () -> Start, exited: @escaping @Sendable (Exit) -> Bool
        ) {
            (self.start, self.exited) = (start, exited)
        }
    }

    private struct State {
        var child: ChildProcess?
        var watchdog: Watchdog?
        /// Number of calls of `wake`.
        var wakeUpCount = 0
        /// Whether the current process is ending because of `restart`.
        var isRestarting = false
        var isEnding = false
        var hasEnded = false
    }

    /// Maximum time for the handler to process the exit of a killed process.
    private static let killTimeout = Nanoseconds.seconds(2)

    private let policy: Policy
    private let state = ConditionLock(State())
    private let ending = Cancellation()
    private let clock = MonotonicClock()

    /// Starts supervising on a separate thread.
    ///
    /// - Parameters:
    ///   - name: Name of the supervising thread, at most 15 bytes.
    ///   - policy: How the process is restarted, monitored, and ended.
    ///   - handler: Starts the processes, and is notified of their exits.
    package init(thread name: String, _ policy: Policy, _ handler: Handler) {
        self.policy = policy
        MediaThread.startWhenPossible(name: name) { [self] in
            var backoff = policy.backoff
            while run(handler, &backoff) {}
            state.broadcast { $0.hasEnded = true }
        }
    }

    /// Records that a process is responsive. Heartbeats of earlier processes, which may be read late, are ignored.
    package func recordHeartbeat(of child: ChildProcess) {
        state.withLock { $0.child === child ? $0.watchdog : nil }?.recordHeartbeat()
    }

    /// Tries to start the process again if the last attempt returned no process.
    package func wake() { state.broadcast { $0.wakeUpCount += 1 } }

    /// Asks the current process to exit, and starts the next one without delay.
    package func restart() {
        let child = state.withLock { state in
            state.isRestarting = state.child != nil
            return state.child
        }
        if let child { requestExit(of: child) }
    }

    /// Ends the process and the supervision. Blocks the calling thread until the process has exited, at most for the policy's
    /// `exitTimeout` plus two seconds; don't call this method from a Swift task.
    package func end() {
        requestEnd()
        let limit = clock.now + policy.exitTimeout
        if state.wait(until: limit, { $0.hasEnded ? () : nil }) != nil { return }
        state.withLock(\.child)?.signal(SIGKILL)
        _ = state.wait(until: clock.now + Self.killTimeout) { $0.hasEnded ? () : nil }
    }

    /// Asks the process to exit and ends the supervision, without waiting.
    package func requestEnd() {
        let child = state.broadcast { state in
            state.isEnding = true
            return state.child
        }
        ending.cancel()
        if let child { requestExit(of: child) }
    }

    /// Waits until the supervision has ended. Blocks the calling thread.
    package func join() { state.wait { $0.hasEnded ? () : nil } }

    private func requestExit(of child: ChildProcess) {
        switch policy.exitRequest {
        case .signal(let number): child.signal(number)
        case .endOfInput: child.closeInput()
        }
    }

    /// Runs the process once.
    ///
    /// - Returns: Whether to run it again.
    private func run(_ handler: Handler, _ backoff: inout Backoff) -> Bool {
        let (wakeUpCount, hasToEnd) = state.withLock { ($0.wakeUpCount, $0.isEnding) }
        guard !hasToEnd else { return false }
        let began = clock.now
        let child: ChildProcess
        switch handler.start() {
        case .started(let started): child = started
        case .retry: return clock.sleep(until: clock.now + backoff.next(), unless: ending)
        case .idle: return state.wait { $0.isEnding ? false : $0.wakeUpCount != wakeUpCount ? true : nil }
        case .end: return false
        }
        let exited = Cancellation()
        let isHung = ConditionLock(false)
        let watchdog = policy.heartbeat.map { Watchdog(limit: $0.usual, first: $0.first) }
        watchdog?.monitor(unless: exited, isActive: handler.expectsHeartbeat) {
            isHung.withLock { $0 = true }
            child.signal(SIGKILL)
        }
        let mustExit = state.broadcast { state in
            (state.child, state.watchdog) = (child, watchdog)
            return state.isEnding
        }
        if mustExit { requestExit(of: child) }
        let status = child.wait()
        exited.cancel()
        // The process's ID may be used again from now on, so no signal may be sent to it.
        state.withLock { ($0.child, $0.watchdog) = (nil, nil) }
        handler.drain()
        let (isEnding, isRestarting) = state.withLock { state in
            defer { state.isRestarting = false }
            return (state.isEnding, state.isRestarting)
        }
        let isAgain = handler.exited(
            Exit(status: status, wasHung: isHung.withLock { $0 }, isRequested: isEnding || isRestarting))
        if isEnding { return false }
        if isRestarting { return true }
        guard isAgain else { return false }
        if clock.now - began > policy.minStableDuration { backoff.reset() }
        return clock.sleep(until: clock.now + backoff.next(), unless: ending)
    }
}

/// Watchdog that detects when a process has been silent for too long. Can be used from any thread.
final class Watchdog: Sendable {
    private struct State {
        /// Number of seconds since the last heartbeat.
        var silence: Int
        /// Number of seconds of silence that count as a hang.
        var limit: Int
    }

    private let state: ConditionLock<State>
    private let limit: Int

    /// Creates a watchdog that hasn't received a heartbeat yet.
    ///
    /// - Parameters:
    ///   - limit: Maximum time between two heartbeats, in seconds.
    ///   - first: Maximum time until the first heartbeat, in seconds.
    init(limit: Int, first: Int) {
        self.limit = limit
        state = ConditionLock(State(silence: 0, limit: first))
    }

    /// Records a heartbeat of the process.
    func recordHeartbeat() { state.withLock { $0 = State(silence: 0, limit: limit) } }

    /// Counts another second without a heartbeat.
    ///
    /// - Returns: Whether the process has been silent for too long.
    func countSilentSecond() -> Bool {
        state.withLock { state in
            state.silence += 1
            return state.silence >= state.limit
        }
    }

    /// Monitors the process on a separate thread. Counts only the seconds during which this process was running. If
    /// this process was stopped or the machine was asleep, nothing is known about the other process.
    ///
    /// - Parameters:
    ///   - ended: Ends the monitoring.
    ///   - isActive: Whether the process must currently send heartbeats.
    ///   - stopped: Called once when the silence is too long.
    func monitor(
        unless ended: Cancellation, isActive: @escaping @Sendable () -> Bool = { true },
        _ stopped: @escaping @Sendable () -> Void
    ) {
        MediaThread.startWhenPossible(name: "watchdog") { [self] in
            let clock = MonotonicClock()
            while clock.sleep(until: clock.now + .seconds(1), unless: ended) {
                if !isActive() {
                    recordHeartbeat()
                } else if countSilentSecond() {
                    return stopped()
                }
            }
        }
    }
}
