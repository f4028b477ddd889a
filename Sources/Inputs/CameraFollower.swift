package import Media
package import Timing

/// Passes one camera's deliveries to a track's aligner, and records the camera's outages. Use it only on the timeline's
/// thread.
package struct CameraFollower {
    /// The camera.
    package let input: CameraInput
    /// The camera's outages so far, for the track's gaps.
    package private(set) var outages: OutageLog
    private let start: ClockTime
    /// Number of restarts of the camera's clock model at the last `take`.
    private var restarts = 0
    /// Number of the source that delivered the last frame.
    private var stream: Int
    /// The camera's new format until its first frame arrives; otherwise `nil`.
    private var changed: VideoFormat?
    /// Number of replacements of the camera's source at the last `take`.
    private var replacements = 0
    /// The last frame counted by the ledger, and all later frames, whose times change with the clock model.
    private var recent: [(sequence: Int64, stamp: ClockTime, time: ClockTime)] = []

    /// Maximum number of frames waiting in an aligner, and therefore of remembered frames.
    private static let mostRecent = 512

    /// Starts following a camera for a track.
    ///
    /// - Parameters:
    ///   - input: The camera.
    ///   - track: Name of the track that follows the camera.
    ///   - start: T0 on the session's clock.
    package init(_ input: CameraInput, track: String, start: ClockTime) {
        self.input = input
        self.start = start
        stream = input.replacementCount
        outages = OutageLog(track: track, start: start)
    }

    /// Passes the camera's deliveries since the last call to an aligner, and records outages.
    ///
    /// When the camera's clock model has restarted since the last call, frames whose capture times came from the
    /// abandoned model get new capture times.
    ///
    /// - Parameters:
    ///   - deliveries: The deliveries, in order.
    ///   - aligner: Orders the frames and counts losses.
    package mutating func take(_ deliveries: [CameraInput.Delivery], into aligner: inout some FrameAligner) {
        let (clock, input) = (input.clockReading, input)
        aligner.follow(clock)
        // Frames of a new source keep the capture times from that source's clock.
        let replacements = input.replacementCount
        let isSame = clock.restarts == restarts || replacements != self.replacements
        let model = isSame ? nil : input.clockModel
        (restarts, self.replacements) = (clock.restarts, replacements)
        if let model {
            aligner.redateFrames { frame, time in input.redated(frame, saidToBe: time, by: model) }
            redateCounted(by: model, in: &aligner)
        }
        for delivery in deliveries {
            switch delivery {
            case .frame(let dated):
                let time =
                    model.map { input.redated(dated.frame, saidToBe: dated.time, by: $0) }
                    ?? dated.time
                if dated.stream != stream { changed = input.deliveredFormat }
                stream = dated.stream
                if let format = changed.take() {
                    aligner.change(nominal: format.rate.interval, from: time)
                }
                aligner.add(dated, at: time)
                recent.append((dated.frame.sequence, dated.frame.capturedAt, time))
            case .lost(let count, let cause, let time):
                aligner.addLoss(count: count, cause: cause, capturedAt: time)
                if cause == .disconnected {
                    outages.wasSilent(from: time, for: clock.interval * Int64(count))
                }
            case .away(let time, let cause, let ledger):
                outages.begin(at: time, cause: cause, loss: ledger)
                aligner.leave(at: time, cause: ledger)
            case .ended(let time, let cause):
                outages.begin(at: time, cause: cause)
                aligner.leave(at: time, cause: .disconnected)
            case .returned(let time, _, _):
                outages.end(at: time)
                aligner.comeBack(at: time)
            case .formatChanged(let format): changed = format
            case .warning, .silent, .resumed: break
            }
        }
        let counted = aligner.lastCounted
        if let last = recent.lastIndex(where: { $0.time == counted }) { recent.removeFirst(last) }
        if recent.count > Self.mostRecent { recent.removeFirst(recent.count - Self.mostRecent) }
    }

    /// Moves the last frame counted by the ledger to its capture time according to a restarted clock model.
    /// Otherwise, the first frame timed by the new model would seem late by the error of the old model, and a
    /// preceding frame would seem lost.
    private mutating func redateCounted(by model: DeviceClock, in aligner: inout some FrameAligner) {
        let counted = aligner.lastCounted
        for index in recent.indices {
            let frame = recent[index]
            recent[index].time = input.redated(
                frame.sequence, stamped: frame.stamp, saidToBe: frame.time, by: model)
            if frame.time == counted { aligner.moveCounted(by: recent[index].time - frame.time) }
        }
    }

    /// Closes an open outage at the end of the track.
    ///
    /// - Parameters:
    ///   - end: End of the track, relative to T0.
    ///   - silences: The periods without frames that the source didn't explain.
    package mutating func finish(at end: MediaTime, _ silences: [SilentStretch]) {
        let last = start + Nanoseconds(end.nanoseconds)
        for silence in silences { outages.wasSilent(from: silence.from, for: silence.length) }
        outages.finish(at: last)
    }
}

