internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamTiming

/// The state of a camera, and the deliveries that the camera's thread queues for the timeline's thread. The
/// same lock protects the state and the deliveries.
struct CameraInbox {
    /// The current source of the camera input.
    var stream: CameraStream
    /// The source that the camera input had at the start of the recording.
    var beginning: CameraStream
    /// Sources that the camera input used in this recording before the current source.
    var former: [CameraInput.UsedSource] = []
    /// Reason why the source was replaced, until the first frame of the new source arrives; otherwise `nil`.
    var replacement: String?
    var deliveries: [CameraInput.Delivery] = []
    var frames = 0
    var clock: DeviceClock
    /// Format of the delivered frames.
    var format: VideoFormat
    /// The last requested format; `nil` to turn the camera off.
    var wanted: VideoFormat?
    /// The camera's format before reductions by the governor: the format that the camera was opened with, or
    /// the last format that the user requested; `nil` if the user turned the camera off.
    var chosen: VideoFormat?
    /// The last format chosen by the user that the camera accepted.
    var accepted: VideoFormat?
    /// Reason for the last format request: the cause for the ledger, and a sentence for users.
    var request: (cause: LossCause, reason: String)?
    /// Formats that the camera rejected when the governor tried to reduce the load.
    var refused: [VideoFormat] = []
    /// Capture time of the last frame that arrived or was counted as missing during an outage.
    var lastTime: ClockTime?
    /// Whether the camera delivers frames.
    private(set) var presence = CameraPresence()
    var goodFrames = 0
    var firstGood: ClockTime?
    var latestKey: CapturedFrame?
    var latestJPEG: CapturedFrame?
    var slowestDelivery = Nanoseconds.zero
    var exposure: ExposureMonitor
    var correctedStamps = 0
    var jitter = JitterHistogram()
    var picture = PictureMonitor()
    /// Number of recordings started so far.
    var recordings = 0
    var log: FrameLog
    var gapDetector = UnreportedGapDetector()
    /// Arrival time of the last frame, even if the frame was damaged.
    var lastArrival: ClockTime?
    /// The last outcome for each control that was set, in the order in which the controls were first set.
    var controls: [ControlOutcome] = []

    /// Records that a format is requested from the camera.
    ///
    /// - Returns: Whether the request differs from the previous request.
    mutating func recordRequest(for format: VideoFormat?, _ cause: LossCause, _ reason: String) -> Bool {
        guard format != wanted else {
            // The camera already delivers the requested format, so the user's choice counts as accepted.
            if format == self.format { accepted = chosen }
            return false
        }
        wanted = format
        request = (cause, reason)
        return true
    }

    /// Records that the camera now delivers frames in a format.
    mutating func recordDelivery(in format: VideoFormat) {
        self.format = format
        if format == wanted { accepted = chosen }
    }

    /// Records that the camera rejected a format. The user's choice then no longer applies, even if the
    /// rejected format was a reduction by the governor.
    ///
    /// - Returns: The rejected choice, and the choice that applies instead.
    mutating func recordRejection(of format: VideoFormat) -> (refused: VideoFormat, kept: VideoFormat) {
        // The rejection is ignored if another format was requested in the meantime.
        guard wanted == format else { return (format, self.format) }
        wanted = self.format
        guard let request, request.cause == .reconfigured, let choice = chosen else {
            refused.append(format)
            if chosen == format { chosen = self.format }
            return (format, self.format)
        }
        let kept = accepted ?? self.format
        chosen = kept
        return (choice, kept)
    }

    /// Records the outcomes of setting controls.
    ///
    /// - Returns: Remarks for the user that weren't returned before.
    mutating func recordOutcomes(_ outcomes: [ControlOutcome]) -> [String] {
        var remarks: [String] = []
        for outcome in outcomes {
            let index = controls.firstIndex { $0.request.name == outcome.request.name }
            if let remark = outcome.remark, index.map({ controls[$0].remark }) != remark {
                remarks.append(remark)
            }
            if let index { controls[index] = outcome } else { controls.append(outcome) }
        }
        return remarks
    }

    /// Limits a reported number of lost frames to a plausible value. No camera delivers more than a thousand
    /// frames per second, and a source may report all losses of one second at once.
    func plausible(lost count: Int, at arrival: ClockTime) -> Int {
        let passed = lastArrival.map { (arrival - $0).count / 1_000_000 } ?? 0
        return min(count, Int(max(passed, 0)) + 1000)
    }

