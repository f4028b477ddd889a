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
        /// Ends the current thread; `nil` if the thread isn't started.
        var cancellation: Cancellation?
        var thread: MediaThread?
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
    ///   - make: Called on the thread, at the end of each interval, with the number of the interval, starting at 0,
    ///     and the start time of the interval, which is the capture time of the frame or slice.
    /// - Throws: `DeviceError` if the thread is already running, if the interval isn't positive, or if the system can't create
    ///   a thread.
    public func start(
        on clock: any SessionClock, every interval: Nanoseconds,
        _ make: @escaping @Sendable (_ number: Int64, _ time: ClockTime) -> Void
    ) throws(DeviceError) {
        guard interval > .zero else {
            throw DeviceError(
                device: name, operation: "starting",
                explanation: "the interval between two frames must be greater than zero.")
        }
        let (begin, cancellation) = (clock.now, Cancellation())
        let isFirst = state.withLock { state in
            guard state.cancellation == nil else { return false }
            state.cancellation = cancellation
            return true
        }
        guard isFirst else { throw .alreadyStarted(name) }
        do throws(ThreadError) {
            let thread = try clock.startThread(named: name) {
                var number: Int64 = 0
                while clock.sleep(until: begin + interval * (number + 1), unless: cancellation) {
                    make(number, begin + interval * number)
                    number += 1
                }
            }
            state.withLock { if $0.cancellation === cancellation { $0.thread = thread } }
        } catch {
            state.withLock { if $0.cancellation === cancellation { $0 = State() } }
            throw DeviceError(device: name, operation: "starting", error)
        }
    }

    /// Ends the thread, and returns after the last call of `make`. Don't call this from `make`.
    public func stop() {
        let running = state.withLock { state in
            defer { state = State() }
            return state
        }
        running.cancellation?.cancel()
        running.thread?.join()
    }
}
