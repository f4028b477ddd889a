package import Media

/// Finds frames that are missing though nobody tells: a camera that stood still for a while, as with a suspended
/// machine, and then counts on as if nothing had been.
///
/// No frames arrive for a while, then they go on counting, and the clock model finds that they lie later by about as
/// much. Either alone is a host that was busy, or a clock that jumped. A value, fed with each frame.
package struct UntoldSilence {

    package init() {
    }
    private struct Suspicion {
        let length: Nanoseconds
        let since: ClockTime
        let moved: Nanoseconds
    }

    /// Shorter ones are a busy host's.
    private static let shortest = Nanoseconds.milliseconds(200)
    /// By then the clock model has left its line, if it does.
    private static let patience = Nanoseconds.seconds(3)

    private var last: (sequence: Int64, arrival: ClockTime)?
    private var suspicion: Suspicion?

    /// - Parameters:
    ///   - sequence: The frame's.
    ///   - arrival: When it came.
    ///   - clock: What is known with it.
    /// - Returns: How many frames are missing and since when, once that is found; the count is above 0.
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
