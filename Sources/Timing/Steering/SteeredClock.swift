public import FoundationEssentials
public import Media

/// A session clock that runs as the time of a group of computers does, while a recording of the group runs; at all other times as the clock
/// that it steers. Safe to use from any thread.
public final class SteeredClock: SessionClock {
    private let base: any SessionClock
    /// A turn is made at the present, which is read under the lock: one at an earlier instant would undo what was read since.
    private let steering = ConditionLock(ClockSteering())

    /// Makes a clock that is not steered yet.
    ///
    /// - Parameter base: The clock to steer, by which devices stamp.
    public init(_ base: any SessionClock = MonotonicClock()) { self.base = base }

    /// The present instant.
    public var now: ClockTime { time(stamped: base.now) }

    /// The wall-clock date of an instant, by the clock that is steered. In a recording dates count from that of T0 by this clock, as samples
    /// and frames do.
    public func date(of instant: ClockTime) -> Date {
        base.date(of: steering.withLock { $0.dated(instant) })
    }

    /// Whether time passes by itself.
    public var isRealTime: Bool { base.isRealTime }

    /// Sleeps until `deadline`, or until cancelled. A turn of the clock meanwhile does not count: it moves a deadline that is a second away
    /// by some microseconds.
    ///
    /// - Parameters:
    ///   - deadline: The instant to wake at.
    ///   - cancellation: Ends the sleep early.
    /// - Returns: Whether the deadline was reached.
    @discardableResult
    public func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        base.sleep(until: stamp(of: deadline), unless: cancellation)
    }

    /// Starts a thread of the clock that is steered.
    public func startThread(named name: String, _ body: sending @escaping () -> Void) -> MediaThread {
        base.startThread(named: name, body)
    }

    /// Holds the clock that is steered.
    public func hold() { base.hold() }
    /// Releases the clock that is steered.
    public func release() { base.release() }

    /// The clock that is steered.
    public var stampClock: any SessionClock { base }

    /// An instant of the clock that is steered on this one.
    public func time(stamped stamp: ClockTime) -> ClockTime {
        steering.withLock { $0.time(stamped: stamp) }
    }

    /// An instant of this clock on the one that is steered.
    public func stamp(of time: ClockTime) -> ClockTime { steering.withLock { $0.stamp(of: time) } }

    /// How fast this clock runs against the one that is steered, in parts per million.
    public var partsPerMillion: Double {
        steering.withLock { $0.partsPerMillion(at: base.now) }
    }

    /// What the steering of the recording has come to; `nil` while none is steered.
    public var summary: ClockSteering.Summary? { steering.withLock(\.summary) }

    /// Begins the steering of a recording, as `ClockSteering.begin` does.
    ///
    /// - Parameters:
    ///   - stamp: T0 on the clock that is steered, as it was named; it may have passed.
    ///   - utc: T0 by the group's time, in nanoseconds since 1970.
    /// - Returns: T0 on this clock.
    public func begin(at stamp: ClockTime, utc: Int64) -> ClockTime {
        steering.withLock { $0.begin(at: stamp, utc: utc, now: base.now) }
    }

    /// Ends the steering of a recording, if there is one.
    public func end() {
        steering.withLock { $0.end(now: base.now) }
    }

    /// Takes a measurement of the group's time.
    ///
    /// - Parameter measurement: The measurement, at most ten seconds old.
    /// - Throws: `ClockRefusal` when it cannot be.
    public func take(_ measurement: ClockMeasurement) throws(ClockRefusal) {
        let refusal = steering.withLock { steering -> ClockRefusal? in
            do throws(ClockRefusal) {
                try steering.take(measurement, now: base.now)
                return nil
            } catch {
                return error
            }
        }
        if let refusal { throw refusal }
    }

    /// The group's time at an instant of this clock, in nanoseconds since 1970; `nil` while no recording of a group runs.
    public func utc(of time: ClockTime) -> Int64? { steering.withLock { $0.utc(of: time) } }
}
