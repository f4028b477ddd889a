internal import Glibc
internal import Media

/// One instant on two clocks of this computer.
struct ClockPair: Sendable {
    /// On CLOCK_MONOTONIC.
    let monotonic: ClockTime
    /// UTC by CLOCK_REALTIME, in nanoseconds since 1970.
    let utc: Int64

    init(monotonic: ClockTime, utc: Int64) { (self.monotonic, self.utc) = (monotonic, utc) }

    /// Reads both, the second between two readings of the first; of several tries the one that took the shortest.
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

    /// How far UTC is from CLOCK_MONOTONIC.
    var distance: Nanoseconds { Nanoseconds(utc) - Nanoseconds(monotonic.nanoseconds) }
}
