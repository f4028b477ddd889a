package import Media

/// What a device may say of the time and the number of its frames and slices of audio. What cannot be is not let in: a sum of it
/// could exceed 64 bits, and a track would have to be silent for years.
package enum PlausibleStamp {
    /// A device's own count of frames: at one a second and more the difference of two takes less than 2⁶³ ns.
    package static let frames: ClosedRange<Int64> = -(1 << 32)...(1 << 32)
    /// And that of samples, at 8000 a second and more.
    package static let samples: ClosedRange<Int64> = -(1 << 45)...(1 << 45)

    private static let mostAhead = Nanoseconds.seconds(10)
    private static let mostBehind = Nanoseconds.seconds(3600)

    /// When something was captured: as its stamp says, or, where that is more than ten seconds ahead of its arrival or an hour
    /// behind, when it arrived.
    package static func time(_ stamp: ClockTime, arrival: ClockTime) -> ClockTime {
        (arrival - mostBehind...arrival + mostAhead).contains(stamp) ? stamp : arrival
    }
}
