/// An instant on the session clock: nanoseconds of `CLOCK_MONOTONIC`, which never jumps when the wall clock is set.
///
/// Every captured frame and audio carries one. Instants relative to a recording's start are `MediaTime`. Sums and differences
/// clamp as those of `Nanoseconds` do.
public struct ClockTime: Sendable, Hashable, Comparable, Codable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
    public static func - (lhs: Self, rhs: Self) -> Nanoseconds {
        Nanoseconds(lhs.nanoseconds.clampedDifference(rhs.nanoseconds))
    }
    public static func + (lhs: Self, rhs: Nanoseconds) -> Self {
        Self(nanoseconds: lhs.nanoseconds.clampedSum(rhs.count))
    }
    public static func - (lhs: Self, rhs: Nanoseconds) -> Self {
        Self(nanoseconds: lhs.nanoseconds.clampedDifference(rhs.count))
    }
}