    /// Records frames that were lost before they reached this process.
    mutating func recordLoss(
        _ count: Int, _ cause: LossCause, capturedAt time: ClockTime, isCounted: Bool = false
    ) {
        enqueueLoss(count, cause, capturedAt: time)
        log.recordLoss(count, cause, at: time, isCounted: isCounted)
    }

    /// Number of queued deliveries above which losses with the same cause are merged. The limit prevents
    /// excessive memory use if the timeline is late.
    static let mostDeliveries = 1024

    /// Queues a report about lost frames. If many deliveries are queued, the report is merged with the last
    /// report that has the same cause.
    mutating func enqueueLoss(_ count: Int, _ cause: LossCause, capturedAt time: ClockTime) {
        // The limit is more than any camera delivers per day.
        let count = min(count, 100_000_000)
        guard count > 0 else { return }
        if deliveries.count >= Self.mostDeliveries {
            let last = deliveries.lastIndex { delivery in
                if case .lost(_, cause, _) = delivery { true } else { false }
            }
            if let last, case .lost(let before, _, let since) = deliveries[last] {
                deliveries[last] = .lost(
                    count: min(before + count, 100_000_000), cause: cause, capturedAt: since)
                return
            }
        }
        deliveries.append(.lost(count: count, cause: cause, capturedAt: time))
    }

    /// Returns the current source with its clock model, counts, and controls.
    func usedSource(until time: ClockTime?) -> CameraInput.UsedSource {
        CameraInput.UsedSource(
            source: stream.source, latency: stream.latency, until: time, clockModel: clock,
            correctedStamps: correctedStamps, controls: controls)
    }

    /// Replaces the source with the source of another inbox, and adopts the state of this source, in
    /// particular its clock model.
    mutating func adoptSource(
        of other: CameraInbox, as stream: CameraStream, at time: ClockTime, reason: String
    ) {
        former.append(usedSource(until: time))
        self.stream = stream
        (clock, exposure, gapDetector, lastArrival) = (
            other.clock, other.exposure, other.gapDetector, other.lastArrival
        )
        (format, wanted, chosen, accepted) = (other.format, other.wanted, other.chosen, other.accepted)
        (latestKey, latestJPEG, controls) = (other.latestKey, other.latestJPEG, other.controls)
        (correctedStamps, jitter, slowestDelivery) = (0, JitterHistogram(), other.slowestDelivery)
        (request, refused, replacement) = (nil, [], reason)
        picture = PictureMonitor()
        recordings += 1
        // If the old source was unavailable, frames that the new source delivered earlier are too late for
        // their ticks.
        let wasAway = presence.isAway
        for (index, delivery) in other.deliveries.enumerated() {
            if wasAway, delivery.frame != nil, index < other.deliveries.count - 1 { continue }
            switch delivery {
            case .frame(let dated) where lastTime.map { dated.time > $0 } ?? true:
                enqueue(dated.numbered(stream.number), arrival: time)
            case .away(let outage):
                // The new source was confirmed to deliver frames, but has become unavailable since then.
                beginOutage(outage)
            case .frame, .lost, .returned, .formatChanged, .warning, .silent, .resumed: break
            }
        }
    }

    /// Records the first frame of a new source.
    ///
    /// - Returns: Whether to keep the frame. H.264 frames before the first key frame can't be decoded.
    private mutating func acceptFirstFrame(_ dated: DatedFrame, _ interval: Nanoseconds, _ reason: String)
        -> Bool
    {
        guard dated.frame.pixel != .h264 || dated.frame.isKey else { return false }
        guard lastTime.map({ dated.time > $0 }) ?? true else { return false }
        replacement = nil
        if presence.isAway {
            // If the old source was unavailable, its outage ends now.
            deliveries.append(
                .returned(
                    at: dated.time, remark: "replaced by another camera", ledger: presence.lossCause))
            return true
        }
        guard let last = lastTime else { return true }
        let missing = Int(rounding: Double((dated.time - last).count) / Double(interval.count)) - 1
        guard missing > 0 else { return true }
        let since = last + interval
        deliveries.append(
            .away(CameraOutage(since: since, reason: "reconfigured: \(reason)", cause: .reconfigured)))
        recordLoss(missing, .reconfigured, capturedAt: since)
        deliveries.append(.returned(at: dated.time, remark: nil, ledger: .reconfigured))
        return true
    }

