internal import Glibc

/// A signed duration in whole nanoseconds, with a range of ± 292 years.
///
/// Sums, differences, and products beyond this range are clamped, because times from files and devices can
/// have any value.
///
/// `Nanoseconds` is used instead of `Swift.Duration`, which counts attoseconds in 128 bits, because
/// arithmetic with ticks and samples needs 64-bit integers and exact division.
public struct Nanoseconds: Sendable, Hashable, Comparable, Codable {
    /// Number of nanoseconds; can be negative.
    public var count: Int64

    /// Creates a duration of `count` nanoseconds.
    public init(_ count: Int64) {
        self.count = count
    }

    /// Decodes a duration from a single integer: the number of nanoseconds.
    ///
    /// - Throws: `DecodingError` if the value isn't a 64-bit integer.
    public init(from decoder: any Decoder) throws {
        count = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the duration as a single integer: the number of nanoseconds.
    ///
    /// - Throws: Any error thrown by the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(count)
    }

    /// Creates a duration from one of the standard library, rounded down to nanoseconds and clamped to 64 bits.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .seconds(seconds) + Self(attoseconds / 1_000_000_000)
    }

    /// Creates a duration from a system `timespec`.
    init(_ time: timespec) {
        self = .seconds(Int64(time.tv_sec)) + Self(Int64(time.tv_nsec))
    }

    /// A duration of 0 ns.
    public static let zero = Self(0)
    /// Returns a duration of `count` microseconds, clamped to 64-bit nanoseconds.
    package static func microseconds(_ count: Int64) -> Self { Self(count.clampedProduct(1_000)) }
    /// Returns a duration of `count` milliseconds, clamped to 64-bit nanoseconds.
    public static func milliseconds(_ count: Int64) -> Self { Self(count.clampedProduct(1_000_000)) }
    /// Returns the duration of `count` samples, frames, or ticks at `rate` per second, rounded to the nearest
    /// nanosecond. `rate` must be positive.
    package static func duration(of count: Int64, perSecond rate: Int64) -> Self {
        Self(count.rescaled(from: rate, to: 1_000_000_000))
    }
    /// Returns a duration of `count` seconds, clamped to 64-bit nanoseconds.
    public static func seconds(_ count: Int64) -> Self { Self(count.clampedProduct(1_000_000_000)) }

    /// Returns a duration of a fractional number of seconds, rounded to the nearest nanosecond and clamped to
    /// 64 bits; 0 for NaN.
    public static func seconds(rounding seconds: Double) -> Self {
        Self(Int64(rounding: seconds * 1e9))
    }

    /// The duration in seconds as a floating-point number.
    public var inSeconds: Double { Double(count) / 1e9 }
    /// The duration in milliseconds as a floating-point number.
    public var inMilliseconds: Double { Double(count) / 1e6 }
    /// The absolute value of the duration.
    package var magnitude: Self { Self(Int64(clamping: count.magnitude)) }

    /// Whether the left duration is smaller than the right duration; negative durations are smaller than
    /// zero.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.count < rhs.count }
    /// Returns the sum of two durations, clamped to 64 bits.
    public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.count.clampedSum(rhs.count)) }
    /// Returns the difference of two durations, clamped to 64 bits.
    public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.count.clampedDifference(rhs.count)) }
    /// Returns the duration multiplied by an integer, clamped to 64 bits.
    public static func * (lhs: Self, rhs: Int64) -> Self { Self(lhs.count.clampedProduct(rhs)) }
    /// Returns the duration divided by an integer other than 0, rounded toward zero.
    public static func / (lhs: Self, rhs: Int64) -> Self { Self(lhs.count / rhs) }
    /// Returns the negated duration, clamped to 64 bits.
    public static prefix func - (value: Self) -> Self { .zero - value }
}

extension Nanoseconds: CustomStringConvertible {
    /// The duration in seconds, such as `2.5 s`.
    public var description: String { "\(inSeconds) s" }
}

extension Duration {
    /// Creates a duration from a number of nanoseconds.
    public init(_ duration: Nanoseconds) { self = .nanoseconds(duration.count) }
}

