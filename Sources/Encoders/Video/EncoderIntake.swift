package import Media
internal import Monitoring

/// Decides which frames an encoder gets while the governor runs: those of the rate that the governor allows, and
/// fewer when the queue is about to overflow, or when what waits would take so long that a crash would lose more than
/// a second. Frames are dropped here by decision, never by chance.
///
/// A value: ticks and the queue's length in, decisions out.
package struct EncoderIntake: Sendable {
    /// Fill of the queue, 0…1, from which on half of the frames are dropped, and all of them. Between the two lie
    /// some tenths of a second, in which the governor's steps take effect.
    private static let (thin, full) = (0.8, 0.95)
    /// Time to encode what waits from which on half of the frames are dropped. A crash loses that, and besides 0.15 s
    /// until a tick is decided, 0.2 s in the encoder and 0.1 s of the fragment that is not written yet: a second at
    /// most. The governor acts from a third of a second on.
    private static let thinBacklog = Nanoseconds.milliseconds(400)

    private let room: Int
    private let gridRate: FrameRate
    private var dropping: FrameDecimator?
    private var thinning: FrameDecimator?
    /// Whether the encoder gets no new frame at all.
    package var isPaused = false
    /// Frames that were dropped because of what waited.
    package private(set) var overflowCount = 0

    /// Creates an intake that lets all frames through.
    ///
    /// - Parameters:
    ///   - rate: Rate of the grid.
    ///   - room: Room of the encoder's queue, in frames.
    package init(rate: FrameRate, room: Int) {
        gridRate = rate
        self.room = max(room, 1)
    }

    /// Lowers the rate of the frames that are let through; the grid's rate or more lets all through.
    package mutating func lower(to rate: FrameRate) {
        dropping = rate < gridRate ? FrameDecimator(rate: rate) : nil
    }

    /// Decides whether the encoder gets a tick's frame.
    ///
    /// - Parameters:
    ///   - time: Time of the tick.
    ///   - queueLength: How many frames wait now.
    ///   - backlog: How long it takes to encode them; zero in simulated time.
    /// - Returns: Whether the encoder gets the frame.
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
