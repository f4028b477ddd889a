/// An instant on the session clock: nanoseconds of `CLOCK_MONOTONIC`, which never jumps when the wall clock is set. While a group of
/// computers records, the session clock is a `SteeredClock`, which runs as the group's time does; an instant of it and one of
/// `CLOCK_MONOTONIC`, by which devices stamp, are then two scales, between which `SessionClock` converts.
///
/// Every captured frame and every slice of captured audio carries one. Instants relative to a recording's start are
/// `MediaTime`. Sums and differences clamp as those of `Nanoseconds` do.
public struct ClockTime: Sendable, Hashable, Comparable, Codable {
    /// Nanoseconds since the clock's zero, which is that of `CLOCK_MONOTONIC`.
    public var nanoseconds: Int64

    /// Makes an instant from nanoseconds since the clock's zero.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Whether the left instant is earlier than the right one.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
    /// The signed time from the right instant to the left one, clamped to 64 bits.
    public static func - (lhs: Self, rhs: Self) -> Nanoseconds {
        Nanoseconds(lhs.nanoseconds.clampedDifference(rhs.nanoseconds))
    }
    /// The instant that lies `rhs` after `lhs`, clamped to 64 bits.
    public static func + (lhs: Self, rhs: Nanoseconds) -> Self {
        Self(nanoseconds: lhs.nanoseconds.clampedSum(rhs.count))
    }
    /// The instant that lies `rhs` before `lhs`, clamped to 64 bits.
    public static func - (lhs: Self, rhs: Nanoseconds) -> Self {
        Self(nanoseconds: lhs.nanoseconds.clampedDifference(rhs.count))
    }
}
