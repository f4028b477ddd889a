public import Media

/// Determines how a microphone's samples are placed on the session's grid. Sample n of the track is at T0 + n/48 000 s.
///
/// Small deviations are corrected by changing the resampling rate, slowly enough to be inaudible. Large deviations, for
/// example after a loss, are bridged with silence or cut. This value type makes decisions, and `AudioTrack` executes
/// them.
public struct AudioPlacement: Sendable {
    /// How to handle a slice of audio.
    public enum Decision: Sendable, Equatable {
        /// Convert the slice with this correction, in parts per million; positive values stretch it.
        case convert(partsPerMillion: Double)
        /// Insert `samples` samples of silence, then convert the slice.
        case bridge(samples: Int64)
        /// The slice overlaps audio that is already in the track by `samples` samples. Drop the overlap if possible.
        case cut(samples: Int64)
    }

    /// Maximum deviation that is corrected by resampling, in samples at 48 kHz (5 ms). A larger deviation is a loss or
    /// a jump, not drift. The limit is well below the visible threshold for lip sync and well above the residual error
    /// of the correction.
    public static let largestSteered = Int64(AudioFormat.sessionRate) * 5 / 1000
    /// Maximum rate of change of the correction, in parts per million per second. The value is far below an audible
    /// step, because the just noticeable difference in pitch is 3 ‰. The value is also slightly below the documented
    /// limit of 20.
    public static let largestChangePerSecond = 19.0
    /// Time in seconds over which small deviations are corrected. The correction of larger deviations is limited to a
    /// speed that can be reduced to zero in time, so that it doesn't overshoot.
    private static let settlingSeconds = 3.0
    /// Fraction of the maximum rate of change that is used for slowing down. The rest is reserved for updates
    /// of the clock model.
    private static let brakingShare = 0.9
    /// Assumed maximum error of the clock model in standard errors, and the maximum pitch change in parts per million
    /// for a deviation that may be such an error.
    private static let (doubtfulErrors, largestDoubt) = (3.0, 2.0)
    private static let largestCorrection = 1000.0

    private var correction = 0.0
    private var lastTime: ClockTime?

    /// Creates a placement that hasn't processed any slices.
    public init() {}

    /// Determines the correction for the first slice. The first slice follows silence, so any pitch is possible.
    ///
    /// - Parameters:
    ///   - clock: The current state of the device's clock model.
    ///   - time: Capture time of the slice on `CLOCK_MONOTONIC`.
    /// - Returns: The correction in parts per million.
    public mutating func begin(clock: ClockReading, at time: ClockTime) -> Double {
        lastTime = time
        correction = (-clock.partsPerMillion).limited(to: Self.largestCorrection)
        return correction
    }

    /// Determines how to handle the next slice.
    ///
    /// - Parameters:
    ///   - deviation: The correct position of the slice minus its current position, in samples of the track.
    ///   - clock: The current state of the device's clock model.
    ///   - time: Capture time of the slice on `CLOCK_MONOTONIC`.
    /// - Returns: `bridge` or `cut` with the whole deviation if it exceeds `largestSteered`; otherwise `convert` with
    ///   at most ±1000 ppm.
    public mutating func decide(
        deviation: Double, clock: ClockReading, at time: ClockTime
    ) -> Decision {
        let whole = Int64(rounding: deviation)
        guard whole.magnitude <= Self.largestSteered.magnitude else {
            return whole > 0 ? .bridge(samples: whole) : .cut(samples: -whole)
        }
        let seconds = lastTime.map { (time - $0).inSeconds } ?? 0
        lastTime = time
        let microseconds = deviation / Double(AudioFormat.sessionRate) * 1e6
        let pace = Self.pace(microseconds, doubt: Self.doubtfulErrors * Double(clock.residual.count) / 1000)
        let wanted = (pace - clock.partsPerMillion).limited(to: Self.largestCorrection)
        let step = Self.largestChangePerSecond * min(max(seconds, 0), 1)
        correction += (wanted - correction).limited(to: step)
        return .convert(partsPerMillion: correction)
    }

    /// Returns the correction rate for a deviation in microseconds. `doubt` is the part of the deviation that may be an
    /// error. The unit is parts per million, which equals microseconds per second.
    private static func pace(_ deviation: Double, doubt: Double) -> Double {
        let doubtful = deviation.limited(to: doubt)
        let sure = abs(deviation - doubtful)
        // With constant deceleration b, a rate v reaches zero after v²/2b. Near the end, the decay is exponential; its
        // deceleration is at most b for rates up to b times the settling time.
        let (time, braking) = (settlingSeconds, brakingShare * largestChangePerSecond)
        let near = braking * time * time
        let pace = sure < near ? sure / time : (2 * braking * (sure - near / 2)).squareRoot()
        let gain = min(1 / time, largestDoubt / max(doubt, .leastNonzeroMagnitude))
        return (deviation < 0 ? -pace : pace) + doubtful * gain
    }
}
