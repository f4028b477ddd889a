import Media

/// The time stamps of a media file that is played: a file may say anything, and one that jumps far is not waited for.
struct FileTimes {
    private var reached: Nanoseconds?

    /// Recordings have holes, of days even.
    private static let longestHole = Nanoseconds.seconds(30 * 86_400)
    /// Packets overlap, and frames may be out of order.
    private static let longestReturn = Nanoseconds.seconds(10)

    /// Passes the next time.
    ///
    /// - Parameter time: Since the file's first.
    /// - Returns: Why the file ends here, as a cause; `nil` while it goes on.
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
