public import Media

/// How often a microphone was too loud for its converter. Overloads within a second count as one clip, so that each second of a
/// voice that distorts all the time is one. A value: time comes with the audio.
public struct ClipCount: Sendable, Equatable {
    /// Clips so far.
    public private(set) var total = 0
    /// When the last clips began, oldest first: at most a minute's.
    private var recent: [ClockTime] = []

    private static let length = Nanoseconds.seconds(1)
    private static let mostRecent = 60

    /// Notes a slice of audio with an overload.
    ///
    /// - Parameter time: When its first sample was captured, on `CLOCK_MONOTONIC`.
    mutating func note(at time: ClockTime) {
        if let last = recent.last, time < last + Self.length { return }
        total += 1
        if recent.count == Self.mostRecent { recent.removeFirst() }
        recent.append(time)
    }

    /// The number of clips in the minute before an instant on `CLOCK_MONOTONIC`.
    public func inLastMinute(at now: ClockTime) -> Int {
        recent.count { $0 > now - .seconds(60) }
    }
}
