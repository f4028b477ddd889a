package import MulticamMedia

/// Steers a session clock to follow the common time of a group of computers during a group recording. As a
/// result, the computers' crystal errors of tens of parts per million don't affect the length of tracks.
///
/// The session clock is a piecewise linear function of `CLOCK_MONOTONIC` and never jumps. While the clock is
/// steered, its rate changes by at most 15 parts per million per second, which audio resampling can follow
/// inaudibly. Outside of a group recording, the session clock runs at the rate of `CLOCK_MONOTONIC`, and time
/// measurements are only stored. `ClockSteering` is a value type whose methods receive the current time on
/// `CLOCK_MONOTONIC`.
package struct ClockSteering: Sendable {
    /// Statistics about clock steering during a recording.
    package struct Summary: Sendable, Equatable {
        /// Numbers of accepted and rejected measurements of the group time.
        package internal(set) var (accepted, rejected) = (0, 0)
        /// Largest error bound of an accepted measurement.
        package internal(set) var largestBound = Nanoseconds.zero
        /// Largest deviation of the session clock from the group time, which is the line fitted to the
        /// measurements.
        package internal(set) var largestError = Nanoseconds.zero
        /// Number of steps in the group time. The session clock itself never steps.
        package internal(set) var steps = 0
        /// Length of the recording on the session clock minus the length on `CLOCK_MONOTONIC`.
        package internal(set) var gained = Nanoseconds.zero
        /// Most recent rate deviation of the group time from `CLOCK_MONOTONIC`, in parts per million.
        package internal(set) var partsPerMillion = 0.0
    }

    /// State of a steered recording.
    private struct Recording {
        /// T0 on `CLOCK_MONOTONIC` and on the session clock.
        let start: (stamp: ClockTime, time: ClockTime)
        /// The group time minus the session clock's time.
        var difference: Nanoseconds
        /// Whether the group time was known at the start of the recording.
        var isMeasured: Bool
    }

    private var fit = GroupTimeFit()
    private var line = SteeredLine()
    private var recording: Recording?
    /// Steering statistics of the current recording; `nil` if no group recording is active.
    package private(set) var summary: Summary?

    /// Time constant in seconds for correcting an error of the session clock, and the maximum correction in
    /// parts per million.
    private static let (settlingSeconds, largestCorrection) = (8.0, 100.0)
    /// Time without new measurements after which the session clock's error is no longer corrected.
    private static let measurementTimeout = Nanoseconds.seconds(5)
    /// Maximum difference between the specified T0 on `CLOCK_MONOTONIC` and the T0 computed from the
    /// measurements. Up to this limit, the measurements determine T0; if the difference exceeds the limit,
    /// the measurements are discarded.
    private static let largestDisagreement = Nanoseconds.milliseconds(10)

    /// Creates a steering state without any measurements.
    package init() {}

    /// Converts a time on `CLOCK_MONOTONIC` to the session clock.
    package func time(stamped stamp: ClockTime) -> ClockTime { line.time(stamped: stamp) }

    /// Converts a time on the session clock to `CLOCK_MONOTONIC`. The result is exact for times in the last
    /// few hours; for earlier times, the session clock is assumed to have run at a constant rate.
    package func stamp(of time: ClockTime) -> ClockTime { line.stamp(of: time) }

    /// Converts a session time to the time on `CLOCK_MONOTONIC` that determines the wall-clock date of the
    /// session time. During a recording, dates are computed from the time since T0 on the session clock, like
    /// times in the files. If dates followed `CLOCK_MONOTONIC`, the end of one file and the start of the next
    /// would have different dates.
    func wallClockStamp(of time: ClockTime) -> ClockTime {
        recording.map { $0.start.stamp + (time - $0.start.time) } ?? stamp(of: time)
    }

    /// Returns the rate deviation of the session clock from `CLOCK_MONOTONIC`, in parts per million, at a
    /// time on `CLOCK_MONOTONIC`.
    package func partsPerMillion(at stamp: ClockTime) -> Double { line.partsPerMillion(at: stamp) }

    /// Converts a time on the session clock to the group time, in nanoseconds since 1970; `nil` if no group
    /// recording is active.
    package func utc(of time: ClockTime) -> Int64? {
        recording.map { (Nanoseconds(time.nanoseconds) + $0.difference).count }
    }

    /// Starts steering the session clock for a recording. The clock changes to the rate of the group time
    /// immediately, because nothing has been recorded yet.
    ///
    /// - Parameters:
    ///   - stamp: The given T0 on `CLOCK_MONOTONIC`, which may be in the past.
    ///   - utc: T0 in group time, in nanoseconds since 1970.
    ///   - now: The current time on `CLOCK_MONOTONIC`.
    /// - Returns: T0 on the session clock.
    package mutating func begin(at stamp: ClockTime, utc: Int64, now: ClockTime) -> ClockTime {
        // Measurements that disagree with the specified T0 were made before a step of the group time.
        if fit.hasMeasurements, (fit.stamp(of: utc) - stamp).magnitude > Self.largestDisagreement {
            fit = GroupTimeFit()
        }
        line.discardOldPieces()
        line.setRate(at: now, to: fit.partsPerMillion)
        let passed =
            fit.hasMeasurements
            ? Nanoseconds(now.nanoseconds) + fit.distance(at: now) - Nanoseconds(utc) : now - stamp
        let start = line.time(stamped: now) - passed
        recording = Recording(
            start: (line.stamp(of: start), start),
            difference: Nanoseconds(utc) - Nanoseconds(start.nanoseconds), isMeasured: fit.hasMeasurements)
        summary = Summary()
        return start
    }

    /// Ends steering of the session clock. The session clock gradually returns to the rate of
    /// `CLOCK_MONOTONIC`.
    ///
    /// - Parameter now: The current time on `CLOCK_MONOTONIC`.
    package mutating func end(now: ClockTime) {
        guard recording != nil else { return }
        line.rampRate(at: now, to: 0)
        (recording, summary) = (nil, nil)
    }

    /// Processes a measurement of the group time. Measurements arrive about once per second.
    ///
    /// - Parameters:
    ///   - measurement: The measurement of the group time.
    ///   - now: The current time on `CLOCK_MONOTONIC`, 0 to 10 s after the measurement.
    /// - Throws: `ClockMeasurementError` if the measurement is implausible. The session clock then continues
    ///   unchanged.
    package mutating func update(with measurement: ClockMeasurement, now: ClockTime)
        throws(ClockMeasurementError)
    {
        let step: Nanoseconds
        do throws(ClockMeasurementError) {
            guard measurement.stamp <= now, now - measurement.stamp <= .seconds(10) else {
                throw .outOfOrderOrStale
            }
            step = try fit.update(with: measurement)
        } catch {
            summary?.rejected += 1
            throw error
        }
        guard let recording else { return }
        summary?.accepted += 1
        // If T0 came from another clock, the first measurement can deviate considerably, although the clock
        // hasn't drifted.
        let first = recording.isMeasured ? .zero : error(at: now)
        let moved = step + (first.magnitude > Self.largestDisagreement ? first : .zero)
        self.recording?.isMeasured = true
        if moved != .zero {
            summary?.steps += 1
            self.recording?.difference = recording.difference + moved
        }
        steer(now)
        updateSummary(with: measurement, at: now)
    }

    private mutating func steer(_ now: ClockTime) {
        let error = error(at: now)
        let correction = (error.inSeconds / Self.settlingSeconds * 1e6).limited(to: Self.largestCorrection)
        line.rampRate(
            at: now,
            to: (fit.partsPerMillion + correction).limited(to: GroupTimeFit.mostPartsPerMillion))
        line.rampRate(at: now + Self.measurementTimeout, to: fit.partsPerMillion)
    }

    /// Returns the group time minus the session clock's time.
    private func error(at now: ClockTime) -> Nanoseconds {
        guard let recording, fit.hasMeasurements else { return .zero }
        let wanted = Nanoseconds(now.nanoseconds) + fit.distance(at: now) - recording.difference
        return wanted - Nanoseconds(line.time(stamped: now).nanoseconds)
    }

    private mutating func updateSummary(with measurement: ClockMeasurement, at now: ClockTime) {
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

/// A measurement that relates one moment on `CLOCK_MONOTONIC` to the common time of a group of computers.
package struct ClockMeasurement: Sendable, Equatable {
    /// Time of the measurement on `CLOCK_MONOTONIC`.
    package let stamp: ClockTime
    /// Group time at the moment of the measurement, in nanoseconds since 1970.
    package let utc: Int64
    /// Maximum error of the measured group time `utc`.
    package let bound: Nanoseconds

    /// Creates a measurement without checking the values; `ClockSteering` rejects implausible measurements.
    ///
    /// - Parameters:
    ///   - stamp: Time of the measurement on `CLOCK_MONOTONIC`.
    ///   - utc: Group time at the moment of the measurement, in nanoseconds since 1970.
    ///   - bound: Maximum error of the measured group time `utc`.
    package init(stamp: ClockTime, utc: Int64, bound: Nanoseconds) {
        (self.stamp, self.utc, self.bound) = (stamp, utc, bound)
    }

    /// Group time minus `CLOCK_MONOTONIC`.
    var distance: Nanoseconds { Nanoseconds(utc) - Nanoseconds(stamp.nanoseconds) }
}

/// Reason why a measurement of the group time was rejected.
package enum ClockMeasurementError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error bound is negative, or too large to be useful.
    case bound(Nanoseconds)
    /// The measurement isn't newer than the last measurement, or is too old.
    case outOfOrderOrStale
    /// The measurement deviates by this much from the expected group time, because a clock was set or the
    /// measurement is wrong.
    case step(Nanoseconds)
    /// The rate of the group time would deviate from `CLOCK_MONOTONIC` by this many parts per million, which
    /// isn't possible for a crystal.
    case rate(Double)

    /// Description of the problem, as the end of a sentence.
    package var description: String {
        switch self {
        case .bound(let bound): "the error bound \(bound.text) is invalid; the maximum is 1s"
        case .outOfOrderOrStale: "the measurement is outdated or older than the previous one"
        case .step(let length):
            "the measurement deviates by \(length.text) from the expected group time; time steps are ignored"
        case .rate(let ppm):
            "the group's time would drift by \(Int64(rounding: ppm)) ppm; the limit is 500 ppm"
        }
    }
}
