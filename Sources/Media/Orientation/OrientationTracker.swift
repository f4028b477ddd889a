/// Follows how the computer is turned: its accelerometer, or whatever else a program knows it from.
public protocol OrientationTracker: Sendable {
    /// How it is held now. After a failure the last turn that was known counts on; who observes hears of the failure.
    var turn: MachineTurn { get }

    /// Calls `observer` with the turn as it is now, before this returns, and then with each that is another.
    ///
    /// - Parameter observer: Called on the tracker's thread, one call at a time: it must neither wait nor call the tracker.
    /// - Returns: Ends it, at the latest when nobody holds it any more.
    func observe(_ observer: @escaping @Sendable (MachineTurn) -> Void) -> TurnObservation
}

/// Somebody listens to a tracker for as long as this is held.
public final class TurnObservation: Sendable {
    private let stop: @Sendable () -> Void

    /// - Parameter stop: Ends it; called once or several times, on any thread.
    public init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }

    /// After this at most a call that is under way is finished.
    public func end() { stop() }
}
