import Media

/// The one thread of a synthetic or file device: started, told when the recording begins, ended and joined.
final class SourceThread: Sendable {
    private struct State {
        var running: (thread: MediaThread, cancellation: Cancellation)?
        var recordingStart: ClockTime?
        var leeway = Nanoseconds.zero
        var usedBefore = Nanoseconds.zero
        var usedNow = Nanoseconds.zero
    }

    let name: String
    private let monitor = ConditionLock(State())

    /// Prepares the thread without starting it.
    ///
    /// - Parameter name: Name of the thread; at most 15 bytes reach the kernel.
    init(name: String) {
        self.name = name
    }

    /// T0, the recording's first instant, once it is known.
    var recordingStart: ClockTime? { monitor.withLock { $0.recordingStart } }

    /// Sets T0. Only the first call until `stop` counts: a scripted fault happens once.
    func recordingBegins(at start: ClockTime) {
        monitor.withLock { if $0.recordingStart == nil { $0.recordingStart = start } }
    }

    /// How much later than declared frames may be delivered.
    var leeway: Nanoseconds {
        get { monitor.withLock { $0.leeway } }
        set { monitor.withLock { $0.leeway = newValue } }
    }

    /// Starts the thread. It ends when `body` returns, which must be soon after the cancellation is given.
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

    /// Ends the thread and waits for its end. Must not be called from the thread itself; in simulated time, other
    /// threads must be able to sleep.
    func stop() {
        guard let running = monitor.withLock({ $0.running }) else { return }
        running.cancellation.cancel()
        running.thread.join()
        monitor.withLock { state in
            state.running = nil
            state.recordingStart = nil
            state.leeway = .zero
            state.usedBefore = state.usedBefore + state.usedNow
            state.usedNow = .zero
        }
    }

    /// Records the processor time that the calling thread has used so far. The thread calls it now and then.
    func noteProcessorTime() {
        let used = MediaThread.cpuTimeOfCurrentThread
        monitor.withLock { $0.usedNow = used }
    }

    /// Processor time of all threads that this value has started.
    var processorTime: Nanoseconds { monitor.withLock { $0.usedBefore + $0.usedNow } }
}
