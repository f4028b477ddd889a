import MulticamMedia

/// Creates invalid values that a component could nevertheless return.
enum InvalidValues {
    static let times = ["timeBack", "timeAhead", "timeZero", "timeMin", "timeMax"]
    static let counts = ["countBack", "countSame", "countAhead", "countMin", "countMax"]

    /// Changes a time according to a kind in `times`.
    static func time(_ kind: String, _ time: ClockTime) -> ClockTime {
        switch kind {
        case "timeBack": time - .seconds(1)
        case "timeAhead": time + .seconds(3600)
        case "timeZero": ClockTime(nanoseconds: 0)
        case "timeMin": ClockTime(nanoseconds: .min)
        case "timeMax": ClockTime(nanoseconds: .max)
        default: time
        }
    }

    /// Changes a device's counter according to a kind in `counts`.
    static func count(_ kind: String, _ count: Int64) -> Int64 {
        switch kind {
        case "countBack": count - 100
        case "countSame": count - 1
        case "countAhead": count + 100_000
        case "countMin": .min
        case "countMax": .max
        default: count
        }
    }

    /// Returns an out-of-range length or position.
    static func number(_ kind: String) -> Int64 {
        switch kind {
        case "negative": -1
        case "huge": 1 << 31
        case "min": .min
        default: .max
        }
    }
    static let numbers = ["negative", "huge", "min", "max"]

    static func bytes(_ count: Int, seed: UInt64) -> SharedBytes {
        var state = seed
        return SharedBytes(
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            })
    }

    /// Damages bytes according to a kind in `damages`.
    static func damaged(_ kind: String, _ bytes: SharedBytes, seed: UInt64) -> SharedBytes {
        switch kind {
        case "empty": return SharedBytes([])
        case "cut": return SharedBytes(bytes.bytes.prefix(bytes.count / 2))
        case "flipped":
            var copy = Array(bytes.bytes)
            if !copy.isEmpty { copy[Int(seed % UInt64(copy.count))] ^= 0x55 }
            return SharedBytes(copy)
        default: return Self.bytes(max(bytes.count, 64), seed: seed)
        }
    }
    static let damages = ["empty", "cut", "flipped", "garbage"]

    /// Replaces some samples with invalid values.
    static func samples(_ kind: String, _ samples: [Float]) -> [Float] {
        var samples = samples
        guard !samples.isEmpty else { return samples }
        switch kind {
        case "nan": samples[samples.count / 2] = .nan
        case "infinite": samples[samples.count / 2] = -.infinity
        case "loud": samples = samples.map { _ in Float.greatestFiniteMagnitude }
        case "tiny": samples = samples.map { _ in Float.leastNonzeroMagnitude }
        case "odd": samples.removeLast()
        case "none": samples = []
        case "long": samples = Array(repeating: 0.1, count: samples.count * 500)
        default: break
        }
        return samples
    }
    static let audioBlocks = ["nan", "infinite", "loud", "tiny", "odd", "none", "long"]
}
