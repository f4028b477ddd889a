public import FoundationEssentials
import Glibc

/// The clock of a session. The clock provides the time and lets threads sleep until an instant.
///
/// All code that makes decisions or delivers data based on time uses the session clock. An entire recording
/// can therefore run on `SimulatedClock`, reproducibly and as fast as the machine allows.
public protocol SessionClock: Sendable {
    /// Current instant on the session clock.
    var now: ClockTime { get }

    /// Returns the wall-clock date of an instant. The offset between the wall clock and the session clock is
    /// read only once, when the session clock is created, so dates never jump.
    func date(of instant: ClockTime) -> Date
}

/// A session clock on which threads sleep. The session and the sources of this package use these features.
package protocol SteppingClock: SessionClock {
    /// Whether time passes on its own, unlike on a simulated clock. If time doesn't pass on its own, writers
    /// wait for space in a full queue instead of dropping elements.
    var isRealTime: Bool { get }

    /// Sleeps until `deadline` or until `cancellation` is canceled. Call this method only on a thread started
    /// by `startThread`.
    ///
    /// - Returns: Whether the deadline was reached; `false` if `cancellation` was canceled first.
    @discardableResult
    func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool

    /// Starts a thread that may sleep on this clock. On a real-time clock, this thread has priority over
    /// threads that only compute.
    ///
    /// - Throws: `ThreadError` if the system can't create a thread.
    func startThread(
        named name: String, _ body: sending @escaping () -> Void
    ) throws(ThreadError) -> MediaThread

    /// Stops the clock while threads are being set up, so that all of them start at the same instant. A
    /// real-time clock doesn't stop.
    func hold()

    /// Ends the effect of one call of `hold()`. The clock continues when all holds have ended.
    func release()

    /// Clock for device timestamps: this clock itself, or the clock on which a steered clock is based.
    /// Devices are started on the clock for timestamps.
    var stampClock: any SessionClock { get }

    /// Converts an instant of `stampClock` to this clock.
    func time(stamped stamp: ClockTime) -> ClockTime

    /// Converts an instant of this clock to `stampClock`.
    func stamp(of time: ClockTime) -> ClockTime

    /// Current rate of this clock relative to `stampClock`, in parts per million; negative if this clock is
    /// slower.
    var partsPerMillion: Double { get }
}

extension SteppingClock {
    /// This clock itself, because it isn't a steered clock.
    package var stampClock: any SessionClock { self }
    /// Returns the same instant, because this clock isn't a steered clock.
    package func time(stamped stamp: ClockTime) -> ClockTime { stamp }
    /// Returns the same instant, because this clock isn't a steered clock.
    package func stamp(of time: ClockTime) -> ClockTime { time }
    /// Always zero, because this clock isn't a steered clock.
    package var partsPerMillion: Double { 0 }
}

extension SessionClock {
    /// This clock with all features. A clock of an application, which only tells the time, can't wake threads, so that
    /// they sleep on `CLOCK_MONOTONIC`.
    private var stepping: any SteppingClock { self as? any SteppingClock ?? MonotonicClock() }

    /// See `SteppingClock`.
    package var isRealTime: Bool { stepping.isRealTime }
    /// See `SteppingClock`.
    @discardableResult
    package func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        stepping.sleep(until: deadline, unless: cancellation)
    }
    /// See `SteppingClock`.
    package func startThread(
        named name: String, _ body: sending @escaping () -> Void
    ) throws(ThreadError) -> MediaThread {
        try stepping.startThread(named: name, body)
    }
    /// See `SteppingClock`.
    package func hold() { stepping.hold() }
    /// See `SteppingClock`.
    package func release() { stepping.release() }
    /// See `SteppingClock`.
    package var stampClock: any SessionClock { stepping.stampClock }
    /// See `SteppingClock`.
    package func time(stamped stamp: ClockTime) -> ClockTime { stepping.time(stamped: stamp) }
    /// See `SteppingClock`.
    package func stamp(of time: ClockTime) -> ClockTime { stepping.stamp(of: time) }
    /// See `SteppingClock`.
    package var partsPerMillion: Double { stepping.partsPerMillion }

    /// Starts a thread that may sleep on this clock, as soon as the system can create a thread. Use this
    /// method for periodic readings that may start late.
    package func startThreadWhenPossible(named name: String, _ body: @escaping @Sendable () -> Void) {
        do throws(ThreadError) {
            _ = try startThread(named: name, body)
        } catch {
            // A simulated clock can wake only the threads that the clock itself started. Simulated clocks
            // have only a few threads and are used only in tests.
            guard isRealTime else { return }
            MediaThread.startWhenPossible(name: name, urgency: .timeCritical, body)
        }
    }
}

/// The real-time session clock: `CLOCK_MONOTONIC`.
public struct MonotonicClock: SteppingClock {
    /// Wall-clock date of instant 0 on this clock.
    private let epoch: Date

    /// Creates the clock and reads the offset of the wall clock (`CLOCK_REALTIME`) from `CLOCK_MONOTONIC`
    /// once.
    public init() {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        self.init(wallClock: wall, at: ClockTime(nanoseconds: Self.readMonotonic()))
    }

    /// Creates a clock whose wall-clock time at an instant is `wall`. The wall clock may be set to any date,
    /// even beyond 2262, where nanoseconds since 1970 exceed 64 bits.
    init(wallClock wall: timespec, at instant: ClockTime) {
        epoch = Date(
            timeIntervalSince1970: Double(wall.tv_sec)
                + Double(Int64(wall.tv_nsec) - instant.nanoseconds) / 1e9)
    }

    /// Current instant on `CLOCK_MONOTONIC`.
    public var now: ClockTime { ClockTime(nanoseconds: Self.readMonotonic()) }

    /// Returns the wall-clock date of an instant, using the offset read when this clock was created. Later
    /// changes to the wall clock are ignored.
    public func date(of instant: ClockTime) -> Date {
        epoch.addingTimeInterval(Double(instant.nanoseconds) / 1e9)
    }

    /// Always `true`, because time passes on its own.
    package var isRealTime: Bool { true }

    /// Sleeps until `deadline` on `CLOCK_MONOTONIC`, or until `cancellation` is canceled. This method can be
    /// called from any thread, but not from a Swift task.
    ///
    /// - Parameters:
    ///   - deadline: The instant at which the sleep ends; the call returns immediately if this instant has
    ///     passed.
    ///   - cancellation: A cancellation that ends the sleep early.
    /// - Returns: Whether the deadline was reached; `false` if `cancellation` was canceled first.
    @discardableResult
    package func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        cancellation.wait(until: deadline) == false
    }

    /// Starts a thread with urgency `timeCritical`, which the kernel prefers over threads that only compute.
    package func startThread(
        named name: String, _ body: sending @escaping () -> Void
    ) throws(ThreadError) -> MediaThread {
        try MediaThread(name: name, urgency: .timeCritical, body)
    }

    /// Does nothing, because a real-time clock can't stop.
    package func hold() {}
    /// Does nothing, because a real-time clock can't stop.
    package func release() {}

    private static func readMonotonic() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Nanoseconds(time).count
    }
}
