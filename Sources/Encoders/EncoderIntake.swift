package import MulticamMedia
internal import MulticamMonitoring

/// Decides which frames an encoder receives while the governor is running. The frame rate is limited to the
/// rate that the governor has set. More frames are dropped when the queue is about to overflow, or when a
/// crash could lose more than one second because encoding the queued frames takes too long. These drops are
/// deliberate and predictable.
///
/// This pure value type computes its decisions from the ticks and the queue's length.
package struct EncoderIntake: Sendable {
    /// Fill levels of the queue (0 to 1). Half of the frames are dropped above the first level, all frames above the
    /// second. Filling the queue from one level to the other takes several tenths of a second, enough for the
    /// governor's steps to take effect.
    private static let (thin, full) = (0.8, 0.95)
    /// Threshold for the encoding time of the queued frames. Above this threshold, half of the new frames are dropped.
    /// A crash loses the queued frames, plus 0.15 s until a tick is decided, 0.2 s in the encoder, and 0.1 s of the
    /// unwritten fragment: at most one second in total. The governor already acts at one third of a second.
    private static let thinBacklog = Nanoseconds.milliseconds(400)

    private let queueCapacity: Int
    private let gridRate: FrameRate
    private var rateDecimator: FrameDecimator?
    private var overflowDecimator: FrameDecimator?
    /// Whether the encoder receives no new frames at all.
    package var isPaused = false
    /// Number of frames dropped because of the queue's length.
    package private(set) var overflowCount = 0

    /// Creates an intake that accepts all frames.
    ///
    /// - Parameters:
    ///   - rate: Rate of the grid.
    ///   - room: Capacity of the encoder's queue, in frames.
    package init(rate: FrameRate, room: Int) {
        gridRate = rate
        self.queueCapacity = max(room, 1)
    }

    /// Reduces the rate of accepted frames. All frames are accepted if the rate is at least the grid's rate.
    package mutating func lowerRate(to rate: FrameRate) {
        rateDecimator = rate < gridRate ? FrameDecimator(rate: rate) : nil
    }

    /// Decides whether the encoder receives a tick's frame.
    ///
    /// - Parameters:
    ///   - time: Time of the tick.
    ///   - queueLength: Number of queued frames.
    ///   - backlog: Time to encode the queued frames; zero in simulated time.
    /// - Returns: Whether the encoder receives the frame.
    package mutating func shouldEncode(_ time: MediaTime, queueLength: Int, backlog: Nanoseconds) -> Bool {
        let isKept = !isPaused && rateDecimator?.shouldKeep(time) ?? true
        let fill = Double(queueLength) / Double(queueCapacity)
        guard fill >= Self.thin || backlog >= Self.thinBacklog else {
            overflowDecimator = nil
            return isKept
        }
        var thinner =
            overflowDecimator ?? FrameDecimator(rate: FrameRate(gridRate.frames, per: gridRate.seconds * 2))
        let isFull = fill >= Self.full || backlog >= GovernorMeasure.fullBacklog
        let isThinned = isFull || !thinner.shouldKeep(time)
        overflowDecimator = thinner
        guard isKept, isThinned else { return isKept }
        overflowCount += 1
        return false
    }
}
