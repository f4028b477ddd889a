import Media

/// Checks the time stamps of a media file that is played: the file may hold any number, and playing does not wait out a
/// far jump.
struct FileTimes {
    private var reached: Nanoseconds?

    /// Longest plausible jump forward, 30 days: recordings may have holes of days.
    private static let longestHole = Nanoseconds.seconds(30 * 86_400)
    /// Longest plausible jump back, 10 s: packets overlap, and frames may be out of order.
    private static let longestReturn = Nanoseconds.seconds(10)

    /// Checks the next time stamp.
    ///
    /// - Parameter time: Time since the file's first frame or sample.
    /// - Returns: The cause to report when playing must end here; `nil` while it goes on.
    mutating func problem(at time: Nanoseconds) -> String? {
        let last = reached ?? .zero
        defer { reached = time }
        let step = time - last
        guard step > Self.longestHole || step < .zero - Self.longestReturn else { return nil }
        let (way, length) = step > .zero ? ("forward", step) : ("back", .zero - step)
        return
            "the file's time stamps jump \(way) by \(Int64(rounding: length.inSeconds)) s after \(last.text)"
    }
}
