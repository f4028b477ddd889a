import MulticamMedia
import MulticamSeededNoise

/// A device with an independent clock and jittered timestamps.
struct SimulatedDevice {
    enum Noise {
        /// The noise is uniform within ± this value.
        case flat(Nanoseconds)
        /// The noise is Gaussian with this standard deviation.
        case bell(Nanoseconds)
    }

    /// Number of nanoseconds per count.
    let interval: Double
    let noise: Noise
    var generator: SeededGenerator

    init(countsPerSecond: Double, partsPerMillion: Double, noise: Noise, seed: UInt64) {
        interval = 1e9 / countsPerSecond / (1 + partsPerMillion * 1e-6)
        self.noise = noise
        generator = SeededGenerator(seed: seed)
    }

    func truth(_ count: Int64) -> ClockTime {
        ClockTime(nanoseconds: 7_000_000_000 + Int64((Double(count) * interval).rounded()))
    }

    mutating func stamp(_ count: Int64) -> ClockTime { jittered(truth(count)) }

    mutating func jittered(_ time: ClockTime) -> ClockTime {
        switch noise {
        case .flat(let bound):
            return time + Nanoseconds(Int64.random(in: -bound.count...bound.count, using: &generator))
        case .bell(let deviation):
            // This is an Irwin–Hall distribution: a sum of twelve uniform numbers is nearly normal.
            let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: -0.5...0.5, using: &generator)
            }
            return time + .seconds(rounding: sum * deviation.inSeconds)
        }
    }
}
