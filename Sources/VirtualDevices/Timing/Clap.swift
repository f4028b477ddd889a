import Media

/// The one event that all synthetic devices see and hear, at every whole second of CLOCK_MONOTONIC.
enum Clap {
    private static let interval: Int64 = 1_000_000_000

    /// Whether a clap lies in the exposure [`start`, `end`).
    static func isSeen(from start: ClockTime, until end: ClockTime) -> Bool {
        (end.nanoseconds - 1).floorDivided(by: interval) * interval >= start.nanoseconds
    }

    /// The time from the last clap to `instant`: below one second.
    static func timeSince(_ instant: ClockTime) -> Nanoseconds {
        Nanoseconds(instant.nanoseconds - instant.nanoseconds.floorDivided(by: interval) * interval)
    }
}
