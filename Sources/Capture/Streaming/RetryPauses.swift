import Media

/// The pauses before a camera that was found but does not deliver is tried again: twice as long each time, from 200 ms
/// to 8 s, since an attempt costs the bus and the camera more than it costs this program.
///
/// A value: the caller sleeps.
struct RetryPauses {
    private static let shortest = Nanoseconds.milliseconds(200)
    private static let longest = Nanoseconds.seconds(8)
    private var upcoming = shortest

    /// Returns the pause before the next attempt, and doubles the one after it.
    mutating func next() -> Nanoseconds {
        defer { upcoming = min(upcoming * 2, Self.longest) }
        return upcoming
    }

    /// Starts again with the shortest pause, because the camera has delivered or is another one.
    mutating func reset() {
        upcoming = Self.shortest
    }
}
