/// A length of time, signed, in whole nanoseconds: ± 292 years.
///
/// `Swift.Duration` counts attoseconds in 128 bits; the arithmetic of ticks and samples wants 64 bits and exact division.
public struct Nanoseconds: Sendable, Hashable, Comparable, Codable {
    public var count: Int64

    public init(_ count: Int64) {
        self.count = count
    }

    public init(from decoder: any Decoder) throws {
        count = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(count)
    }

    public static let zero = Self(0)
    public static func microseconds(_ count: Int64) -> Self { Self(count * 1_000) }
    public static func milliseconds(_ count: Int64) -> Self { Self(count * 1_000_000) }
    public static func seconds(_ count: Int64) -> Self { Self(count * 1_000_000_000) }

    /// The nearest whole nanosecond to a number of seconds, which must lie within ± 10⁹.
    public static func seconds(rounding seconds: Double) -> Self {
        Self(Int64((seconds * 1e9).rounded()))
    }

    public var inSeconds: Double { Double(count) / 1e9 }
    public var inMilliseconds: Double { Double(count) / 1e6 }
    public var magnitude: Self { Self(abs(count)) }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.count < rhs.count }
    public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.count + rhs.count) }
    public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.count - rhs.count) }
    public static func * (lhs: Self, rhs: Int64) -> Self { Self(lhs.count * rhs) }
    public static func / (lhs: Self, rhs: Int64) -> Self { Self(lhs.count / rhs) }
    public static prefix func - (value: Self) -> Self { Self(-value.count) }
}

extension Nanoseconds {
    /// Reads a length of time as people write it: `10`, `2.5`, `500ms`, `10s`, `5m`, `2h`; a minus before it is allowed.
    ///
    /// A number alone means seconds. The nearest whole nanosecond is taken.
    /// - Returns: `nil` for anything else, for more than ten digits before the point or twelve after it, and for
    ///   more than 2⁶³ nanoseconds.
    public init?(_ text: String) {
        let units: [(suffix: String, nanoseconds: Int64)] = [
            ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
            ("", 1_000_000_000),
        ]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let isNegative = text.hasPrefix("-")
        let number = text.dropFirst(isNegative ? 1 : 0).dropLast(unit.suffix.count)
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isDigits = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isDigits, let whole = parts.first, whole.utf8.count <= 10 else { return nil }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 12 else { return nil }
        // At most 22 digits times the 13 of an hour: it fits 128 bits.
        guard let digits = Int128(whole + fraction) else { return nil }
        var scale: Int128 = 1
        for _ in fraction.utf8 { scale *= 10 }
        let count = (digits * Int128(unit.nanoseconds) + scale / 2) / scale
        guard let count = Int64(exactly: isNegative ? -count : count) else { return nil }
        self.init(count)
    }

    /// The length in the largest unit that tells it exactly, as `init(_:)` reads it: `500ms`, `2.5s`, `5m`.
    public var text: String {
        let units: [(suffix: String, nanoseconds: Int64)] = [
            ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
        ]
        if count != 0, let unit = units.first(where: { count % $0.nanoseconds == 0 }) {
            return "\(count / unit.nanoseconds)\(unit.suffix)"
        }
        let (unit, suffix): (Int64, String) =
            count.magnitude > 1_000_000_000 ? (1_000_000_000, "s") : (1_000_000, "ms")
        let (whole, rest) = count.magnitude.quotientAndRemainder(dividingBy: UInt64(unit))
        var fraction = String(String(UInt64(unit) + rest).dropFirst())
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return (count < 0 ? "-" : "") + "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)") + suffix
    }
}
