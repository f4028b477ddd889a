internal import Glibc
internal import MulticamMedia

/// Offset between this computer's clock and the group's time, as measured by chrony.
struct GroupClockReading: Codable, Sendable, Equatable {
    /// Address of chrony's current time source.
    var source: String
    /// Difference between the group's time and this computer's clock, in nanoseconds.
    var offset_ns: Int64
    /// Maximum error of `offset_ns` in nanoseconds: root delay ÷ 2 + root dispersion. Because this computer
    /// computes the group's time from the offset, this is also the maximum error of the group's time on this
    /// computer.
    var bound_ns: Int64
    /// Root delay of the time source in nanoseconds. Half of the root delay contributes to the bound.
    var root_delay_ns: Int64
    /// Contribution of the source and the network path to the bound, in nanoseconds.
    var root_dispersion_ns: Int64
    /// Frequency error of this computer's clock relative to the group's time, in parts per million; negative if the
    /// clock is slow.
    var ppm: Double
    /// Nanoseconds since chrony's last measurement.
    var age_ns: Int64
    /// Number of times this computer's clock was set since measurement started.
    var steps: Int
}

extension GroupClockReading {
    /// Creates a reading from chrony's tracking data.
    ///
    /// - Parameters:
    ///   - tracking: The tracking data that chronyc printed.
    ///   - now: Time of the reading.
    ///   - steps: Number of times this computer's clock was set since measurement started.
    init(_ tracking: ChronyTracking, at now: ClockPair, steps: Int) {
        self.init(
            source: tracking.source, offset_ns: tracking.offset.count, bound_ns: tracking.bound.count,
            root_delay_ns: tracking.rootDelay.count, root_dispersion_ns: tracking.rootDispersion.count,
            ppm: tracking.ppm,
            age_ns: max((Nanoseconds(now.utc) - Nanoseconds(tracking.measuredAt)).count, 0), steps: steps)
    }
}

/// A point in time, read on two clocks of this computer.
struct ClockPair: Sendable {
    /// Time on CLOCK_MONOTONIC.
    let monotonic: ClockTime
    /// UTC on CLOCK_REALTIME, in nanoseconds since 1970.
    let utc: Int64

    init(monotonic: ClockTime, utc: Int64) { (self.monotonic, self.utc) = (monotonic, utc) }

    /// Reads CLOCK_MONOTONIC and CLOCK_REALTIME. CLOCK_REALTIME is read between two readings of
    /// CLOCK_MONOTONIC, and the fastest of several attempts is used because its result is the most precise.
    static func now() -> ClockPair {
        var best: (pair: ClockPair, width: Int64)?
        for _ in 0..<5 {
            let before = read(CLOCK_MONOTONIC)
            let utc = read(CLOCK_REALTIME)
            let after = read(CLOCK_MONOTONIC)
            let width = after - before
            if width < best?.width ?? .max {
                best = (ClockPair(monotonic: ClockTime(nanoseconds: before + width / 2), utc: utc), width)
            }
        }
        return best?.pair ?? ClockPair(monotonic: ClockTime(nanoseconds: 0), utc: 0)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return (Nanoseconds.seconds(Int64(time.tv_sec)) + Nanoseconds(Int64(time.tv_nsec))).count
    }

    /// Difference between UTC and CLOCK_MONOTONIC at this point in time.
    var distance: Nanoseconds { Nanoseconds(utc) - Nanoseconds(monotonic.nanoseconds) }
}
