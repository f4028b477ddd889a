package import MulticamMedia
package import MulticamTiming

/// Passes the deliveries of one camera to the aligner of a track, and records the camera's outages. Use an
/// instance only on the timeline's thread.
package struct CameraDeliveryHandler {
    /// The input of the camera.
    package let input: CameraInput
    /// The camera's outages so far, from which the gaps of the track are derived.
    package private(set) var outages: OutageLog
    private let start: ClockTime
    /// Number of restarts of the camera's clock model at the last call to `handle`.
    private var restarts = 0
    /// Index of the source that delivered the last frame, among all sources of the camera input.
    private var stream: Int
    /// The new format after a format change, until the first frame in this format arrives; otherwise `nil`.
    private var pendingFormat: VideoFormat?
    /// Number of replacements of the camera's source at the last call to `handle`.
    private var replacements = 0
    /// The last frame that the ledger has counted, and all later frames. The capture times of these frames
    /// change if the clock model restarts.
    private var recent: [(sequence: Int64, stamp: ClockTime, time: ClockTime)] = []

    /// Maximum length of `recent`, which is the maximum number of frames that wait in an aligner.
    private static let mostRecent = 512

    /// Creates a handler of one camera for one track.
    ///
    /// - Parameters:
    ///   - input: The input of the camera.
    ///   - track: Name of the track that shows the camera.
    ///   - start: T0 on the session's clock.
    package init(_ input: CameraInput, track: String, start: ClockTime) {
        self.input = input
        self.start = start
        stream = input.replacementCount
        outages = OutageLog(track: track, start: start)
    }

    /// Passes new deliveries of the camera to an aligner, and records outages.
    ///
    /// If the camera's clock model has restarted since the last call, frames whose capture times were
    /// computed with the old model get new capture times.
    ///
    /// - Parameters:
    ///   - deliveries: The deliveries since the last call, in order.
    ///   - aligner: The aligner, which orders the frames and counts losses.
    package mutating func handle(_ deliveries: [CameraInput.Delivery], into aligner: inout some FrameAligner)
    {
        let (clock, input) = (input.clockReading, input)
        aligner.updateInterval(from: clock)
        // After a replacement of the source, frames of the new source keep their capture times, which come
        // from the clock model of that source.
        let replacements = input.replacementCount
        let isSame = clock.restarts == restarts || replacements != self.replacements
        let model = isSame ? nil : input.clockModel
        (restarts, self.replacements) = (clock.restarts, replacements)
        if let model {
            aligner.redateFrames { frame, time in input.redated(frame, assigned: time, by: model) }
            redateCounted(by: model, in: &aligner)
        }
        for delivery in deliveries {
            switch delivery {
            case .frame(let dated):
                let time =
                    model.map { input.redated(dated.frame, assigned: dated.time, by: $0) }
                    ?? dated.time
                if dated.stream != stream { pendingFormat = input.deliveredFormat }
                stream = dated.stream
                if let format = pendingFormat.take() {
                    aligner.change(nominal: format.rate.interval, from: time)
                }
                aligner.add(dated, at: time)
                recent.append((dated.frame.sequence, dated.frame.capturedAt, time))
            case .lost(let count, let cause, let time):
                aligner.addLoss(count: count, cause: cause, capturedAt: time)
                if cause == .disconnected {
                    outages.recordSilence(from: time, for: clock.interval * Int64(count))
                }
            case .away(let outage):
                outages.begin(at: outage.since, cause: outage.reason, loss: outage.cause)
                aligner.beginOutage(at: outage.since, cause: outage.cause)
            case .returned(let time, _, _):
                outages.end(at: time)
                aligner.endOutage(at: time)
            case .formatChanged(let format): pendingFormat = format
            case .warning, .silent, .resumed: break
            }
        }
        let counted = aligner.lastCounted
        if let last = recent.lastIndex(where: { $0.time == counted }) { recent.removeFirst(last) }
        if recent.count > Self.mostRecent { recent.removeFirst(recent.count - Self.mostRecent) }
    }

    /// Moves the last frame that the ledger has counted to its capture time according to a restarted clock
    /// model. Without this correction, the first frame with a capture time from the new model would appear
    /// late by the error of the old model, and a preceding frame would appear lost.
    private mutating func redateCounted(by model: DeviceClock, in aligner: inout some FrameAligner) {
        let counted = aligner.lastCounted
        for index in recent.indices {
            let frame = recent[index]
            recent[index].time = input.redated(
                frame.sequence, stamped: frame.stamp, assigned: frame.time, by: model)
            if frame.time == counted { aligner.shiftLastCounted(by: recent[index].time - frame.time) }
        }
    }

    /// Ends a current outage at the end of the track.
    ///
    /// - Parameters:
    ///   - end: End of the track, relative to T0.
    ///   - silences: The periods without frames for which the source didn't report a cause.
    package mutating func finish(at end: MediaTime, _ silences: [SilentStretch]) {
        let last = start + Nanoseconds(end.nanoseconds)
        for silence in silences { outages.recordSilence(from: silence.from, for: silence.length) }
        outages.finish(at: last)
    }
}

