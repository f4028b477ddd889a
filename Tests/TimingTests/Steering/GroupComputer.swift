import Glibc
import Media
import SeededNoise
import Timing

/// A computer of a group in simulated time: a crystal that is off and wanders, and a chrony that measures it, whose errors keep within the
/// bounds that it says.
struct GroupComputer {
    /// How fast the group's time runs against the crystal, in parts per million, and how far that wanders within an hour.
    let ppm: Double
    let wander: Double
    /// Reads of `CLOCK_MONOTONIC` count from here, those of the group's time from `epoch`.
    let boot: Int64
    var generator: SeededGenerator

    static let epoch: Int64 = 1_790_000_000_000_000_000

    /// The group's time at an instant, in nanoseconds since `epoch`.
    ///
    /// - Parameter seconds: Seconds of `CLOCK_MONOTONIC` since `boot`.
    /// - Returns: Nanoseconds.
    func truth(_ seconds: Double) -> Double {
        let period = 3600 / (2 * Double.pi)
        return seconds * 1e9 + ppm * 1e3 * seconds
            + wander * 1e3 * period * (1 - cos(seconds / period))
    }

    func stamp(_ seconds: Double) -> ClockTime {
        ClockTime(nanoseconds: boot + Int64((seconds * 1e9).rounded()))
    }

    /// What chrony says at an instant.
    ///
    /// - Parameters:
    ///   - seconds: Seconds of `CLOCK_MONOTONIC` since `boot`.
    ///   - age: Seconds since it has heard of its source.
    ///   - way: Half of the way to the source, in nanoseconds.
    /// - Returns: The measurement.
    mutating func measurement(_ seconds: Double, age: Double = 0, way: Double = 3000) -> ClockMeasurement {
        let bound = way + 1000 * age
        let error = (generator.fraction() * 2 - 1) * way * 0.9 + 800 * age
        return ClockMeasurement(
            stamp: stamp(seconds), utc: Self.epoch + Int64((truth(seconds) + error).rounded()),
            bound: Nanoseconds(Int64(bound)))
    }
}
