import MulticamMedia

/// The thread of a synthetic or file-backed device. The thread is started, notified when the recording begins, stopped,
/// and joined.
final class SourceThread: Sendable {
    private struct State {
        /// Whether the device was started and not stopped since then.
        var isStarted = false
        var running: (thread: MediaThread, cancellation: Cancellation)?
        var recordingStart: ClockTime?
        var leeway = Nanoseconds.zero
        var usedBefore = Nanoseconds.zero
        var usedNow = Nanoseconds.zero
    }

    let name: String
    private let monitor = ConditionLock(State())

    /// Creates the object without starting the thread.
    ///
    /// - Parameter name: Name of the thread, of which the kernel stores at most 15 bytes.
    init(name: String) {
        self.name = name
    }

    /// T0, the start of the recording; `nil` until T0 is known.
    var recordingStart: ClockTime? { monitor.withLock { $0.recordingStart } }

    /// Sets T0. Only the first call before `stop` has an effect, so that a scripted fault happens only once.
    func setRecordingStart(_ start: ClockTime) {
        monitor.withLock { if $0.recordingStart == nil { $0.recordingStart = start } }
    }

    /// Maximum additional delay of frame delivery.
    var leeway: Nanoseconds {
        get { monitor.withLock { $0.leeway } }
        set { monitor.withLock { $0.leeway = newValue } }
    }

    /// Starts the thread. The thread ends when `body` returns. After a cancellation, `body` must return soon.
    ///
    /// - Throws: `DeviceError` if the device is already running, or if the system can't create a thread.
    func start(
        on clock: any SessionClock, _ body: @escaping @Sendable (Cancellation) -> Void
    ) throws(DeviceError) {
        let wasStarted = monitor.withLock { state in
            defer { state.isStarted = true }
            return state.isStarted
        }
        if wasStarted { throw .alreadyStarted(name) }
        let cancellation = Cancellation()
        let thread: MediaThread
        do throws(ThreadError) {
            thread = try clock.startThread(named: name) {
                body(cancellation)
                self.recordProcessorTime()
            }
        } catch {
            monitor.withLock { $0.isStarted = false }
            throw DeviceError(device: name, operation: "starting", error)
        }
        monitor.withLock { $0.running = (thread, cancellation) }
    }

    /// Stops the thread and waits until it has ended. This method must not be called from the thread itself.
    /// In simulated time, other threads must be able to sleep while this method waits.
    func stop() {
        guard let running = monitor.withLock({ $0.running }) else { return }
        running.cancellation.cancel()
        running.thread.join()
        monitor.withLock { state in
            (state.running, state.isStarted) = (nil, false)
            state.recordingStart = nil
            state.leeway = .zero
            state.usedBefore = state.usedBefore + state.usedNow
            state.usedNow = .zero
        }
    }

    /// Records the CPU time of the calling thread. The device's thread calls this method periodically.
    func recordProcessorTime() {
        let used = MediaThread.cpuTimeOfCurrentThread
        monitor.withLock { $0.usedNow = used }
    }

    /// CPU time of all threads that this object has started.
    var processorTime: Nanoseconds { monitor.withLock { $0.usedBefore + $0.usedNow } }
}
