public import Media

/// Decides how a microphone's samples are placed on the session's grid: sample n of the track is T0 + n/48 000.
///
/// Small deviations are steered away by changing the resampler's rate, slowly enough not to be heard; large ones, as
/// after a loss, are bridged with silence or cut. A value: it decides, `AudioTrack` obeys.
public struct AudioPlacement: Sendable {
    /// The treatment of a slice of audio.
    public enum Decision: Sendable, Equatable {
        /// Convert the slice with this correction, in parts per million; above 0 stretches.
        case convert(partsPerMillion: Double)
        /// First insert so many samples of silence, then convert the slice.
        case bridge(samples: Int64)
        /// Audio already in the track overlaps the slice by so many samples: drop the overlap where possible.
        case cut(samples: Int64)
    }

    /// The largest deviation that is steered away, in samples at 48 kHz: 5 ms. A larger one is a loss or a jump, not drift. 5 ms
    /// is well below what is seen as out of sync and well above what steering leaves.
    public static let largestSteered = Int64(AudioFormat.sessionRate) * 5 / 1000
    /// The largest change of the correction, in parts per million per second: far below what is heard as a step (the just
    /// noticeable difference of pitch is 3 ‰), and a little below the 20 that are promised.
    public static let largestChangePerSecond = 19.0
    /// The time in seconds in which small deviations are worked off; larger ones at the pace that can still be brought to rest
    /// in time, so that nothing overshoots.
    private static let settlingSeconds = 3.0
    /// The share of the largest change that slowing down uses; the rest is for what the clock model learns meanwhile.
    private static let brakingShare = 0.9
    /// The clock model may be wrong within so many standard errors, and a deviation that may be its error moves the pitch by at
    /// most so many parts per million.
    private static let (doubtfulErrors, largestDoubt) = (3.0, 2.0)
    private static let largestCorrection = 1000.0

    private var correction = 0.0
    private var lastTime: ClockTime?

    /// Creates a placement that has seen no slice.
    public init() {}

    /// Decides the correction of the first slice. Nothing was heard before it, so it may begin with any pitch.
    ///
    /// - Parameters:
    ///   - clock: The device's clock model as it is now.
    ///   - time: When the slice was captured, on `CLOCK_MONOTONIC`.
    /// - Returns: The correction to convert with, in parts per million.
    public mutating func begin(clock: ClockReading, at time: ClockTime) -> Double {
        lastTime = time
        correction = (-clock.partsPerMillion).limited(to: Self.largestCorrection)
        return correction
    }

    /// Decides what to do with the next slice.
    ///
    /// - Parameters:
    ///   - deviation: The place where the slice belongs, less the place where it would be put, in samples of the track.
    ///   - clock: The device's clock model as it is now.
    ///   - time: When the slice was captured, on `CLOCK_MONOTONIC`.
    /// - Returns: `bridge` or `cut` of the whole deviation beyond `largestSteered`, else `convert` with at
    ///   most ±1000 ppm.
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

    /// The pace at which to work off a deviation in microseconds, of which `doubt` may be an error. In parts per million, which
    /// are microseconds per second.
    private static func pace(_ deviation: Double, doubt: Double) -> Double {
        let doubtful = deviation.limited(to: doubt)
        let sure = abs(deviation - doubtful)
        // Braking evenly by b, one comes from a pace v to rest after v²/2b. Near the end it is a decay, whose braking is at
        // most b up to a pace of b times the settling time.
        let (time, braking) = (settlingSeconds, brakingShare * largestChangePerSecond)
        let near = braking * time * time
        let pace = sure < near ? sure / time : (2 * braking * (sure - near / 2)).squareRoot()
        let gain = min(1 / time, largestDoubt / max(doubt, .leastNonzeroMagnitude))
        return (deviation < 0 ? -pace : pace) + doubtful * gain
    }
}
