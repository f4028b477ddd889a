package import MulticamMedia

/// Determines how a microphone's samples are placed on the session's grid. Sample n of the track is at T0 +
/// n/48 000 s.
///
/// Small timing deviations are corrected by changing the resampling rate, slowly enough to be inaudible. For
/// large deviations, for example after a loss, silence is inserted or samples are dropped. `AudioPlacement`
/// only decides what to do; `AudioTrack` applies the decisions.
package struct AudioPlacement: Sendable {
    /// How to handle a slice of audio.
    package enum Decision: Sendable, Equatable {
        /// Resample the slice with this rate correction in parts per million; positive values stretch the
        /// slice.
        case convert(partsPerMillion: Double)
        /// Insert `samples` samples of silence, and then resample the slice.
        case insertSilence(samples: Int64)
        /// The slice overlaps audio that is already in the track by `samples` samples. Drop the overlapping
        /// samples if possible.
        case cut(samples: Int64)
    }

    /// Maximum timing deviation that is corrected by resampling, in samples at 48 kHz (5 ms). A larger
    /// deviation indicates a loss or a jump instead of clock drift. The limit is far below the lip-sync error
    /// that viewers notice, and far above the residual error of the correction.
    package static let largestSteered = Int64(AudioFormat.sessionRate) * 5 / 1000
    /// Maximum rate of change of the resampling correction, in parts per million per second. Pitch changes at
    /// this rate are inaudible, because the just noticeable difference in pitch is 3 ‰. The value is slightly
    /// below the documented limit of 20 parts per million per second.
    package static let largestChangePerSecond = 19.0
    /// Time in seconds over which small deviations are corrected. For larger deviations, the correction is
    /// limited so that it can be reduced to zero in time and doesn't overshoot.
    private static let settlingSeconds = 3.0
    /// Fraction of the maximum rate of change that is used to reduce the correction. The remaining fraction
    /// is reserved for updates of the clock model.
    private static let brakingShare = 0.9
    /// Assumed maximum error of the clock model in standard errors, and the maximum correction in parts per
    /// million for deviations up to this error.
    private static let (doubtfulErrors, largestDoubt) = (3.0, 2.0)
    private static let largestCorrection = 1000.0

    private var correction = 0.0
    private var lastTime: ClockTime?

    /// Creates an audio placement that hasn't processed any slices.
    package init() {}

    /// Determines the resampling correction for the first slice. The first slice follows silence, so the
    /// correction can start at any value.
    ///
    /// - Parameters:
    ///   - clock: The current state of the device's clock model.
    ///   - time: Capture time of the slice on `CLOCK_MONOTONIC`.
    /// - Returns: The correction in parts per million.
    package mutating func begin(clock: ClockReading, at time: ClockTime) -> Double {
        lastTime = time
        correction = (-clock.partsPerMillion).limited(to: Self.largestCorrection)
        return correction
    }

    /// Determines how to place the next slice of audio.
    ///
    /// - Parameters:
    ///   - deviation: The correct position of the slice minus its current position, in samples of the track.
    ///   - clock: The current state of the device's clock model.
    ///   - time: Capture time of the slice on `CLOCK_MONOTONIC`.
    /// - Returns: `insertSilence` or `cut` for the whole deviation if the deviation exceeds `largestSteered`;
    ///   otherwise `convert` with a correction of at most ±1000 ppm.
    package mutating func decide(
        deviation: Double, clock: ClockReading, at time: ClockTime
    ) -> Decision {
        let whole = Int64(rounding: deviation)
        guard whole.magnitude <= Self.largestSteered.magnitude else {
            return whole > 0 ? .insertSilence(samples: whole) : .cut(samples: -whole)
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

    /// Returns the correction in parts per million (microseconds per second) for a deviation in microseconds.
    /// Deviations up to `doubt` microseconds may be errors of the clock model.
    private static func pace(_ deviation: Double, doubt: Double) -> Double {
        let doubtful = deviation.limited(to: doubt)
        let sure = abs(deviation - doubtful)
        // With a constant deceleration b, a correction rate v reaches zero after a deviation of v²/2b. Near
        // the end, the rate decays exponentially; the deceleration is then at most b for rates up to b times
        // the settling time.
        let (time, braking) = (settlingSeconds, brakingShare * largestChangePerSecond)
        let near = braking * time * time
        let pace = sure < near ? sure / time : (2 * braking * (sure - near / 2)).squareRoot()
        let gain = min(1 / time, largestDoubt / max(doubt, .leastNonzeroMagnitude))
        return (deviation < 0 ? -pace : pace) + doubtful * gain
    }
}
