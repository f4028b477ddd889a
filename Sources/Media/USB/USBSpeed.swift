/// The speed of a USB connection, in megabits per second as sysfs has it.
public enum USBSpeed: Int, Sendable, Hashable, Comparable, Codable, CaseIterable {
    /// Low speed, 1.5 Mbit/s; the raw value is rounded down.
    case low = 1
    case full = 12
    case high = 480
    case superSpeed = 5_000
    /// USB 3.1 Gen 2, 10 Gbit/s.
    case superPlus = 10_000
    /// USB 3.2 Gen 2×2, 20 Gbit/s.
    case superPlusByTwo = 20_000

    /// Reads a speed; `nil` for one that is not known.
    ///
    /// - Parameter text: The text of sysfs's `speed`: `1.5`, `480`, `10000`.
    public init?(_ text: String) {
        guard let speed = Self.allCases.first(where: { text == ($0 == .low ? "1.5" : "\($0.rawValue)") })
        else { return nil }
        self = speed
    }

    /// Whether the left speed is lower than the right one.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The speed as people write it: `480 Mbit/s`.
    public var name: String { self == .low ? "1.5 Mbit/s" : "\(rawValue) Mbit/s" }
}
