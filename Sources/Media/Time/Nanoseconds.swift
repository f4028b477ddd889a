internal import Glibc

/// A signed length of time in whole nanoseconds: ± 292 years.
///
/// Sums, differences and products beyond that range are clamped, since times from files and devices may be anything.
///
/// `Swift.Duration` counts attoseconds in 128 bits; the arithmetic of ticks and samples wants 64 bits and exact division.
public struct Nanoseconds: Sendable, Hashable, Comparable, Codable {
    /// Number of nanoseconds; negative for a length that runs backwards.
    public var count: Int64

    /// Makes a length of `count` nanoseconds.
    public init(_ count: Int64) {
        self.count = count
    }

    /// Reads a single integer: the number of nanoseconds.
    ///
    /// - Throws: `DecodingError` when the value is no 64-bit integer.
    public init(from decoder: any Decoder) throws {
        count = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes a single integer: the number of nanoseconds.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(count)
    }

    /// The length that a `timespec` of the system holds.
    init(_ time: timespec) {
        self = .seconds(Int64(time.tv_sec)) + Self(Int64(time.tv_nsec))
    }

    /// A length of 0 ns.
    public static let zero = Self(0)
    /// A length of `count` microseconds, clamped to 64 bits of nanoseconds.
    public static func microseconds(_ count: Int64) -> Self { Self(count.clampedProduct(1_000)) }
    /// A length of `count` milliseconds, clamped to 64 bits of nanoseconds.
    public static func milliseconds(_ count: Int64) -> Self { Self(count.clampedProduct(1_000_000)) }
    /// The time that `count` samples, frames or ticks take at `rate` of them a second, to the nearest nanosecond. `rate` is
    /// above zero.
    public static func duration(of count: Int64, perSecond rate: Int64) -> Self {
        Self(count.rescaled(from: rate, to: 1_000_000_000))
    }
    /// A length of `count` seconds, clamped to 64 bits of nanoseconds.
    public static func seconds(_ count: Int64) -> Self { Self(count.clampedProduct(1_000_000_000)) }

    /// A number of seconds to the nearest whole nanosecond, clamped to 64 bits; 0 for NaN.
    public static func seconds(rounding seconds: Double) -> Self {
        Self(Int64(rounding: seconds * 1e9))
    }

    /// The length in seconds, as a floating-point number.
    public var inSeconds: Double { Double(count) / 1e9 }
    /// The length in milliseconds, as a floating-point number.
    public var inMilliseconds: Double { Double(count) / 1e6 }
    /// The length without its sign.
    public var magnitude: Self { Self(Int64(clamping: count.magnitude)) }

    /// Whether the left length is smaller than the right one; negative lengths are smaller than zero.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.count < rhs.count }
    /// The sum, clamped to 64 bits.
    public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.count.clampedSum(rhs.count)) }
    /// The difference, clamped to 64 bits.
    public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.count.clampedDifference(rhs.count)) }
    /// The length times a whole number, clamped to 64 bits.
    public static func * (lhs: Self, rhs: Int64) -> Self { Self(lhs.count.clampedProduct(rhs)) }
    /// The length divided by a whole number other than 0, rounded toward zero.
    public static func / (lhs: Self, rhs: Int64) -> Self { Self(lhs.count / rhs) }
    /// The length with the opposite sign, clamped to 64 bits.
    public static prefix func - (value: Self) -> Self { .zero - value }
}

extension Nanoseconds {
    /// Reads a length of time as people write it: `10`, `2.5`, `500ms`, `10s`, `90min`, `2h`, `1h30m`, `1:30`, `1:30:00`.
    ///
    /// A number alone means seconds, and `1:30` a minute and a half. A leading minus is allowed. The result is the nearest
    /// whole nanosecond.
    /// - Returns: `nil` for anything else, for a number of more than ten digits before the point or twelve after it, for
    ///   units that do not become smaller, for minutes and seconds above 59 after a colon, and for more than 2⁶³
    ///   nanoseconds.
    public init?(_ text: String) {
        let isNegative = text.hasPrefix("-")
        let length = text.dropFirst(isNegative ? 1 : 0)
        let total = length.contains(":") ? Self.clock(length) : Self.parts(length)
        guard let total, let count = Int64(exactly: isNegative ? -total : total) else { return nil }
        self.init(count)
    }

    /// Accepted names of each unit and its length in nanoseconds, the largest unit first.
    private static let units: [(names: [String], nanoseconds: Int128)] = [
        (["h"], 3_600_000_000_000), (["m", "min"], 60_000_000_000), (["s", "sec"], 1_000_000_000),
        (["ms"], 1_000_000),
    ]

    /// Reads lengths such as `1h30m`, or a number of seconds alone.
    private static func parts(_ text: Substring) -> Int128? {
        if let seconds = scaled(text, by: 1_000_000_000) { return seconds }
        var rest = text
        var total: Int128 = 0
        var smallest = units.startIndex
        repeat {
            let number = rest.prefix { $0.isNumber || $0 == "." }
            let name = rest.dropFirst(number.count).prefix { !$0.isNumber && $0 != "." }
            rest = rest.dropFirst(number.count + name.count)
            guard let unit = units[smallest...].firstIndex(where: { $0.names.contains(String(name)) }),
                // Only the last part may have a fraction.
                rest.isEmpty || !number.contains("."),
                let part = scaled(number, by: units[unit].nanoseconds)
            else { return nil }
            total += part
            smallest = unit + 1
        } while !rest.isEmpty
        return total
    }

    /// Reads lengths such as `1:30` (minutes and seconds) and `1:30:00` (hours, minutes and seconds).
    private static func clock(_ text: Substring) -> Int128? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(fields.count) else { return nil }
        let factors: [Int128] = [3_600_000_000_000, 60_000_000_000, 1_000_000_000]
        var total: Int128 = 0
        for (index, (field, factor)) in zip(fields, factors.suffix(fields.count)).enumerated() {
            let whole = field.prefix { $0 != "." }
            let isLast = index == fields.count - 1
            guard index == 0 || (whole.count == 2 && whole < "60"), isLast || whole.count == field.count,
                let part = scaled(field, by: factor)
            else { return nil }
            total += part
        }
        return total
    }

    /// Reads a decimal number such as `2.5` and multiplies it by a factor, to the nearest whole.
    private static func scaled(_ number: Substring, by factor: Int128) -> Int128? {
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
        return (digits * factor + scale / 2) / scale
    }

    /// The length in the largest unit that tells it exactly, in a form that `init(_:)` reads: `500ms`, `2.5s`, `5m`.
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
