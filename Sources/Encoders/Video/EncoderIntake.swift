package import Media
internal import Monitoring

/// Decides which frames an encoder gets while the governor has an eye on it: those of the rate that it was given, and
/// fewer when its queue is about to overflow, or would take so long that a crash took more than a second. What is left out is
/// decided here, and never left to chance.
///
/// A value: ticks and what waits in, a verdict out.
package struct EncoderIntake: Sendable {
    /// Where a queue that fills is thinned out: to half of the frames, and to none. Between the two are some tenths of a
    /// second, in which the governor's steps show.
    private static let (thin, full) = (0.8, 0.95)
    /// Likewise by the time that it takes to encode what waits. A crash takes that, and besides 0.15 s until a tick is decided, 0.2 s
    /// in the encoder, 0.1 s of the fragment that is not written yet: a second at most. The governor sees a third of a second.
    private static let thinBacklog = Nanoseconds.milliseconds(400)

    private let room: Int
    private let gridRate: FrameRate
    private var dropping: FrameDecimator?
    private var thinning: FrameDecimator?
    /// Whether the encoder gets no new frame at all.
    package var isPaused = false
    /// Frames that were left out because of what waited.
    package private(set) var overflowCount = 0

    /// - Parameters:
    ///   - rate: Of the grid.
    ///   - room: The queue's, in frames.
    package init(rate: FrameRate, room: Int) {
        gridRate = rate
        self.room = max(room, 1)
    }

    /// Lowers the rate of frames that are let through, or lets through all.
    package mutating func lower(to rate: FrameRate) {
        dropping = rate < gridRate ? FrameDecimator(rate: rate) : nil
    }

    /// - Parameters:
    ///   - time: Of the tick.
    ///   - queueLength: How many frames wait now.
    ///   - backlog: How long it will take to encode them; zero where time is simulated.
    /// - Returns: Whether the encoder gets the tick's frame.
    package mutating func takes(_ time: MediaTime, queueLength: Int, backlog: Nanoseconds) -> Bool {
        let isKept = !isPaused && dropping?.keeps(time) ?? true
        let fill = Double(queueLength) / Double(room)
        guard fill >= Self.thin || backlog >= Self.thinBacklog else {
            thinning = nil
            return isKept
        }
        var thinner = thinning ?? FrameDecimator(rate: FrameRate(gridRate.frames, per: gridRate.seconds * 2))
        let isFull = fill >= Self.full || backlog >= GovernorMeasure.fullBacklog
        let isThinned = isFull || !thinner.keeps(time)
        thinning = thinner
        guard isKept, isThinned else { return isKept }
        overflowCount += 1
        return false
    }
}
