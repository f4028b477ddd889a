/// A point on a recording's timeline, in nanoseconds since its first instant (T0).
public struct MediaTime: Sendable, Hashable, Comparable, Codable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public init(_ instant: ClockTime, since start: ClockTime) {
        nanoseconds = (instant - start).count
    }

    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    public static let zero = Self(nanoseconds: 0)
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    /// Converts to ticks of a container's time base, to the nearest tick.
    ///
    /// The result does not overflow or drift however long the session runs; what lies beyond 64 bits is clamped.
    ///
    /// - Parameter ticksPerSecond: The track's rate, for example 90 000 for MPEG video or 48 000 for 48 kHz audio.
    ///   Above zero.
    /// - Returns: Ticks since the session began. Negative before its start.
    public func ticks(perSecond ticksPerSecond: Int64) -> Int64 {
        nanoseconds.rescaled(from: 1_000_000_000, to: ticksPerSecond)
    }
}
