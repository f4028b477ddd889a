/// An instant on the session clock: nanoseconds of `CLOCK_MONOTONIC`, which doesn't jump when the wall clock
/// is set. While a group of computers is recording, the session clock is a `SteeredClock`, which runs at the
/// rate of the group's time. Instants on the session clock then differ from `CLOCK_MONOTONIC`, which devices
/// use for timestamps. `SessionClock` converts between the two clocks.
///
/// Every captured frame and every captured slice of audio has a `ClockTime`. Instants relative to a
/// recording's start have the type `MediaTime`. Sums and differences are clamped as in `Nanoseconds`.
public struct ClockTime: Sendable, Hashable, Comparable, Codable {
    /// Nanoseconds since the session clock's zero point, which is the same as that of `CLOCK_MONOTONIC`.
    public var nanoseconds: Int64

    /// Creates an instant from nanoseconds since the session clock's zero point.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Whether the left instant is earlier than the right instant.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
    /// Returns the signed duration from the right instant to the left instant, clamped to 64 bits.
    public static func - (lhs: Self, rhs: Self) -> Nanoseconds {
        Nanoseconds(lhs.nanoseconds.clampedDifference(rhs.nanoseconds))
    }
    /// Returns the instant that is later than `lhs` by `rhs`, clamped to 64 bits.
    public static func + (lhs: Self, rhs: Nanoseconds) -> Self {
        Self(nanoseconds: lhs.nanoseconds.clampedSum(rhs.count))
    }
    /// Returns the instant that is earlier than `lhs` by `rhs`, clamped to 64 bits.
    public static func - (lhs: Self, rhs: Nanoseconds) -> Self {
        Self(nanoseconds: lhs.nanoseconds.clampedDifference(rhs.count))
    }
}

/// A point on a recording's timeline, in nanoseconds relative to the start of the recording (T0).
public struct MediaTime: Sendable, Hashable, Comparable, Codable {
    /// Nanoseconds relative to T0; negative for times before T0.
    public var nanoseconds: Int64

    /// Creates a time from nanoseconds since T0.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Converts an instant on the session clock to a time relative to `start`, the recording's T0.
    package init(_ instant: ClockTime, since start: ClockTime) {
        nanoseconds = (instant - start).count
    }

    /// Decodes a media time from a single integer: nanoseconds since T0.
    ///
    /// - Throws: `DecodingError` if the value isn't a 64-bit integer.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the media time as a single integer: nanoseconds since T0.
    ///
    /// - Throws: Any error thrown by the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    /// T0, the first instant of the recording.
    public static let zero = Self(nanoseconds: 0)

    /// Returns the media time that is later than this media time by `time`, clamped to 64 bits.
    package func advanced(by time: Nanoseconds) -> MediaTime {
        MediaTime(nanoseconds: (Nanoseconds(nanoseconds) + time).count)
    }
    /// Whether the left time is earlier than the right time.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    /// Converts the media time to ticks of a container's time base, rounded to the nearest tick.
    ///
    /// The result is exact and doesn't overflow, regardless of the session's length; values that exceed 64
    /// bits are clamped.
    ///
    /// - Parameter ticksPerSecond: The track's time base in ticks per second, for example 90 000 for MPEG
    ///   video or 48 000 for 48 kHz audio; must be positive.
    /// - Returns: Ticks relative to T0; negative for times before T0.
    package func ticks(perSecond ticksPerSecond: Int64) -> Int64 {
        nanoseconds.rescaled(from: 1_000_000_000, to: ticksPerSecond)
    }
}

/// Source of the timestamps of a device's frames or audio.
package enum TimeOrigin: String, Sendable, Hashable, Codable, CaseIterable {
    /// The driver on this computer sets the timestamps.
    case driver
    /// The device sets the timestamps from its own wall clock, which is synchronized with this computer's
    /// wall clock.
    case wallClock = "wall-clock"
    /// The timestamp is the arrival time at this computer minus the known part of the transmission delay.
    case arrival
    /// A process maps timestamps from the device's clock to this computer's clock.
    case mapped
}
