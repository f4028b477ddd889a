internal import Media
internal import SessionFolder
internal import Timing

/// What a camera's thread leaves for the timeline's, and what is known of the camera: under one lock.
struct CameraInbox {
    var deliveries: [CameraInput.Delivery] = []
    var frames = 0
    var clock: DeviceClock
    /// As it delivers.
    var format: VideoFormat
    /// As it was asked to deliver last; `nil` for off.
    var wanted: VideoFormat?
    /// What it delivers where nothing is given up: as it was opened, or as a person asked since; `nil` for off.
    var chosen: VideoFormat?
    /// The last choice that the camera took.
    var accepted: VideoFormat?
    /// Why it was asked last, for the ledger, and as a sentence for people.
    var request: (cause: LossCause, reason: String)?
    /// What it was asked to give up and did not.
    var refused: [VideoFormat] = []
    /// Of the last frame that came, or is counted as missing from an outage.
    var lastTime: ClockTime?
    var isAway = false
    /// Why it is away, for the ledger.
    var awayCause = LossCause.away
    /// Frames of the outage that the camera has counted, so that their cause is known.
    var explainedFrames = 0
    var goodFrames = 0
    var firstGood: ClockTime?
    var latestKey: CapturedFrame?
    var latestJPEG: CapturedFrame?
    /// What was said when it went away, as long as it is.
    var outage: CameraInput.Delivery?
    var slowestDelivery = Nanoseconds.zero
    var exposure: ExposureWatch
    var correctedStamps = 0
    var jitter = JitterHistogram()
    var log: FrameLog
    var silence = UntoldSilence()
    /// When the last frame came, whole or not.
    var lastArrival: ClockTime?
    /// What came last of each control that it is to have, in the order of their first setting.
    var controls: [ControlOutcome] = []

    /// Takes note of what the camera is asked to deliver.
    ///
    /// - Returns: Whether that is anything new.
    mutating func ask(for format: VideoFormat?, _ cause: LossCause, _ reason: String) -> Bool {
        guard format != wanted else {
            // It delivers the choice already, as far as the governor lets it.
            if format == self.format { accepted = chosen }
            return false
        }
        wanted = format
        request = (cause, reason)
        return true
    }

    /// The camera goes on in a format.
    mutating func deliver(in format: VideoFormat) {
        self.format = format
        if format == wanted { accepted = chosen }
    }

    /// The camera does not take a format that it was asked for. What a person chose is the choice no more then, also where the
    /// governor had it asked for less than that.
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

    /// Takes note of what came of controls.
    ///
    /// - Returns: What there is to say of it that was not said before.
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

    /// What a source says it lost, as far as it can be: no camera makes more than a thousand frames a second, of which a source
    /// may tell a second's at once.
    func plausible(lost count: Int, at arrival: ClockTime) -> Int {
        let passed = lastArrival.map { (arrival - $0).count / 1_000_000 } ?? 0
        return min(count, Int(max(passed, 0)) + 1000)
    }

    /// Takes note of frames that never came.
    mutating func miss(
        _ count: Int, _ cause: LossCause, capturedAt time: ClockTime, isCounted: Bool = false
    ) {
        addLoss(count, cause, capturedAt: time)
        log.missed(count, cause, at: time, isCounted: isCounted)
    }

    /// So much may wait before losses of one cause become one, besides what tells of devices: a timeline that does not come
    /// must not fill the memory.
    static let mostDeliveries = 1024

    /// Adds a loss to what waits. Where much waits, it becomes one with the last of the same cause.
    mutating func addLoss(_ count: Int, _ cause: LossCause, capturedAt time: ClockTime) {
        // More frames than a camera makes in a day are none.
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

    /// It is away from an instant on, or for another cause than before.
    mutating func leave(at time: ClockTime, cause: LossCause) {
        if isAway, cause != awayCause { settle(before: time) }
        isAway = true
        awayCause = cause
    }

    /// Counts what is missing from an outage so far: what comes after has another cause.
    private mutating func settle(before time: ClockTime) {
        guard let last = lastTime else { return }
        let interval = max(clock.interval, Nanoseconds(1))
        let passed = max((time - last).count - 1, 0) / interval.count
        let missing = Int(passed) - explainedFrames
        if missing > 0 { miss(missing, awayCause, capturedAt: last + interval) }
        explainedFrames = max(-missing, 0)
        lastTime = last + interval * passed
    }

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
