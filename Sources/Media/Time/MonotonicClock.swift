public import FoundationEssentials
import Glibc

/// The session clock in real time: `CLOCK_MONOTONIC`.
public struct MonotonicClock: SessionClock {
    private let wallClockOffset: Int64

    /// Makes the clock, and reads once how far the wall clock (`CLOCK_REALTIME`) is from `CLOCK_MONOTONIC`.
    public init() {
        wallClockOffset = Self.read(CLOCK_REALTIME) - Self.read(CLOCK_MONOTONIC)
    }

    /// The present instant of `CLOCK_MONOTONIC`.
    public var now: ClockTime { ClockTime(nanoseconds: Self.read(CLOCK_MONOTONIC)) }

    /// The wall-clock date of an instant, by the offset read when this clock was made: later changes of the wall clock do
    /// not show.
    public func date(of instant: ClockTime) -> Date {
        Date(timeIntervalSince1970: Double(instant.nanoseconds + wallClockOffset) / 1e9)
    }

    /// Always `true`: time passes by itself.
    public var isRealTime: Bool { true }

    /// Sleeps until `deadline` on `CLOCK_MONOTONIC`, or until cancelled. Works on any thread; not in a Swift task.
    ///
    /// - Parameters:
    ///   - deadline: The instant to wake at; the call returns at once where it has passed.
    ///   - cancellation: Ends the sleep early.
    /// - Returns: Whether the deadline was reached; `false` when `cancellation` was given first.
    @discardableResult
    public func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        cancellation.wait(until: deadline) == false
    }

    /// Starts a thread of urgency `punctual`, which the kernel prefers over threads that only compute.
    public func startThread(named name: String, _ body: sending @escaping () -> Void) -> MediaThread {
        MediaThread(name: name, urgency: .punctual, body)
    }

    /// Does nothing: real time does not stop.
    public func hold() {}
    /// Does nothing: real time does not stop.
    public func release() {}

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Nanoseconds(time).count
    }
}
