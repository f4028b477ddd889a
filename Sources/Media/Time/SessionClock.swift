public import FoundationEssentials

/// The one clock of a session: it tells the time and puts threads to sleep until a time.
///
/// Everything that decides or delivers by time uses it, so that a whole recording can run on `SimulatedClock`, where it is
/// repeatable and as fast as the machine allows.
public protocol SessionClock: Sendable {
    /// The present instant on the session clock.
    var now: ClockTime { get }

    /// The wall-clock date of an instant. The offset is read once, when the clock is made, so dates never jump.
    func date(of instant: ClockTime) -> Date

    /// Whether time passes by itself. On a clock where it does not, queues wait for room instead of dropping.
    var isRealTime: Bool { get }

    /// Sleeps until `deadline` or until cancelled. Call it only on a thread that `startThread` started.
    ///
    /// - Returns: Whether the deadline was reached; `false` when `cancellation` was given first.
    @discardableResult
    func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool

    /// Starts a thread that may sleep on this clock. In real time it has priority over threads that only compute.
    func startThread(named name: String, _ body: sending @escaping () -> Void) -> MediaThread

    /// Holds time still while threads are being set up, so that all of them begin at one instant. Real time does not stop.
    func hold()

    /// Ends one `hold()`; time goes on when every hold is released.
    func release()

    /// The clock of the time stamps that devices give: this one, or the one that it steers. Devices are started on it.
    var stampClock: any SessionClock { get }

    /// An instant of `stampClock` on this clock.
    func time(stamped stamp: ClockTime) -> ClockTime

    /// An instant of this clock on `stampClock`.
    func stamp(of time: ClockTime) -> ClockTime

    /// How fast this clock runs against `stampClock` now, in parts per million; negative when it is slower.
    var partsPerMillion: Double { get }
}

extension SessionClock {
    /// This clock: it is not steered.
    public var stampClock: any SessionClock { self }
    /// The same instant: the clock is not steered.
    public func time(stamped stamp: ClockTime) -> ClockTime { stamp }
    /// The same instant: the clock is not steered.
    public func stamp(of time: ClockTime) -> ClockTime { time }
    /// Zero: the clock is not steered.
    public var partsPerMillion: Double { 0 }
}