extension Nanoseconds {
    /// Parses a duration as written by users: `10`, `2.5`, `500ms`, `10s`, `90min`, `2h`, `1h30m`, `1:30`,
    /// `1:30:00`.
    ///
    /// A number without a unit is in seconds, and `1:30` means one minute and 30 seconds. A leading minus
    /// sign is allowed. The result is rounded to the nearest nanosecond.
    /// - Returns: The duration, or `nil` if the text is invalid. For example, the text is invalid if a number
    ///   has more than ten digits before or twelve digits after the decimal point, if the units aren't in
    ///   descending order, if minutes or seconds after a colon exceed 59, or if the duration exceeds 2⁶³
    ///   nanoseconds.
    public init?(_ text: String) {
        let isNegative = text.hasPrefix("-")
        let length = text.dropFirst(isNegative ? 1 : 0)
        let total = length.contains(":") ? Self.parseClock(length) : Self.parseUnits(length)
        guard let total, let count = Int64(exactly: isNegative ? -total : total) else { return nil }
        self.init(count)
    }

    /// Accepted names and duration in nanoseconds of each time unit, largest unit first.
    private static let units: [(names: [String], nanoseconds: Int128)] = [
        (["h"], 3_600_000_000_000), (["m", "min"], 60_000_000_000), (["s", "sec"], 1_000_000_000),
        (["ms"], 1_000_000),
    ]

    /// Parses durations such as `1h30m`, or a number of seconds without a unit.
    private static func parseUnits(_ text: Substring) -> Int128? {
        if let seconds = scaled(text, by: 1_000_000_000) { return seconds }
        var rest = text
        var total: Int128 = 0
        var smallest = units.startIndex
        repeat {
            let number = rest.prefix { $0.isNumber || $0 == "." }
            let name = rest.dropFirst(number.count).prefix { !$0.isNumber && $0 != "." }
            rest = rest.dropFirst(number.count + name.count)
            guard let unit = units[smallest...].firstIndex(where: { $0.names.contains(String(name)) }),
                // Only the last number of a duration may have a fraction.
                rest.isEmpty || !number.contains("."),
                let part = scaled(number, by: units[unit].nanoseconds)
            else { return nil }
            total += part
            smallest = unit + 1
        } while !rest.isEmpty
        return total
    }

    /// Parses durations such as `1:30` (minutes and seconds) and `1:30:00` (hours, minutes, and seconds).
    private static func parseClock(_ text: Substring) -> Int128? {
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

    /// Parses a decimal number such as `2.5` and multiplies it by a factor, rounded to the nearest integer.
    private static func scaled(_ number: Substring, by factor: Int128) -> Int128? {
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isDigits = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isDigits, let whole = parts.first, whole.utf8.count <= 10 else { return nil }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 12 else { return nil }
        // The product of at most 22 digits and the 13 digits of an hour in nanoseconds fits into 128 bits.
        guard let digits = Int128(whole + fraction) else { return nil }
        var scale: Int128 = 1
        for _ in fraction.utf8 { scale *= 10 }
        return (digits * factor + scale / 2) / scale
    }

    /// The duration in the largest unit that represents the duration exactly, in a form that `init(_:)`
    /// parses: `500ms`, `2.5s`, `5m`.
    package var text: String {
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

extension Nanoseconds {
    /// The duration in readable form, rounded down to a precision that depends on the length of the duration:
    /// `1 h 30 min`, `2 min 5 s`, `8 s`, `0.25 s`, `416 days 16 h`.
    ///
    /// Durations below one second are rounded down to milliseconds, and durations below one minute to
    /// hundredths of a second. Use this text only in messages, because `init(_:)` can't parse every such
    /// text.
    package var displayText: String {
        guard count >= 0 else { return "−" + Nanoseconds(count == .min ? .max : -count).displayText }
        let seconds = count / 1_000_000_000
        switch seconds {
        case ..<1: return Self.decimal(thousandths: count / 1_000_000)
        case ..<60: return Self.decimal(thousandths: count / 10_000_000 * 10)
        case ..<3600: return Self.pair(seconds / 60, "min", seconds % 60, "s")
        case ..<172_800: return Self.pair(seconds / 3600, "h", seconds / 60 % 60, "min")
        default: return Self.pair(seconds / 86_400, "days", seconds / 3600 % 24, "h")
        }
    }

    /// Returns a number of seconds with up to three decimal places: `2.5 s`.
    private static func decimal(thousandths: Int64) -> String {
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        var fraction = String(String(1000 + rest).dropFirst())
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)") + " s"
    }

    /// Returns a duration in two units such as `1 h 30 min`, or only in the larger unit if the smaller number
    /// is 0: `1 h`.
    private static func pair(_ large: Int64, _ unit: String, _ small: Int64, _ smallUnit: String) -> String {
        small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
    }
}
