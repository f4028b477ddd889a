internal import Media
internal import SessionFolder
internal import Timing

/// The deliveries that a camera's thread leaves for the timeline's, and the state of the camera, under one lock.
struct CameraInbox {
    /// The present source.
    var stream: CameraStream
    /// The source with which the recording began.
    var beginning: CameraStream
    /// The sources that the recording had before the present one.
    var former: [CameraInput.UsedSource] = []
    /// Why the source was exchanged, until the first frame of the new one has come; else `nil`.
    var exchange: String?
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

    /// The present source with what is known of it.
    func present(until time: ClockTime?) -> CameraInput.UsedSource {
        CameraInput.UsedSource(
            source: stream.source, latency: stream.latency, until: time, clockModel: clock,
            correctedStamps: correctedStamps, controls: controls)
    }

    /// Goes on with the source of another inbox, and with what that one knows of it: the model of its clock above all.
    mutating func take(
        over other: CameraInbox, as stream: CameraStream, at time: ClockTime, reason: String
    ) {
        former.append(present(until: time))
        self.stream = stream
        (clock, exposure, silence, lastArrival) = (
            other.clock, other.exposure, other.silence, other.lastArrival
        )
        (format, wanted, chosen, accepted) = (other.format, other.wanted, other.chosen, other.accepted)
        (latestKey, latestJPEG, controls) = (other.latestKey, other.latestJPEG, other.controls)
        (correctedStamps, jitter, slowestDelivery) = (0, JitterHistogram(), other.slowestDelivery)
        (request, refused, exchange) = (nil, [], reason)
        // In the place of a camera that was away, earlier frames come too late for their ticks.
        let wasAway = isAway
        for (index, delivery) in other.deliveries.enumerated() {
            if wasAway, delivery.frame != nil, index < other.deliveries.count - 1 { continue }
            switch delivery {
            case .frame(let dated) where lastTime.map { dated.time > $0 } ?? true:
                keep(dated.numbered(stream.number), arrival: time)
            case .away(let since, let cause, let ledger):
                // It went away since it was found to deliver.
                leave(at: since, cause: ledger)
                outage = .away(at: since, cause: cause, ledger: ledger)
                deliveries.append(.away(at: since, cause: cause, ledger: ledger))
            case .ended(let since, let cause):
                leave(at: since, cause: .away)
                outage = delivery
                deliveries.append(.ended(at: since, cause: cause))
            case .frame, .lost, .returned, .formatChanged, .warning: break
            }
        }
    }

    /// Notes the first frame of an exchanged source.
    ///
    /// - Returns: Whether the frame is to be kept: of H.264 nothing can be shown before the first key frame.
    private mutating func begin(with dated: DatedFrame, _ interval: Nanoseconds, _ reason: String) -> Bool {
        guard dated.frame.pixel != .h264 || dated.frame.isKey else { return false }
        guard lastTime.map({ dated.time > $0 }) ?? true else { return false }
        exchange = nil
        if isAway {
            // The old source was away: its outage ends.
            deliveries.append(.returned(at: dated.time, remark: "another camera", ledger: awayCause))
            return true
        }
        guard let last = lastTime else { return true }
        let missing = Int(rounding: Double((dated.time - last).count) / Double(interval.count)) - 1
        guard missing > 0 else { return true }
        let since = last + interval
        deliveries.append(.away(at: since, cause: "change: \(reason)", ledger: .change))
        miss(missing, .change, capturedAt: since)
        deliveries.append(.returned(at: dated.time, remark: nil, ledger: .change))
        return true
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

    /// Most frames that wait for the timeline: up to two seconds of alignment delay, and 240 for a timeline that is late.
    private var capacity: Int { 240 + Int(rounding: format.rate.perSecond * 2) }

    /// Adds a frame to the deliveries, or counts it as late when the most wait already.
    mutating func keep(_ dated: DatedFrame, arrival: ClockTime) {
        let interval = max(clock.interval, Nanoseconds(1))
        if let exchange, !begin(with: dated, interval, exchange) { return }
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
