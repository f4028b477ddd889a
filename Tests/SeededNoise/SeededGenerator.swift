internal import Glibc

/// A SplitMix64 generator (Steele, Lea, Flood: *Fast Splittable Pseudorandom Number Generators*, 2014), which
/// produces reproducible noise for tests.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a number that is uniformly distributed in [0, 1).
    public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a number that is normally distributed around 0 with standard deviation 1 (Box and Muller,
    /// 1958).
    public mutating func normal() -> Double {
        (-2 * log(1 - fraction())).squareRoot() * cos(2 * .pi * fraction())
    }
}
