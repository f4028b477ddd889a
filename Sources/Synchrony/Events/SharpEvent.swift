public import Media

/// Something short that cameras see and microphones hear at one instant: a flash, a beep, a clap of hands.
public struct SharpEvent: Sendable, Equatable {
    /// It began between these, both included: for audio they are some microseconds apart, for frames an exposure.
    public let earliest: MediaTime
    public let latest: MediaTime
    /// How far it rose above what was usual before it, as a multiple of that: above 1.
    public let strength: Double

    public init(earliest: MediaTime, latest: MediaTime, strength: Double) {
        precondition(earliest <= latest, "an event begins before it has begun")
        self.earliest = earliest
        self.latest = latest
        self.strength = strength
    }

    /// The middle of what is possible.
    public var middle: MediaTime {
        MediaTime(nanoseconds: earliest.nanoseconds + (latest.nanoseconds - earliest.nanoseconds) / 2)
    }
}
