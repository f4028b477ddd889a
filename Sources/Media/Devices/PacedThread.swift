/// A thread that produces the frames or audio of a source that the application computes.
///
/// A frame is delivered at the end of its interval, so the source's `deliveryDelay` must be at least the interval plus the
/// time for computing the frame.
///
/// ```swift
/// func start(
///     on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
/// ) throws(DeviceError) {
///     try thread.start(on: clock, every: format.rate.interval) { [self] number, time in
///         receive(.frame(frame(number, capturedAt: time)))
///     }
/// }
///
/// func stop() { thread.stop() }
/// ```
public final class PacedThread: Sendable {
    private struct State {
        var isStarted = false
        var running: (thread: MediaThread, cancellation: Cancellation)?
    }

    private let name: String
    private let state = ConditionLock(State())

    /// Creates a thread that isn't started.
    ///
    /// - Parameter name: Name of the source for errors and for the list of threads; at most 15 characters of it are shown.
    public init(named name: String = "source") { self.name = name }

    /// Calls `make` once per interval on the session's clock, until `stop`.
    ///
    /// - Parameters:
    ///   - clock: The clock that the session passes to the source.
    ///   - interval: Interval between two calls; must be positive.
    ///   - make: Called on the thread, at the end of each interval, with the number of the interval, beginning with 0,
    ///     and the time at which it began. That is the capture time of the frame or slice.
    /// - Throws: `DeviceError` if the thread is already running, or if the system can't create a thread.
    public func start(
        on clock: any SessionClock, every interval: Nanoseconds,
        _ make: @escaping @Sendable (_ number: Int64, _ time: ClockTime) -> Void
    ) throws(DeviceError) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { throw .alreadyStarted(name) }
        let (begin, cancellation) = (clock.now, Cancellation())
        do throws(ThreadError) {
            let thread = try clock.startThread(named: name) {
                var number: Int64 = 0
                while clock.sleep(until: begin + interval * (number + 1), unless: cancellation) {
                    make(number, begin + interval * number)
                    number += 1
                }
            }
            state.withLock { $0.running = (thread, cancellation) }
        } catch {
            state.withLock { $0.isStarted = false }
            throw DeviceError(device: name, operation: "starting", error)
        }
    }

    /// Ends the thread, and returns after the last call of `make`. Don't call this from `make`.
    public func stop() {
        guard let running = state.withLock({ $0.running }) else { return }
        running.cancellation.cancel()
        running.thread.join()
        state.withLock { $0 = State() }
    }
}