/// Aligns the frames of one camera to a frame grid, and records the camera's outages. Use an instance only on
/// the timeline's thread.
package struct GridAligner {
    /// Name of the track that shows the camera.
    package let track: String
    /// The aligner, which chooses the frame for each tick and determines losses.
    private var aligner: TrackAligner<DatedFrame>
    private var camera: CameraDeliveryHandler

    /// The input of the camera.
    package var input: CameraInput { camera.input }

    /// Creates an aligner of one camera for one frame grid.
    ///
    /// - Parameters:
    ///   - input: The input of the camera.
    ///   - track: Name of the track that shows the camera.
    ///   - start: T0 on the session's clock.
    ///   - rate: Frame rate of the grid.
    package init(input: CameraInput, track: String, start: ClockTime, rate: FrameRate) {
        self.track = track
        camera = CameraDeliveryHandler(input, track: track, start: start)
        aligner = TrackAligner(
            start: start, rate: rate, cameraInterval: input.source.format.rate.interval,
            isPaced: input.isPaced, defaultCause: input.source.outageCause)
    }

    /// Processes the deliveries of the camera since the last call.
    package mutating func handle(_ deliveries: [CameraInput.Delivery]) {
        camera.handle(deliveries, into: &aligner)
    }

    /// Chooses the content of the tick with this index: a new frame, the previous frame again, or a slate.
    /// Call this method once for each tick, in ascending order.
    package mutating func choose(tick: Int64) -> TrackAligner<DatedFrame>.Choice {
        aligner.choose(tick: tick)
    }

    /// Predicts, from the frames received so far, the first tick that will show a frame that matches a
    /// condition.
    ///
    /// - Parameters:
    ///   - ticks: The ticks to examine, starting at the next undecided tick.
    ///   - isWanted: The condition, which returns whether a frame matches.
    /// - Returns: The index of the tick; `nil` if no tick in `ticks` shows such a frame.
    package func tick(of ticks: Range<Int64>, showing isWanted: (DatedFrame) -> Bool) -> Int64? {
        var aligner = aligner
        return ticks.first { tick in
            if case .show(let dated) = aligner.choose(tick: tick) { isWanted(dated) } else { false }
        }
    }

    /// Fate of the last decided tick, such as a new or a duplicated frame.
    package var fate: Fate { aligner.fate }

    /// Counts of the camera's frames on the grid, for all ticks decided so far.
    package var counts: FrameCounts { aligner.counts }

    /// Counts of the camera's frames that weren't used for any tick.
    package var delivery: DeliveryCounts { aligner.delivery }

    /// The camera's outages so far.
    package var gaps: [Gap] { camera.outages.gaps }

    /// Ends a current outage at the end of the track, and counts the frames that are missing up to this
    /// point.
    ///
    /// - Parameter end: End of the track, relative to T0.
    package mutating func finish(at end: MediaTime) { camera.finish(at: end, aligner.finish()) }
}

