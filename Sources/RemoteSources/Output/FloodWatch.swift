internal import Media

/// Notices a sender of more frames than any camera has. Each second is counted alone.
struct FloodWatch {
    private var began = ClockTime(nanoseconds: 0)
    private var frames = 0

    /// Most frames in a second, also after a network has held some seconds of them back.
    private static let most = 1000

    /// Counts a frame.
    ///
    /// - Throws: `SourceError.refused` for too many.
    mutating func count(from address: SourceAddress, at now: ClockTime = MonotonicClock().now)
        throws(SourceError)
    {
        if now - began > .seconds(1) { (began, frames) = (now, 0) }
        frames += 1
        guard frames <= Self.most else {
            throw .refused("\(address) sends more than \(Self.most) frames a second, which no camera does.")
        }
    }
}
