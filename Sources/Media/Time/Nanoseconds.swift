internal import Glibc

/// A length of time, signed, in whole nanoseconds: ± 292 years.
///
/// Sums, differences and products that lie beyond are clamped: times of files and devices may be anything.
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

    init(_ time: timespec) {
        self = .seconds(Int64(time.tv_sec)) + Self(Int64(time.tv_nsec))
    }

    public static let zero = Self(0)
    public static func microseconds(_ count: Int64) -> Self { Self(count.clampedProduct(1_000)) }
    public static func milliseconds(_ count: Int64) -> Self { Self(count.clampedProduct(1_000_000)) }
    /// How long `count` of so many a second take, to the nearest nanosecond: samples, frames, ticks. `rate` is above zero.
    public static func duration(of count: Int64, perSecond rate: Int64) -> Self {
        Self(count.rescaled(from: rate, to: 1_000_000_000))
    }
    public static func seconds(_ count: Int64) -> Self { Self(count.clampedProduct(1_000_000_000)) }

    /// The nearest whole nanosecond to a number of seconds; 0 of what is no number.
    public static func seconds(rounding seconds: Double) -> Self {
        Self(Int64(rounding: seconds * 1e9))
    }

    public var inSeconds: Double { Double(count) / 1e9 }
    public var inMilliseconds: Double { Double(count) / 1e6 }
    public var magnitude: Self { Self(Int64(clamping: count.magnitude)) }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.count < rhs.count }
    public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.count.clampedSum(rhs.count)) }
    public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.count.clampedDifference(rhs.count)) }
    public static func * (lhs: Self, rhs: Int64) -> Self { Self(lhs.count.clampedProduct(rhs)) }
    public static func / (lhs: Self, rhs: Int64) -> Self { Self(lhs.count / rhs) }
    public static prefix func - (value: Self) -> Self { .zero - value }
}

extension Nanoseconds {
    /// Reads a length of time as people write it: `10`, `2.5`, `500ms`, `10s`, `90min`, `2h`, `1h30m`, `1:30`, `1:30:00`.
    ///
    /// A number alone means seconds, `1:30` a minute and a half. A minus before it is allowed. The nearest whole nanosecond is
    /// taken.
    /// - Returns: `nil` for anything else, for a number of more than ten digits before the point or twelve after it, for units
    ///   that do not become smaller, for minutes and seconds above 59 after a colon, and for more than 2⁶³ nanoseconds.
    public init?(_ text: String) {
        let isNegative = text.hasPrefix("-")
        let length = text.dropFirst(isNegative ? 1 : 0)
        let total = length.contains(":") ? Self.clock(length) : Self.parts(length)
        guard let total, let count = Int64(exactly: isNegative ? -total : total) else { return nil }
        self.init(count)
    }

    /// The names of units, the largest unit first.
    private static let units: [(names: [String], nanoseconds: Int128)] = [
        (["h"], 3_600_000_000_000), (["m", "min"], 60_000_000_000), (["s", "sec"], 1_000_000_000),
        (["ms"], 1_000_000),
    ]

    /// `1h30m`, or a number alone.
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

    /// `1:30` and `1:30:00`.
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

    /// A number such as `2.5` times a factor, to the nearest whole.
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
