/// Follows the orientation of the computer, by its accelerometer or by any other source that a program has.
public protocol OrientationTracker: Sendable {
    /// The orientation now. After a failure of the sensor this stays the last known one; observers are told of the failure.
    var turn: MachineTurn { get }

    /// Calls `observer` with the present orientation before this returns, and then with each new one.
    ///
    /// - Parameter observer: Called on the tracker's thread, one call at a time: it must neither wait nor call the tracker.
    /// - Returns: The observation. It ends with `end()`, or when nobody holds it any more.
    func observe(_ observer: @escaping @Sendable (MachineTurn) -> Void) -> TurnObservation
}

/// An observer's registration with an orientation tracker; releasing it ends the observation.
public final class TurnObservation: Sendable {
    private let stop: @Sendable () -> Void

    /// Makes a registration that calls `stop` when it ends.
    ///
    /// - Parameter stop: Ends the observation; called once or several times, on any thread.
    public init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }

    /// Ends the observation. A call of the observer that is under way may still finish; no other follows.
    public func end() { stop() }
}
