public import Media

/// Steers a session clock so that it runs as the time of a group of computers does, while a recording of the group runs: crystals that are
/// off by tens of parts per million then lengthen no track.
///
/// The session clock is `CLOCK_MONOTONIC` on straight pieces. It never jumps, and while it is steered its rate changes by no more than 15
/// parts per million in a second, which audio follows unheard. Outside of such a recording it runs as `CLOCK_MONOTONIC` does, and
/// measurements are only kept. A value: the present is an argument, an instant of `CLOCK_MONOTONIC`.
public struct ClockSteering: Sendable {
    /// What the steering of a recording came to.
    public struct Summary: Sendable, Equatable {
        /// The number of measurements that were followed, and of those that were refused.
        public internal(set) var (followed, refused) = (0, 0)
        /// The widest bound of a measurement that was followed.
        public internal(set) var largestBound = Nanoseconds.zero
        /// The farthest that the session clock was from the group's time, as the line through the measurements has it.
        public internal(set) var largestError = Nanoseconds.zero
        /// How often the group's time stepped; the session clock did not.
        public internal(set) var steps = 0
        /// How much longer the recording is by the session clock than by `CLOCK_MONOTONIC`.
        public internal(set) var gained = Nanoseconds.zero
        /// How fast the group's time ran against `CLOCK_MONOTONIC` last, in parts per million.
        public internal(set) var partsPerMillion = 0.0
    }

    /// A recording that is steered.
    private struct Recording {
        /// T0 on `CLOCK_MONOTONIC` and on the session clock.
        let start: (stamp: ClockTime, time: ClockTime)
        /// The group's time less the session clock.
        var difference: Nanoseconds
        /// Whether the group's time was known when it was begun.
        var isMeasured: Bool
    }

    private var fit = GroupTimeFit()
    private var line = SteeredLine()
    private var recording: Recording?
    /// What the steering of the recording has come to; `nil` while none is steered.
    public private(set) var summary: Summary?

    /// An error is worked off with this time constant, by no more than so many parts per million.
    private static let (settlingSeconds, largestCorrection) = (8.0, 100.0)
    /// Without measurements the correction ends after so long.
    private static let patience = Nanoseconds.seconds(5)
    /// A T0 that was named on `CLOCK_MONOTONIC` and by the group's time is where the measurements have it, unless they disagree by so much
    /// with that.
    private static let largestDisagreement = Nanoseconds.milliseconds(10)

    /// Creates the steering of a clock that nothing is known of.
    public init() {}

    /// An instant of `CLOCK_MONOTONIC` on the session clock.
    public func time(stamped stamp: ClockTime) -> ClockTime { line.time(stamped: stamp) }

    /// An instant of the session clock on `CLOCK_MONOTONIC`. Of the last hours it is exact; before that, as if the clock had run evenly.
    public func stamp(of time: ClockTime) -> ClockTime { line.stamp(of: time) }

    /// The instant whose wall-clock date files have for one of the session clock. In a recording it counts from T0 as the files do:
    /// by `CLOCK_MONOTONIC`, one file's end and the next one's beginning would have dates that are apart.
    func dated(_ time: ClockTime) -> ClockTime {
        recording.map { $0.start.stamp + (time - $0.start.time) } ?? stamp(of: time)
    }

    /// How fast the session clock runs against `CLOCK_MONOTONIC` at an instant of the latter.
    public func partsPerMillion(at stamp: ClockTime) -> Double { line.partsPerMillion(at: stamp) }

    /// The group's time at an instant of the session clock, in nanoseconds since 1970; `nil` where no recording of a group was begun.
    public func utc(of time: ClockTime) -> Int64? {
        recording.map { (Nanoseconds(time.nanoseconds) + $0.difference).count }
    }

    /// Begins the steering of a recording. The session clock has the group's rate at once: nothing is recorded yet.
    ///
    /// - Parameters:
    ///   - stamp: T0 on `CLOCK_MONOTONIC`, as it was named; it may have passed.
    ///   - utc: T0 by the group's time, in nanoseconds since 1970.
    ///   - now: The present.
    /// - Returns: T0 on the session clock.
    public mutating func begin(at stamp: ClockTime, utc: Int64, now: ClockTime) -> ClockTime {
        // Measurements that have T0 elsewhere are of before a step.
        if fit.isKnown, (fit.stamp(of: utc) - stamp).magnitude > Self.largestDisagreement {
            fit = GroupTimeFit()
        }
        line.forget()
        line.turn(at: now, to: fit.partsPerMillion)
        let passed =
            fit.isKnown
            ? Nanoseconds(now.nanoseconds) + fit.distance(at: now) - Nanoseconds(utc) : now - stamp
        let start = line.time(stamped: now) - passed
        recording = Recording(
            start: (line.stamp(of: start), start),
            difference: Nanoseconds(utc) - Nanoseconds(start.nanoseconds), isMeasured: fit.isKnown)
        summary = Summary()
        return start
    }

    /// Ends the steering: the session clock goes over to running as `CLOCK_MONOTONIC` does.
    ///
    /// - Parameter now: The present.
    public mutating func end(now: ClockTime) {
        guard recording != nil else { return }
        line.turnGently(at: now, to: 0)
        (recording, summary) = (nil, nil)
    }

    /// Takes a measurement of the group's time, as one comes about once a second.
    ///
    /// - Parameters:
    ///   - measurement: The measurement.
    ///   - now: The present, at most ten seconds after it and not before.
    /// - Throws: `ClockRefusal` when it cannot be; the session clock then goes on as it did.
    public mutating func take(_ measurement: ClockMeasurement, now: ClockTime) throws(ClockRefusal) {
        let step: Nanoseconds
        do throws(ClockRefusal) {
            guard measurement.stamp <= now, now - measurement.stamp <= .seconds(10) else {
                throw .notOfNow
            }
            step = try fit.take(measurement)
        } catch {
            summary?.refused += 1
            throw error
        }
        guard let recording else { return }
        summary?.followed += 1
        // Where T0 was named by another clock, the first measurement may be far off: that is no drift.
        let first = recording.isMeasured ? .zero : error(at: now)
        let moved = step + (first.magnitude > Self.largestDisagreement ? first : .zero)
        self.recording?.isMeasured = true
        if moved != .zero {
            summary?.steps += 1
            self.recording?.difference = recording.difference + moved
        }
        steer(now)
        note(measurement, now)
    }

    private mutating func steer(_ now: ClockTime) {
        let error = error(at: now)
        let correction = (error.inSeconds / Self.settlingSeconds * 1e6).limited(to: Self.largestCorrection)
        line.turnGently(
            at: now,
            to: (fit.partsPerMillion + correction).limited(to: GroupTimeFit.mostPartsPerMillion))
        line.turnGently(at: now + Self.patience, to: fit.partsPerMillion)
    }

    /// How far the session clock is behind the group's time.
    private func error(at now: ClockTime) -> Nanoseconds {
        guard let recording, fit.isKnown else { return .zero }
        let wanted = Nanoseconds(now.nanoseconds) + fit.distance(at: now) - recording.difference
        return wanted - Nanoseconds(line.time(stamped: now).nanoseconds)
    }

    private mutating func note(_ measurement: ClockMeasurement, _ now: ClockTime) {
        guard var summary, let start = recording?.start else { return }
        summary.largestBound = max(summary.largestBound, measurement.bound)
        summary.largestError = max(summary.largestError, error(at: now).magnitude)
        summary.partsPerMillion = fit.partsPerMillion
        if now > start.stamp {
            summary.gained = (line.time(stamped: now) - start.time) - (now - start.stamp)
        }
        self.summary = summary
    }
}
