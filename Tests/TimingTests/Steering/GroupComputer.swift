import Glibc
import MulticamMedia
import MulticamSeededNoise
import MulticamTiming

/// A simulated computer of a group. Its crystal is inaccurate and varies. It is measured by chrony, with
/// errors within the stated bounds.
struct GroupComputer {
    /// Rate of the group time relative to the crystal, in parts per million, and its variation within an
    /// hour.
    let ppm: Double
    let wander: Double
    /// Origin of `CLOCK_MONOTONIC`. The origin of the group time is `epoch`.
    let boot: Int64
    var generator: SeededGenerator

    static let epoch: Int64 = 1_790_000_000_000_000_000

    /// Returns the group time at an instant, in nanoseconds since `epoch`.
    ///
    /// - Parameter seconds: Seconds of `CLOCK_MONOTONIC` since `boot`.
    /// - Returns: The group time in nanoseconds.
    func truth(_ seconds: Double) -> Double {
        let period = 3600 / (2 * Double.pi)
        return seconds * 1e9 + ppm * 1e3 * seconds
            + wander * 1e3 * period * (1 - cos(seconds / period))
    }

    func stamp(_ seconds: Double) -> ClockTime {
        ClockTime(nanoseconds: boot + Int64((seconds * 1e9).rounded()))
    }

    /// Returns a measurement by chrony.
    ///
    /// - Parameters:
    ///   - seconds: Seconds of `CLOCK_MONOTONIC` since `boot`.
    ///   - age: Seconds since the last response of the time source.
    ///   - way: Half of the round trip to the source, in nanoseconds.
    /// - Returns: The measurement of the group time.
    mutating func measurement(_ seconds: Double, age: Double = 0, way: Double = 3000) -> ClockMeasurement {
        let bound = way + 1000 * age
        let error = (generator.fraction() * 2 - 1) * way * 0.9 + 800 * age
        return ClockMeasurement(
            stamp: stamp(seconds), utc: Self.epoch + Int64((truth(seconds) + error).rounded()),
            bound: Nanoseconds(Int64(bound)))
    }
}
