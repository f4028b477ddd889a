internal import Inputs
internal import Media
internal import Timing

/// Follows one camera along one grid: feeds the aligner with its frames, and records its outages. Timeline's thread only.
struct GridFollower {
    /// Name of the track that follows the camera.
    let track: String
    /// Chooses the frame of each tick, and counts frames and losses.
    private(set) var aligner: TrackAligner<DatedFrame>
    private var camera: CameraFollower

    /// The camera.
    var input: CameraInput { camera.input }

    /// Follows a camera along a grid.
    ///
    /// - Parameters:
    ///   - input: The camera.
    ///   - track: Name of the track that follows the camera.
    ///   - start: T0 on the session's clock.
    ///   - rate: Rate of the grid.
    init(input: CameraInput, track: String, start: ClockTime, rate: FrameRate) {
        self.track = track
        camera = CameraFollower(input, track: track, start: start)
        aligner = TrackAligner(start: start, rate: rate, cameraInterval: input.source.format.rate.interval)
    }

    /// Takes what the camera delivered since the last call.
    mutating func take(_ deliveries: [CameraInput.Delivery]) { camera.take(deliveries, into: &aligner) }

    /// Chooses what the tick with this index shows: a new frame, the last one again, or a slate. Ticks come in order.
    mutating func choose(tick: Int64) -> TrackAligner<DatedFrame>.Choice { aligner.choose(tick: tick) }

    /// Foresees which tick will show the first frame of a kind, by the frames that have come.
    ///
    /// - Parameters:
    ///   - ticks: The ticks to look at, from the next undecided one on.
    ///   - isWanted: Whether a frame is of that kind.
    /// - Returns: The index of the tick, or `nil` when none of them shows such a frame.
    func tick(of ticks: Range<Int64>, showing isWanted: (DatedFrame) -> Bool) -> Int64? {
        var aligner = aligner
        return ticks.first { tick in
            if case .show(let dated) = aligner.choose(tick: tick) { isWanted(dated) } else { false }
        }
    }

    /// The cause for which the last decided tick has no new frame, or `nil` when it is not known.
    var missingCause: LossCause? { aligner.missingCause }

    /// Counts the last chosen frame as lost: it cannot be used, and the frame before it is shown again.
    mutating func withdrawChoice(cause: LossCause) { aligner.withdrawChoice(cause: cause) }

    /// Counts a withdrawn frame as shown: the last decided tick has it after all.
    ///
    /// - Parameter cause: The cause with which the frame was withdrawn.
    mutating func restoreChoice(cause: LossCause) { aligner.restoreChoice(cause: cause) }

    /// The outages of the camera so far.
    var gaps: [Gap] { camera.outages.gaps }

    /// Ends an open outage, and counts the frames that an absent camera did not deliver until the end.
    ///
    /// - Parameter end: End of the track since T0.
    mutating func finish(at end: MediaTime) {
        if let missing = camera.finish(at: end, interval: aligner.cameraInterval) {
            aligner.addFinalLoss(count: missing.count, cause: missing.cause)
        }
    }
}
