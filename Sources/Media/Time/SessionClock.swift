public import Foundation

/// The one clock of a session: tells the time and puts threads to sleep until a time.
///
/// Whatever decides or delivers by time takes it from here, so that a whole recording can run on `SimulatedClock`,
/// where it is repeatable and as fast as the machine allows.
public protocol SessionClock: Sendable {
    var now: ClockTime { get }

    /// The wall-clock date of an instant: read once when the clock was made, so that it never jumps.
    func date(of instant: ClockTime) -> Date

    /// Whether time passes by itself. Where it does not, queues wait for room instead of shedding.
    var isRealTime: Bool { get }

    /// Sleeps until `deadline` or until cancelled. Only on a thread that `startThread` started.
    ///
    /// - Returns: Whether the deadline was reached; `false` when `cancellation` was given first.
    @discardableResult
    func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool

    /// Starts a thread that may sleep on this clock. In real time it goes before what only computes.
    func startThread(named name: String, _ body: sending @escaping () -> Void) -> MediaThread

    /// Holds time still while threads are being set up, so that all begin at one instant. Real time does not stop.
    func hold()

    /// Ends one `hold()`.
    func release()
}
