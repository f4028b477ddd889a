internal import Media

/// Counts the frames that are missing between two, by their time stamps.
///
/// A gap counts in a stream that was regular before. A camera that lowers its own rate in dim light has one gap after the other, and loses
/// nothing.
struct FrameContinuity {
    /// The time between two frames.
    let interval: Nanoseconds
    /// Whether frames come in another order than they are shown.
    var isReordered: Bool { disorder > Self.mostDisorder }
    /// Frames that came before earlier ones, each ten points, less one for each that did not.
    private var disorder = 0
    private var last: Nanoseconds?
    /// How many frames in a row came one interval after the other.
    private var regular = 0
    /// Frames dropped since one was passed on.
    private var dropped = 0

    /// Regular frames before a gap that make it a loss.
    private static let enough = 10
    private static let mostDisorder = 30
    /// Most missing frames that are counted at once, in seconds of the stream: a longer gap is an outage.
    private static let longest = Nanoseconds.seconds(10)

    init(interval: Nanoseconds) { self.interval = max(interval, Nanoseconds(1)) }

    /// Takes a frame.
    ///
    /// - Parameters:
    ///   - stamp: Its time stamp.
    ///   - isDamaged: Whether something of it or before it is known to be lost.
    ///   - isLossKnown: Whether something before it is known to be lost, and it is whole.
    /// - Returns: The number of frames that are missing before it; `nil` when it is to be dropped.
    mutating func take(_ stamp: Nanoseconds, isDamaged: Bool, isLossKnown: Bool = false) -> Int? {
        guard let before = last else {
            last = stamp
            guard !isDamaged else { return drop() }
            defer { dropped = 0 }
            return dropped
        }
        let distance = stamp - before
        disorder = max(distance <= .zero ? disorder + 10 : disorder - 1, 0)
        last = stamp
        let steps = Double(distance.count) / Double(interval.count)
        let isRegular = (0.6...1.4).contains(steps)
        var missing = 0
        if steps > 1.5, distance < Self.longest, regular >= Self.enough || isDamaged || isLossKnown {
            missing = Int(rounding: steps) - 1
        }
        regular = isRegular ? regular + 1 : 0
        dropped += missing
        guard !isDamaged else { return drop() }
        defer { dropped = 0 }
        return dropped
    }

    /// The stamps count another time from here on: how many frames are missing before the next one, they do not tell.
    mutating func interrupt() { last = nil }

    /// Counts the frame that was just taken as lost after all.
    mutating func lose() { dropped += 1 }

    private mutating func drop() -> Int? {
        dropped += 1
        return nil
    }
}
