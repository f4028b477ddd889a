internal import Media

/// Decides which pictures an encoder gets while the governor has an eye on it: those of the rate that it was given, and
/// fewer when its queue is about to overflow. What is left out is decided here, and never left to chance.
///
/// A value: ticks and the queue's length in, a verdict out.
struct EncoderIntake: Sendable {
    /// Where a queue that fills is thinned out: to half of the pictures, and to none. Between the two are some tenths of a
    /// second, in which the governor's steps show.
    private static let (thin, full) = (0.8, 0.95)

    private let room: Int
    private let gridRate: FrameRate
    private var dropping: EvenDropping?
    private var thinning: EvenDropping?
    /// Pictures that were left out because the queue was about to overflow.
    private(set) var overflowCount = 0

    /// - Parameters:
    ///   - rate: Of the grid.
    ///   - room: The queue's, in pictures.
    init(rate: FrameRate, room: Int) {
        gridRate = rate
        self.room = max(room, 1)
    }

    /// Lowers the rate of pictures that are let through, or lets through all.
    mutating func lower(to rate: FrameRate) {
        dropping = rate < gridRate ? EvenDropping(rate: rate) : nil
    }

    /// - Parameters:
    ///   - time: Of the tick.
    ///   - queueLength: What waits now.
    /// - Returns: Whether the encoder gets the tick's picture.
    mutating func takes(_ time: MediaTime, queueLength: Int) -> Bool {
        let isKept = dropping?.keeps(time) ?? true
        let fill = Double(queueLength) / Double(room)
        guard fill >= Self.thin else {
            thinning = nil
            return isKept
        }
        var thinner = thinning ?? EvenDropping(rate: FrameRate(gridRate.pictures, per: gridRate.seconds * 2))
        let isThinned = fill >= Self.full || !thinner.keeps(time)
        thinning = thinner
        guard isKept, isThinned else { return isKept }
        overflowCount += 1
        return false
    }
}
