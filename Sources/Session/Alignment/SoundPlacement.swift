public import Media

/// Decides how a microphone's samples come to lie on the session's: sample n of the track is T0 + n/48 000.
///
/// Small deviations are steered away by changing the resampler's rate, slowly enough not to be heard; large ones, as
/// after a loss, are bridged with silence or cut. A value: it decides, `SoundTrack` obeys.
public struct SoundPlacement: Sendable {
    public enum Decision: Sendable, Equatable {
        /// Convert the slice with this correction, in parts per million; above 0 stretches.
        case convert(partsPerMillion: Double)
        /// First leave out as many samples of silence, then convert.
        case bridge(samples: Int64)
        /// First cut as many samples of the track's rate from the slice's beginning.
        case cut(samples: Int64)
    }

    /// Deviations beyond it are a loss or a jump, not drift: 5 ms, well below what is seen as out of sync and well above
    /// what steering leaves.
    public static let largestSteered = Int64(SoundFormat.sessionRate) * 5 / 1000
    /// The correction may change by as much per second: far below the just noticeable difference of pitch (3 ‰).
    public static let largestChangePerSecond = 20.0
    /// Deviations are worked off within about this time.
    private static let settlingSeconds = 4.0
    private static let largestCorrection = 1000.0

    private var correction = 0.0
    private var lastTime: ClockTime?

    public init() {}

    /// - Parameters:
    ///   - deviation: Where the slice belongs, less where it would come to lie, in samples of the track.
    ///   - clockPartsPerMillion: How fast the device runs, as far as known; 0 until then.
    ///   - time: When the slice was captured.
    /// - Returns: `bridge` or `cut` of the whole deviation beyond `largestSteered`, else `convert` with at
    ///   most ±1000 ppm.
    public mutating func decide(
        deviation: Double, clockPartsPerMillion: Double, at time: ClockTime
    ) -> Decision {
        let whole = Int64(deviation.rounded())
        guard whole.magnitude <= Self.largestSteered.magnitude else {
            return whole > 0 ? .bridge(samples: whole) : .cut(samples: -whole)
        }
        let seconds = lastTime.map { (time - $0).inSeconds } ?? 0
        lastTime = time
        let wanted =
            -clockPartsPerMillion + deviation / Double(SoundFormat.sessionRate) / Self.settlingSeconds * 1e6
        let limited = min(max(wanted, -Self.largestCorrection), Self.largestCorrection)
        let step = Self.largestChangePerSecond * min(max(seconds, 0), 1)
        correction += min(max(limited - correction, -step), step)
        return .convert(partsPerMillion: correction)
    }
}
