package import FoundationEssentials
package import MulticamMedia

/// A session clock that follows the common time of a group of computers during a group recording. At all
/// other times, the session clock follows its base clock. All methods are thread-safe.
package final class SteeredClock: SteppingClock {
    private let base: any SessionClock
    /// A rate change takes effect at the current time, which is read while the lock is held. A rate change at
    /// an earlier time would invalidate times that were already read.
    private let steering = ConditionLock(ClockSteering())

    /// Creates a clock that isn't steered yet.
    ///
    /// - Parameter base: The clock on which the steered clock is based. Device timestamps use the base clock.
    package init(_ base: any SessionClock = MonotonicClock()) { self.base = base }

    /// The current time on the steered clock.
    package var now: ClockTime { time(stamped: base.now) }

    /// Returns the wall-clock date of a time, using the base clock. During a recording, dates are computed
    /// from the time since T0 on the steered clock, like the times of samples and frames.
    package func date(of instant: ClockTime) -> Date {
        base.date(of: steering.withLock { $0.wallClockStamp(of: instant) })
    }

    /// Whether the base clock advances in real time.
    package var isRealTime: Bool { base.isRealTime }

    /// Sleeps until `deadline`, or until `cancellation` is canceled. Rate changes during the sleep are
    /// ignored, because they shift a deadline that is 1 s ahead by only a few microseconds.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the sleep ends.
    ///   - cancellation: A cancellation that ends the sleep early.
    /// - Returns: Whether the deadline was reached.
    @discardableResult
    package func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        base.sleep(until: stamp(of: deadline), unless: cancellation)
    }

    /// Starts a thread that may sleep on this clock, using the base clock.
    package func startThread(
        named name: String, _ body: sending @escaping () -> Void
    ) throws(ThreadError) -> MediaThread {
        try base.startThread(named: name, body)
    }

    /// Holds the base clock, so that simulated time doesn't advance.
    package func hold() { base.hold() }
    /// Ends one hold of the base clock.
    package func release() { base.release() }

    /// The base clock, which this clock follows outside of group recordings.
    package var stampClock: any SessionClock { base }

    /// Converts a time on the base clock to the steered clock.
    package func time(stamped stamp: ClockTime) -> ClockTime {
        steering.withLock { $0.time(stamped: stamp) }
    }

    /// Converts a time on the steered clock to the base clock.
    package func stamp(of time: ClockTime) -> ClockTime { steering.withLock { $0.stamp(of: time) } }

    /// Rate deviation of the steered clock from the base clock, in parts per million.
    package var partsPerMillion: Double {
        steering.withLock { $0.partsPerMillion(at: base.now) }
    }

    /// Steering statistics of the current recording; `nil` if no group recording is active.
    package var summary: ClockSteering.Summary? { steering.withLock(\.summary) }

    /// Starts steering the clock for a recording (see `ClockSteering.begin`).
    ///
    /// - Parameters:
    ///   - stamp: The given T0 on the base clock, which may be in the past.
    ///   - utc: T0 in group time, in nanoseconds since 1970.
    /// - Returns: T0 on the steered clock.
    package func begin(at stamp: ClockTime, utc: Int64) -> ClockTime {
        steering.withLock { $0.begin(at: stamp, utc: utc, now: base.now) }
    }

    /// Ends steering if the clock is currently being steered for a recording.
    package func end() {
        steering.withLock { $0.end(now: base.now) }
    }

    /// Processes a measurement of the group time.
    ///
    /// - Parameter measurement: The measurement of the group time, at most 10 s old.
    /// - Throws: `ClockMeasurementError` if the measurement is implausible.
    package func update(with measurement: ClockMeasurement) throws(ClockMeasurementError) {
        let refusal = steering.withLock { steering -> ClockMeasurementError? in
            do throws(ClockMeasurementError) {
                try steering.update(with: measurement, now: base.now)
                return nil
            } catch {
                return error
            }
        }
        if let refusal { throw refusal }
    }

    /// Converts a time on the steered clock to the group time, in nanoseconds since 1970; `nil` while no
    /// group recording is active.
    package func utc(of time: ClockTime) -> Int64? { steering.withLock { $0.utc(of: time) } }
}

/// Maps `CLOCK_MONOTONIC` to the time on the session clock. The mapping is continuous, strictly increasing,
/// and piecewise linear.
struct SteeredLine: Sendable {
    private struct Piece {
        /// Start of the linear piece, on `CLOCK_MONOTONIC` and on the session clock.
        let stamp: ClockTime
        let time: ClockTime
        /// Rate deviation of the session clock in this piece, in parts per million.
        var ppm: Double

