/// How fast a device and its hub talk, in megabits per second as sysfs has it.
public enum USBSpeed: Int, Sendable, Hashable, Comparable, Codable, CaseIterable {
    /// 1.5 Mbit/s.
    case low = 1
    case full = 12
    case high = 480
    case superSpeed = 5_000
    /// USB 3.1 Gen 2.
    case superPlus = 10_000
    /// USB 3.2 Gen 2×2.
    case superPlusByTwo = 20_000

    /// - Parameter text: Of sysfs's `speed`: `1.5`, `480`, `10000`.
    public init?(_ text: String) {
        guard let speed = Self.allCases.first(where: { text == ($0 == .low ? "1.5" : "\($0.rawValue)") })
        else { return nil }
        self = speed
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// As people write it: `480 Mbit/s`.
    public var name: String { self == .low ? "1.5 Mbit/s" : "\(rawValue) Mbit/s" }
}
