import Media

/// How long to wait before a camera that was found but does not deliver is tried again: twice as long each time, since an
/// attempt costs the bus and the camera more than it costs us.
///
/// A value: the caller sleeps.
struct RetryPauses {
    private static let shortest = Nanoseconds.milliseconds(200)
    private static let longest = Nanoseconds.seconds(8)
    private var upcoming = shortest

    /// The pause before the next attempt.
    mutating func next() -> Nanoseconds {
        defer { upcoming = min(upcoming * 2, Self.longest) }
        return upcoming
    }

    /// It has delivered, or is another one: the next failure is a first one again.
    mutating func reset() {
        upcoming = Self.shortest
    }
}