    /// Records that the camera became unavailable, or that the cause of the outage changed, and announces it.
    mutating func beginOutage(_ outage: CameraOutage) {
        if presence.isAway, outage.cause != presence.lossCause { countMissingFrames(before: outage.since) }
        if presence.beginOutage(outage) { deliveries.append(.away(outage)) }
    }

    /// Records that the source reported the end of an outage, and announces it.
    mutating func endOutage(at time: ClockTime, remark: String?) {
        // The frame times of a restarted stream have a different phase.
        clock.interrupt()
        // After a format change, the remark states how long the change took.
        var remark = remark
        if let outage = presence.outage, outage.cause == .reconfigured {
            let gap = "no frames were delivered for \((time - outage.since).count / 1_000_000) ms"
            remark = remark.map { "\(gap); \($0)" } ?? gap
        }
        let delivery = CameraInput.Delivery.returned(at: time, remark: remark, ledger: presence.lossCause)
        presence.endOutage(at: time, isAnnounced: delivery.announcesReturn)
        deliveries.append(delivery)
    }

    /// Records frames that the source itself counted as lost.
    mutating func recordReportedLoss(_ count: Int, _ cause: LossCause, capturedAt time: ClockTime) {
        presence.explainLoss(of: count)
        recordLoss(count, cause, capturedAt: time, isCounted: true)
    }

    /// Counts the frames that are missing so far in the outage. Frames that are missing later have a
    /// different cause.
    private mutating func countMissingFrames(before time: ClockTime) {
        guard let last = lastTime else { return }
        let interval = max(clock.interval, Nanoseconds(1))
        let passed = max((time - last).count - 1, 0) / interval.count
        let missing = Int(passed) - presence.explainedFrames
        if missing > 0 { recordLoss(missing, presence.lossCause, capturedAt: last + interval) }
        presence.setExplainedFrames(max(-missing, 0))
        lastTime = last + interval * passed
    }

    /// Announces a silence if expected frames haven't arrived although the camera hasn't reported an outage.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - start: Start time of the recording.
    mutating func checkSilence(at now: ClockTime, since start: ClockTime) {
        // The first frame of a new source isn't due at a known time.
        guard replacement == nil else { return }
        let interval = max(clock.interval, format.rate.interval)
        let since = presence.checkSilence(
            at: now, since: start, lastArrival: lastArrival, interval: interval,
            firstExpected: lastTime.map { $0 + interval })
        if let since { deliveries.append(.silent(since: since)) }
    }

    /// Resets the counters for a new recording, such as corrected timestamps and jitter.
    mutating func beginRecording() {
        (correctedStamps, jitter, picture) = (0, JitterHistogram(), PictureMonitor())
        recordings += 1
        presence.beginRecording()
        (beginning, former) = (stream, [])
    }

    /// Maximum number of frames queued for the timeline: the frames of two seconds of alignment delay, plus
    /// 240 frames in case the timeline is late.
    private var capacity: Int { 240 + Int(rounding: format.rate.perSecond * 2) }

    /// Adds a frame to the deliveries, or counts the frame as late if the queue is full. The queue limit
    /// doesn't apply to frames that arrived before the source was started (`isEarlier`), because the source
    /// limits their number.
    mutating func enqueue(_ dated: DatedFrame, arrival: ClockTime, isEarlier: Bool = false) {
        let interval = max(clock.interval, Nanoseconds(1))
        if let replacement, !acceptFirstFrame(dated, interval, replacement) { return }
        let ended = presence
        if presence.recordFrame() { deliveries.append(.resumed(at: dated.time)) }
        if ended.isAway, let lastTime {
            // The number of frames missing in the outage is derived from its duration.
            let missing =
                Int(rounding: Double((dated.time - lastTime).count) / Double(interval.count)) - 1
                - ended.explainedFrames
            if missing > 0 { recordLoss(missing, ended.lossCause, capturedAt: lastTime + interval) }
        }
        lastTime = dated.time
        goodFrames += 1
        if firstGood == nil { firstGood = dated.time }
        if dated.frame.isKey, dated.frame.pixel == .h264 { latestKey = dated.frame }
        if dated.frame.pixel == .mjpeg { latestJPEG = dated.frame }
        let isShed = !isEarlier && frames >= capacity
        log.recordFrame(dated.frame, at: dated.time, arrival: arrival, lost: isShed ? .late : nil)
        if isShed {
            enqueueLoss(1, .late, capturedAt: dated.time)
        } else {
            if !isEarlier { frames += 1 }
            deliveries.append(.frame(dated))
        }
    }
}