        func time(stamped other: ClockTime) -> ClockTime {
            let passed = other - stamp
            return time + passed + Nanoseconds(Int64(rounding: Double(passed.count) * ppm * 1e-6))
        }

        func stamp(of other: ClockTime) -> ClockTime {
            let passed = other - time
            let share = ppm * 1e-6 / (1 + ppm * 1e-6)
            return stamp + passed - Nanoseconds(Int64(rounding: Double(passed.count) * share))
        }
    }

    /// The linear pieces in chronological order. The first piece also applies to all earlier times, and the
    /// last piece to all later times.
    private var pieces = [Piece(stamp: ClockTime(nanoseconds: 0), time: ClockTime(nanoseconds: 0), ppm: 0)]

    /// Maximum number of linear pieces, which is sufficient for a few hours, and the number of oldest pieces
    /// that are never merged because they include T0. If the maximum is exceeded, the other pieces of the
    /// older half are merged into one piece.
    private static let (most, first) = (1 << 16, 64)
    /// Duration of one step of a gradual rate change, and the maximum rate change in parts per million per
    /// second. `AudioPlacement` can follow 19 ppm per second.
    private static let (step, largestChangePerSecond) = (Nanoseconds.milliseconds(200), 15.0)
    /// Number of steps that is sufficient for a gradual change between any two rates.
    private static let mostSteps = 400

    func time(stamped stamp: ClockTime) -> ClockTime {
        pieces[index { $0.stamp <= stamp }].time(stamped: stamp)
    }

    func stamp(of time: ClockTime) -> ClockTime { pieces[index { $0.time <= time }].stamp(of: time) }

    /// Returns the rate deviation of the session clock in parts per million, at a time on `CLOCK_MONOTONIC`.
    func partsPerMillion(at stamp: ClockTime) -> Double { pieces[index { $0.stamp <= stamp }].ppm }

    /// Returns the index of the last linear piece that has begun, or of the first piece if none has begun.
    private func index(_ hasBegun: (Piece) -> Bool) -> Int {
        var (begun, other) = (0, pieces.count)
        while other - begun > 1 {
            let middle = (begun + other) / 2
            if hasBegun(pieces[middle]) { begun = middle } else { other = middle }
        }
        return begun
    }

    /// Changes the session clock's rate at a given time. Rate changes that were planned for later times are
    /// discarded.
    ///
    /// - Parameters:
    ///   - stamp: The time of the change on `CLOCK_MONOTONIC`.
    ///   - ppm: The new rate deviation in parts per million, within ±500.
    mutating func setRate(at stamp: ClockTime, to ppm: Double) {
        let time = time(stamped: stamp)
        while let last = pieces.last, last.stamp >= stamp { pieces.removeLast() }
        pieces.append(Piece(stamp: stamp, time: time, ppm: ppm))
        guard pieces.count > Self.most else { return }
        let (from, to) = (pieces[Self.first], pieces[Self.most / 2])
        let passed = Double((to.stamp - from.stamp).count)
        pieces[Self.first].ppm = (Double((to.time - from.time).count) - passed) / passed * 1e6
        pieces.removeSubrange(Self.first + 1..<Self.most / 2)
    }

    /// Changes the session clock's rate gradually, starting at a given time, by at most 15 parts per million
    /// per second.
    ///
    /// - Parameters:
    ///   - stamp: The time of the change on `CLOCK_MONOTONIC`.
    ///   - ppm: The final rate deviation in parts per million, within ±500.
    mutating func rampRate(at stamp: ClockTime, to ppm: Double) {
        let present = pieces[index { $0.stamp <= stamp }]
        var (instant, rate) = (stamp, present.ppm)
        // A very recent rate change counts toward the limit per second.
        var length = max(min(stamp - present.stamp, Self.step), .zero)
        for _ in 0..<Self.mostSteps {
            let change = Self.largestChangePerSecond * length.inSeconds
            rate = (ppm - rate).magnitude <= change ? ppm : rate + (ppm - rate).limited(to: change)
            setRate(at: instant, to: rate)
            if rate == ppm { return }
            (instant, length) = (instant + Self.step, Self.step)
        }
    }

    /// Discards the oldest linear pieces, so that future pieces aren't merged.
    mutating func discardOldPieces() { pieces.removeFirst(max(pieces.count - Self.first / 2, 0)) }
}
