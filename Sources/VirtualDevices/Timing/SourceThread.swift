import Media

/// The one thread of a synthetic device: started, told when the recording begins, ended and joined.
final class SourceThread: Sendable {
    private struct State {
        var running: (thread: MediaThread, cancellation: Cancellation)?
        var recordingStart: ClockTime?
        var usedBefore = Nanoseconds.zero
        var usedNow = Nanoseconds.zero
    }

    let name: String
    private let monitor = ConditionLock(State())

    /// - Parameter name: At most 15 bytes reach the kernel.
    init(name: String) {
        self.name = name
    }

    /// The recording's first instant, once it is known.
    var recordingStart: ClockTime? { monitor.withLock { $0.recordingStart } }

    /// Of several recordings the first counts: what is to happen to a device happens once.
    func recordingBegins(at start: ClockTime) {
        monitor.withLock { if $0.recordingStart == nil { $0.recordingStart = start } }
    }

    /// Starts the thread. It ends when `body` returns, which it does soon after the cancellation is given.
    func start(on clock: any SessionClock, _ body: @escaping @Sendable (Cancellation) -> Void) {
        let cancellation = Cancellation()
        let thread = clock.startThread(named: name) {
            body(cancellation)
            self.noteProcessorTime()
        }
        let wasRunning = monitor.withLock { state in
            defer { state.running = (thread, cancellation) }
            return state.running != nil
        }
        precondition(!wasRunning, "a device is started once before it is stopped")
    }

    /// Ends the thread and waits for its end. Not from the thread itself; in simulated time, while others can sleep.
    func stop() {
        guard let running = monitor.withLock({ $0.running }) else { return }
        running.cancellation.cancel()
        running.thread.join()
        monitor.withLock { state in
            state.running = nil
            state.recordingStart = nil
            state.usedBefore = state.usedBefore + state.usedNow
            state.usedNow = .zero
        }
    }

    /// Called by the thread now and then: what it has used so far.
    func noteProcessorTime() {
        let used = MediaThread.cpuTimeOfCurrentThread
        monitor.withLock { $0.usedNow = used }
    }

    /// Of all threads so far.
    var processorTime: Nanoseconds { monitor.withLock { $0.usedBefore + $0.usedNow } }
}
