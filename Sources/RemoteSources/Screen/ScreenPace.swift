internal import Media

/// When the frames of a screen are due. A value: time is an argument.
struct ScreenPace {
    private let rate: FrameRate
    private let begin: ClockTime
    private var number: Int64 = 0

    /// - Parameters:
    ///   - rate: Frames per second.
    ///   - begin: When the first frame is due.
    init(_ rate: FrameRate, from begin: ClockTime) { (self.rate, self.begin) = (rate, begin) }

    /// When the present frame is due.
    var due: ClockTime { begin + Nanoseconds(rate.time(ofTick: number).nanoseconds) }

    /// Goes on to the next frame. Frames that are due an interval ago or earlier are left out: nobody can look at the past.
    ///
    /// - Returns: How many were left out.
    mutating func advance(at now: ClockTime) -> Int {
        number += 1
        guard now - due >= rate.interval else { return 0 }
        let last = rate.ticks(before: MediaTime(nanoseconds: (now - begin).count + 1)) - 1
        let missing = max(last - number, 0)
        number += missing
        return Int(missing)
    }
}
