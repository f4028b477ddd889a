public import Media

/// A short event that cameras see and microphones hear at one instant: a flash, a beep, a hand clap.
public struct SharpEvent: Sendable, Equatable {
    /// Earliest time at which the event may have begun. The range to `latest` is some microseconds wide for audio, and an
    /// exposure for frames.
    public let earliest: MediaTime
    /// Latest time at which the event may have begun.
    public let latest: MediaTime
    /// How far the event rose above the usual level before it, as a multiple of the detector's threshold: at least 1.
    public let strength: Double

    /// Creates an event that began between `earliest` and `latest`, both included.
    public init(earliest: MediaTime, latest: MediaTime, strength: Double) {
        precondition(earliest <= latest, "an event begins before it has begun")
        self.earliest = earliest
        self.latest = latest
        self.strength = strength
    }

    /// Middle between `earliest` and `latest`.
    public var middle: MediaTime {
        MediaTime(nanoseconds: earliest.nanoseconds + (latest.nanoseconds - earliest.nanoseconds) / 2)
    }
}
