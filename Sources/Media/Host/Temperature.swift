/// A temperature in thousandths of a degree Celsius, the kernel's unit.
public struct Temperature: Sendable, Hashable, Comparable {
    public let millidegrees: Int

    public init(millidegrees: Int) {
        self.millidegrees = millidegrees
    }

    public init(degrees: Int) {
        millidegrees = degrees * 1000
    }

    public var degrees: Double { Double(millidegrees) / 1000 }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.millidegrees < rhs.millidegrees }
}

extension Temperature: CustomStringConvertible {
    /// `87 °C`: sensors seldom know more.
    public var description: String { "\(Int(rounding: degrees)) °C" }
}
