import Media

/// The random choices of a synthetic device: each a function of seed, role, frame number and what is chosen.
///
/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014; constants as in
/// S. Vigna's splitmix64.c) entered at the frame's place, so that no choice depends on how many were made before. The role
/// is hashed by 64-bit FNV-1a.
struct SeededChoices: Sendable, Equatable {
    /// The things that are chosen at random; the raw values are part of the meaning of a seed.
    enum Purpose: UInt64 {
        case phase = 1
        case drop, corrupt, jitter, noise, tint, metered
    }

    private let base: UInt64
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(seed: UInt64, role: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in role.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        base = Self.mixed(Self.mixed(seed &+ Self.step) ^ hash)
    }

    /// 64 random bits for a purpose and a frame number.
    func bits(_ purpose: Purpose, of number: Int64) -> UInt64 {
        let start = Self.mixed(base &+ purpose.rawValue &* Self.step)
        return Self.mixed(start &+ (UInt64(bitPattern: number) &+ 1) &* Self.step)
    }

    /// A number that is uniform in [0, 1).
    func fraction(_ purpose: Purpose, of number: Int64) -> Double {
        Double(bits(purpose, of: number) >> 11) * 0x1p-53
    }

    /// A length of time that is uniform in ± `limit`.
    func error(_ purpose: Purpose, of number: Int64, within limit: Nanoseconds) -> Nanoseconds {
        guard limit > .zero else { return .zero }
        return Nanoseconds(Int64(rounding: (fraction(purpose, of: number) * 2 - 1) * Double(limit.count)))
    }

    /// A length of time that is uniform in [0, `limit`).
    func length(_ purpose: Purpose, below limit: Nanoseconds) -> Nanoseconds {
        Nanoseconds(Int64(fraction(purpose, of: 0) * Double(limit.count)))
    }

    /// SplitMix64's output function.
    static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// SplitMix64's state that follows `state`.
    static func advanced(_ state: UInt64) -> UInt64 { state &+ step }
}
