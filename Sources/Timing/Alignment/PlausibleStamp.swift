package import Media

/// The ranges of plausible counts and time stamps of devices. Implausible ones are rejected: sums of them could exceed 64 bits,
/// and a track would have to be silent for years.
package enum PlausibleStamp {
    /// Plausible values of a device's frame count: at one frame a second and more the difference of two takes less than 2⁶³ ns.
    package static let frames: ClosedRange<Int64> = -(1 << 32)...(1 << 32)
    /// Plausible values of a device's sample count: at 8000 samples a second and more the difference of two takes less than
    /// 2⁶³ ns.
    package static let samples: ClosedRange<Int64> = -(1 << 45)...(1 << 45)

    private static let mostAhead = Nanoseconds.seconds(10)
    private static let mostBehind = Nanoseconds.seconds(3600)

    /// The time that a clock model gives a frame or slice, or its stamp where the two are more than ten seconds apart, as after a
    /// jump of the device's count: hours of silence, and a frame that nobody ever shows, would follow.
    package static func time(modelled: ClockTime, stamped: ClockTime) -> ClockTime {
        (modelled - stamped).magnitude > mostAhead ? stamped : modelled
    }

    /// The capture time of a frame or slice: its stamp, or its arrival where the stamp is more than ten seconds ahead of that or
    /// an hour behind.
    package static func time(_ stamp: ClockTime, arrival: ClockTime) -> ClockTime {
        (arrival - mostBehind...arrival + mostAhead).contains(stamp) ? stamp : arrival
    }
}
