internal import Media
internal import SessionFolder
internal import Timing

/// The deliveries that a camera's thread leaves for the timeline's, and the state of the camera, under one lock.
struct CameraInbox {
    var deliveries: [CameraInput.Delivery] = []
    var frames = 0
    var clock: DeviceClock
    /// The format in which the camera delivers.
    var format: VideoFormat
    /// The format that the camera was asked for last, or `nil` for off.
    var wanted: VideoFormat?
    /// The format in which the camera delivers when nothing is reduced, as opened or as a person asked since; `nil`
    /// for off.
    var chosen: VideoFormat?
    /// The last chosen format that the camera accepted.
    var accepted: VideoFormat?
    /// Why the camera was asked last, as a cause for the ledger and as a sentence for people.
    var request: (cause: LossCause, reason: String)?
    /// Formats that the camera was asked for to reduce its work, and refused.
    var refused: [VideoFormat] = []
    /// Time of the last frame that came, or that is counted as missing from an outage.
    var lastTime: ClockTime?
    var isAway = false
    /// Why the camera is away, for the ledger.
    var awayCause = LossCause.away
    /// Frames of the outage that the camera has counted itself, so that their cause is known.
    var explainedFrames = 0
    var goodFrames = 0
    var firstGood: ClockTime?
    var latestKey: CapturedFrame?
    var latestJPEG: CapturedFrame?
    /// The outage as delivered when the camera went away, or `nil` while it is present.
    var outage: CameraInput.Delivery?
    var slowestDelivery = Nanoseconds.zero
    var exposure: ExposureWatch
    var correctedStamps = 0
    var jitter = JitterHistogram()
    var log: FrameLog
    var silence = UntoldSilence()
    /// When the last frame came, whole or damaged.
    var lastArrival: ClockTime?
    /// The last outcome of each control that was set, in the order of the first setting.
    var controls: [ControlOutcome] = []

    /// Notes what the camera is asked to deliver.
    ///
    /// - Returns: Whether the request is a new one.
    mutating func ask(for format: VideoFormat?, _ cause: LossCause, _ reason: String) -> Bool {
        guard format != wanted else {
            // The camera delivers the choice already, as far as the governor lets it.
            if format == self.format { accepted = chosen }
            return false
        }
        wanted = format
        request = (cause, reason)
        return true
    }

    /// Notes that the camera goes on in a format.
    mutating func deliver(in format: VideoFormat) {
        self.format = format
        if format == wanted { accepted = chosen }
    }

    /// Notes that the camera refused a format. A person's choice no longer holds then, even when the governor had
    /// asked for less than the choice.
    ///
    /// - Returns: The choice that is refused, and the one that holds.
    mutating func refuse(_ format: VideoFormat) -> (refused: VideoFormat, kept: VideoFormat) {
        // Something else may have been asked for since.
        guard wanted == format else { return (format, self.format) }
        wanted = self.format
        guard let request, request.cause == .change, let choice = chosen else {
            refused.append(format)
            if chosen == format { chosen = self.format }
            return (format, self.format)
        }
        let kept = accepted ?? self.format
        chosen = kept
        return (choice, kept)
    }

    /// Notes the outcomes of controls.
    ///
    /// - Returns: Remarks that were not made before.
    mutating func take(_ outcomes: [ControlOutcome]) -> [String] {
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

    /// Limits a count of lost frames to a plausible one: no camera makes more than a thousand frames a second, and a
    /// source may report the losses of one second at once.
    func plausible(lost count: Int, at arrival: ClockTime) -> Int {
        let passed = lastArrival.map { (arrival - $0).count / 1_000_000 } ?? 0
        return min(count, Int(max(passed, 0)) + 1000)
    }

    /// Notes frames that never came.
    mutating func miss(
        _ count: Int, _ cause: LossCause, capturedAt time: ClockTime, isCounted: Bool = false
    ) {
        addLoss(count, cause, capturedAt: time)
        log.missed(count, cause, at: time, isCounted: isCounted)
    }

    /// Deliveries that may wait before losses of one cause are merged: a timeline that is late must not fill the
    /// memory.
    static let mostDeliveries = 1024

    /// Adds a loss to the deliveries. When many wait, it is merged with the last loss of the same cause.
    mutating func addLoss(_ count: Int, _ cause: LossCause, capturedAt time: ClockTime) {
        // No camera makes more frames than this in a day.
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

    /// Notes that the camera is away from a time on, or away for another cause than before.
    mutating func leave(at time: ClockTime, cause: LossCause) {
        if isAway, cause != awayCause { settle(before: time) }
        isAway = true
        awayCause = cause
    }

    /// Counts the frames that are missing from the outage so far, since those that follow have another cause.
    private mutating func settle(before time: ClockTime) {
        guard let last = lastTime else { return }
        let interval = max(clock.interval, Nanoseconds(1))
        let passed = max((time - last).count - 1, 0) / interval.count
        let missing = Int(passed) - explainedFrames
        if missing > 0 { miss(missing, awayCause, capturedAt: last + interval) }
        explainedFrames = max(-missing, 0)
        lastTime = last + interval * passed
    }

    /// Adds a frame to the deliveries, or counts it as late when `capacity` frames wait already.
    mutating func keep(_ dated: DatedFrame, arrival: ClockTime, capacity: Int) {
        let interval = max(clock.interval, Nanoseconds(1))
        if isAway, let lastTime {
            // An outage is as long as the frames that are missing from it.
            let missing =
                Int(rounding: Double((dated.time - lastTime).count) / Double(interval.count)) - 1
                - explainedFrames
            if missing > 0 { miss(missing, awayCause, capturedAt: lastTime + interval) }
        }
        isAway = false
        outage = nil
        awayCause = .away
        explainedFrames = 0
        lastTime = dated.time
        goodFrames += 1
        if firstGood == nil { firstGood = dated.time }
        if dated.frame.isKey, dated.frame.pixel == .h264 { latestKey = dated.frame }
        if dated.frame.pixel == .mjpeg { latestJPEG = dated.frame }
        let isShed = frames >= capacity
        log.came(dated.frame, at: dated.time, arrival: arrival, lost: isShed ? .late : nil)
        if isShed {
            addLoss(1, .late, capturedAt: dated.time)
        } else {
            frames += 1
            deliveries.append(.frame(dated))
        }
    }
}
