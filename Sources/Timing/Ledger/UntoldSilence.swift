package import Media

/// The detector of missing frames that nobody reports: a camera stands still for a while, as with a suspended machine, and
/// then counts on as if nothing had been.
///
/// No frames arrive for a while, then they go on counting, and the clock model finds that they lie later by about as
/// much. Either alone is a host that was busy, or a clock that jumped. A value, fed with each frame.
package struct UntoldSilence {

    /// Creates a detector that has seen no frame.
    package init() {}

    private struct Suspicion {
        let length: Nanoseconds
        let since: ClockTime
        let moved: Nanoseconds
    }

    /// The shortest silence that is examined; shorter ones come from a busy host.
    private static let shortest = Nanoseconds.milliseconds(200)
    /// The time within which the clock model leaves its line, if it does.
    private static let patience = Nanoseconds.seconds(3)

    private var last: (sequence: Int64, arrival: ClockTime)?
    private var suspicion: Suspicion?

    /// Takes the next frame.
    ///
    /// - Parameters:
    ///   - sequence: The frame's number, as the camera counts.
    ///   - arrival: When the frame arrived, on `CLOCK_MONOTONIC`.
    ///   - clock: The clock model with this frame.
    /// - Returns: The number of missing frames, above 0, and the time since which they are missing, once that is found.
    package mutating func frameCame(
        _ sequence: Int64, at arrival: ClockTime, clock: ClockReading
    ) -> (count: Int, since: ClockTime)? {
        if let last, sequence == last.sequence + 1, arrival - last.arrival >= Self.shortest + clock.interval {
            suspicion = Suspicion(
                length: arrival - last.arrival - clock.interval, since: last.arrival, moved: clock.moved)
        }
        last = (sequence, arrival)
        guard let suspected = suspicion else { return nil }
        if arrival - suspected.since > suspected.length + Self.patience { suspicion = nil }
        let moved = clock.moved - suspected.moved
        guard moved * 2 > suspected.length else { return nil }
        suspicion = nil
        let count = min(moved, suspected.length).inSeconds / clock.interval.inSeconds
        return count >= 0.5 ? (Int(rounding: count), suspected.since) : nil
    }
}