/// Aligns a camera's frames to a track, and determines which frames were lost.
package protocol FrameAligner {
    /// Updates the camera's frame interval based on the state of the camera's clock model.
    mutating func updateInterval(from clock: ClockReading)
    /// Sets the frame interval that was negotiated with the camera, starting at a given time.
    mutating func change(nominal: Nanoseconds, from time: ClockTime)
    /// Assigns a new capture time to each frame that waits for a tick.
    ///
    /// - Parameter time: Returns the new capture time of a frame on the session's clock. The arguments are
    ///   the frame and its old capture time.
    mutating func redateFrames(_ time: (CapturedFrame, ClockTime) -> ClockTime)
    /// Capture time of the last frame that was counted; `nil` before the first frame.
    var lastCounted: ClockTime? { get }
    /// Shifts the capture time of the last counted frame. This time determines when the next frames are
    /// expected.
    mutating func shiftLastCounted(by time: Nanoseconds)
    /// Adds a frame to the frames that wait for a tick.
    ///
    /// - Parameters:
    ///   - dated: The frame.
    ///   - time: Capture time on the session's clock, which overrides `dated.time`.
    mutating func add(_ dated: DatedFrame, at time: ClockTime)
    /// Records frames that were lost for the same cause.
    ///
    /// - Parameters:
    ///   - count: Number of lost frames.
    ///   - cause: Cause of the loss.
    ///   - time: Capture time of the first lost frame on the session's clock.
    mutating func addLoss(count: Int, cause: LossCause, capturedAt time: ClockTime)
    /// Records the start and the cause of a camera outage.
    mutating func beginOutage(at time: ClockTime, cause: LossCause)
    /// Records the time at which the camera became available again.
    mutating func endOutage(at time: ClockTime)
}

extension TrackAligner<DatedFrame>: FrameAligner {
    /// Assigns a new capture time on the session's clock to each frame that waits for a tick.
    package mutating func redateFrames(_ time: (CapturedFrame, ClockTime) -> ClockTime) {
        redate { dated, old in time(dated.frame, old) }
    }

    /// Adds a frame to the frames that wait for a tick. `time` is the capture time on the session's clock.
    package mutating func add(_ dated: DatedFrame, at time: ClockTime) { add(dated, capturedAt: time) }
}

extension KeyStreamAligner<CapturedFrame>: FrameAligner {
    /// Assigns a new capture time on the session's clock to each frame that waits for a tick.
    package mutating func redateFrames(_ time: (CapturedFrame, ClockTime) -> ClockTime) { redate(time) }

    /// Adds a frame to the frames that wait for a tick. `time` is the capture time on the session's clock.
    package mutating func add(_ dated: DatedFrame, at time: ClockTime) {
        add(dated.frame, isKey: dated.frame.isKey, capturedAt: time)
    }
}

/// A frame with its capture time according to the camera's clock model.
package struct DatedFrame: Sendable {
    /// The frame as captured.
    package let frame: CapturedFrame
    /// Capture time on the session's clock, minus the camera's latency.
    package let time: ClockTime
    /// Output of the stream decoder for this frame; `nil` if the camera's frames can be decoded
    /// independently.
    let decoded: DecodedFrames?

    /// Number of sources that the camera input had before the source that delivered the frame.
    package let stream: Int

    package init(frame: CapturedFrame, time: ClockTime, decoded: DecodedFrames?, stream: Int = 0) {
        self.stream = stream
        self.frame = frame
        self.time = time
        self.decoded = decoded
    }

    /// Returns a copy of the frame with another source number.
    func numbered(_ stream: Int) -> DatedFrame {
        DatedFrame(frame: frame, time: time, decoded: decoded, stream: stream)
    }

    /// The frame to show at this time; `nil` if the stream decoder hasn't output a frame yet.
    package var shown: CapturedFrame? { frame.pixel == .h264 ? decoded?.ready.last : frame }

    /// Whether the frame can't be decoded because the stream is damaged. The previous frame is shown instead.
    package var isUndecodable: Bool { decoded?.isDamaged == true && shown == nil }
}
