/// A point on a recording's timeline, in nanoseconds since its first instant (T0).
public struct MediaTime: Sendable, Hashable, Comparable, Codable {
    /// Nanoseconds since T0; negative before it.
    public var nanoseconds: Int64

    /// Makes a time from nanoseconds since T0.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Makes the time of an instant on the session clock relative to `start`, the recording's T0.
    public init(_ instant: ClockTime, since start: ClockTime) {
        nanoseconds = (instant - start).count
    }

    /// Reads a single integer: nanoseconds since T0.
    ///
    /// - Throws: `DecodingError` when the value is no 64-bit integer.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes a single integer: nanoseconds since T0.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    /// T0, the first instant of the recording.
    public static let zero = Self(nanoseconds: 0)

    /// The instant that lies `time` after this one, clamped to 64 bits.
    public func later(by time: Nanoseconds) -> MediaTime {
        MediaTime(nanoseconds: (Nanoseconds(nanoseconds) + time).count)
    }
    /// Whether the left time is earlier than the right one.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    /// Converts to ticks of a container's time base, to the nearest tick.
    ///
    /// The result neither drifts nor overflows however long the session runs; values beyond 64 bits are clamped.
    ///
    /// - Parameter ticksPerSecond: The track's rate, for example 90 000 for MPEG video or 48 000 for 48 kHz audio. Above
    ///   zero.
    /// - Returns: Ticks since T0; negative before it.
    public func ticks(perSecond ticksPerSecond: Int64) -> Int64 {
        nanoseconds.rescaled(from: 1_000_000_000, to: ticksPerSecond)
    }
}
