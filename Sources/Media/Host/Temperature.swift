/// A temperature in thousandths of a degree Celsius, the kernel's unit.
public struct Temperature: Sendable, Hashable, Comparable {
    /// Thousandths of a degree Celsius.
    public let millidegrees: Int

    /// Makes a temperature from thousandths of a degree Celsius.
    public init(millidegrees: Int) {
        self.millidegrees = millidegrees
    }

    /// Makes a temperature from whole degrees Celsius.
    public init(degrees: Int) {
        millidegrees = degrees * 1000
    }

    /// The temperature in degrees Celsius.
    public var degrees: Double { Double(millidegrees) / 1000 }

    /// Whether the left temperature is lower than the right one.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.millidegrees < rhs.millidegrees }
}

extension Temperature: CustomStringConvertible {
    /// The temperature in whole degrees, `87 °C`: sensors seldom know more.
    public var description: String { "\(Int(rounding: degrees)) °C" }
}