/// Follows one camera on one grid: passes its frames to the aligner, and records its outages. Use it only on
/// the timeline's thread.
package struct GridFollower {
    /// Name of the track that follows the camera.
    package let track: String
    /// Chooses the frame for each tick, and determines losses.
    private var aligner: TrackAligner<DatedFrame>
    private var camera: CameraFollower

    /// The camera.
    package var input: CameraInput { camera.input }

    /// Starts following a camera on a grid.
    ///
    /// - Parameters:
    ///   - input: The camera.
    ///   - track: Name of the track that follows the camera.
    ///   - start: T0 on the session's clock.
    ///   - rate: Rate of the grid.
    package init(input: CameraInput, track: String, start: ClockTime, rate: FrameRate) {
        self.track = track
        camera = CameraFollower(input, track: track, start: start)
        aligner = TrackAligner(
            start: start, rate: rate, cameraInterval: input.source.format.rate.interval,
            isPaced: input.isPaced, silence: input.source.outageCause)
    }

    /// Processes the camera's deliveries since the last call.
    package mutating func take(_ deliveries: [CameraInput.Delivery]) {
        camera.take(deliveries, into: &aligner)
    }

    /// Chooses the content of the tick at this index: a new frame, the previous frame again, or a slate. Call
    /// it for each tick in ascending order.
    package mutating func choose(tick: Int64) -> TrackAligner<DatedFrame>.Choice {
        aligner.choose(tick: tick)
    }

    /// Predicts which tick will be the first to show a frame that matches a condition, from the frames already
    /// received.
    ///
    /// - Parameters:
    ///   - ticks: The ticks to examine, starting at the next undecided one.
    ///   - isWanted: Returns whether a frame matches.
    /// - Returns: The index of the tick, or `nil` if none of them shows such a frame.
    package func tick(of ticks: Range<Int64>, showing isWanted: (DatedFrame) -> Bool) -> Int64? {
        var aligner = aligner
        return ticks.first { tick in
            if case .show(let dated) = aligner.choose(tick: tick) { isWanted(dated) } else { false }
        }
    }

    /// Fate of the last decided tick.
    package var fate: Fate { aligner.fate }

    /// Counts of the camera's frames on the grid, covering the ticks already decided.
    package var counts: FrameCounts { aligner.counts }

    /// The camera's frames that never reached a tick.
    package var delivery: DeliveryCounts { aligner.delivery }

    /// The camera's outages up to now.
    package var gaps: [Gap] { camera.outages.gaps }

    /// Closes an open outage, and counts the frames that didn't arrive before the end.
    ///
    /// - Parameter end: End of the track, relative to T0.
    package mutating func finish(at end: MediaTime) { camera.finish(at: end, aligner.finish()) }
}

/// Aligns a camera's frames to a track, and determines its lost frames.
package protocol FrameAligner {
    /// Updates the camera's frame interval based on a reading of its clock.
    mutating func follow(_ clock: ClockReading)
    /// Sets the negotiated frame interval, effective from a given time.
    mutating func change(nominal: Nanoseconds, from time: ClockTime)
    /// Assigns a new capture time to each waiting frame.
    ///
    /// - Parameter time: Returns a frame's new capture time on the session's clock, from the frame and its old capture
    ///   time.
    mutating func redateFrames(_ time: (CapturedFrame, ClockTime) -> ClockTime)
    /// Capture time of the last frame that was counted; `nil` before the first.
    var lastCounted: ClockTime? { get }
    /// Adjusts the capture time of the last counted frame, which determines when later frames are due.
    mutating func moveCounted(by time: Nanoseconds)
    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - dated: The frame.
    ///   - time: Capture time on the session's clock, which overrides the frame's own time.
    mutating func add(_ dated: DatedFrame, at time: ClockTime)
    /// Records lost frames and their cause.
    ///
    /// - Parameters:
    ///   - count: Number of lost frames.
    ///   - cause: Cause of the loss.
    ///   - time: Capture time of the first lost frame on the session's clock.
    mutating func addLoss(count: Int, cause: LossCause, capturedAt time: ClockTime)
    /// Records the start and the cause of an outage of the camera.
    mutating func leave(at time: ClockTime, cause: LossCause)
    /// Records the time at which the camera became available again.
    mutating func comeBack(at time: ClockTime)
}

extension TrackAligner<DatedFrame>: FrameAligner {
    /// Assigns a new capture time on the session's clock to each waiting frame.
    package mutating func redateFrames(_ time: (CapturedFrame, ClockTime) -> ClockTime) {
        redate { dated, old in time(dated.frame, old) }
    }

    /// Adds a frame with its capture time on the session's clock.
    package mutating func add(_ dated: DatedFrame, at time: ClockTime) { add(dated, capturedAt: time) }
}

extension KeyStreamAligner<CapturedFrame>: FrameAligner {
    /// Assigns a new capture time on the session's clock to each waiting frame.
    package mutating func redateFrames(_ time: (CapturedFrame, ClockTime) -> ClockTime) { redate(time) }

    /// Adds a frame with its capture time on the session's clock.
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
    /// Output of the stream decoder for this frame, or `nil` if frames can be decoded independently.
    let decoded: DecodedFrames?

    /// Number of sources the camera's input had before the one that delivered the frame.
    package let stream: Int

    package init(frame: CapturedFrame, time: ClockTime, decoded: DecodedFrames?, stream: Int = 0) {
        self.stream = stream
        self.frame = frame
        self.time = time
        self.decoded = decoded
    }

    /// Returns the same frame, assigned to another source of the input.
    func numbered(_ stream: Int) -> DatedFrame {
        DatedFrame(frame: frame, time: time, decoded: decoded, stream: stream)
    }

    /// The pixels to show at the frame's time, or `nil` if the stream decoder hasn't output them yet.
    package var shown: CapturedFrame? { frame.pixel == .h264 ? decoded?.ready.last : frame }

    /// Whether the frame belongs to a damaged part of a stream, so that the previous frame is shown instead.
    package var isUndecodable: Bool { decoded?.isDamaged == true && shown == nil }
}
