internal import Media

/// One camera of the session: takes what its source delivers, judges it, dates it and keeps it for the timeline.
///
/// `receive` runs on the source's thread; everything else on the timeline's. Between them lies a box under one lock,
/// bounded: a timeline that does not come is a loss with a cause, never a growing memory.
final class CameraInput: Sendable {
    /// What the timeline takes out, in the order of capture.
    enum Delivery: Sendable {
        case picture(DatedPicture)
        case lost(count: Int, cause: LossCause, capturedAt: ClockTime)
        /// `ledger` is the cause of what is missing meanwhile.
        case away(at: ClockTime, cause: String, ledger: LossCause)
        /// `ledger` is what was missing meanwhile.
        case returned(at: ClockTime, remark: String?, ledger: LossCause)
        /// It goes on in another format.
        case formatChanged(VideoFormat)
        /// What a person should know; changes nothing.
        case warning(at: ClockTime, text: String)
        case ended(at: ClockTime, cause: String)

        /// What to tell of it in events, if it is of the recording and no picture.
        func event(of role: String, since start: ClockTime) -> SessionEvent? {
            let event: SessionEvent
            switch self {
            // A slow camera would tell of each picture that it left out; one warning does.
            // Of what the governor does it tells itself.
            case .picture, .lost(_, .exposure, _), .lost(_, .governor, _), .formatChanged,
                .away(_, _, .governor):
                return nil
            case .lost(let count, let cause, let time):
                event = SessionEvent(
                    .drop, at: MediaTime(time, since: start),
                    [
                        "track": .string(role), "count": .integer(Int64(count)),
                        "cause": .string(cause.rawValue),
                    ])
            case .away(let time, let cause, _), .ended(let time, let cause):
                event = SessionEvent(
                    .unplug, at: MediaTime(time, since: start),
                    [
                        "track": .string(role), "cause": .string(cause.printable()),
                        "text": .string("camera \(role) is away: \(cause.printable(limit: 400))."),
                    ])
            case .returned(_, nil, .governor): return nil
            case .returned(let time, let remark, _):
                let more = remark.map { ": \($0.printable(limit: 400))" } ?? ""
                event = SessionEvent(
                    .replug, at: MediaTime(time, since: start),
                    ["track": .string(role), "text": .string("camera \(role) is back\(more).")])
            case .warning(let time, let text):
                event = SessionEvent(
                    .warning, at: MediaTime(time, since: start),
                    ["track": .string(role), "text": .string(text.printable(limit: 400))])
            }
            return event.at >= .zero ? event : nil
        }
    }

    private struct Box {
        var deliveries: [Delivery] = []
        var pictures = 0
        var clock: DeviceClock
        /// As it delivers.
        var format: VideoFormat
        /// As it was asked to deliver last; `nil` for off.
        var wanted: VideoFormat?
        /// Why, in a sentence for people.
        var reason: String?
        /// What it was asked for and did not take.
        var refused: [VideoFormat] = []
        /// Of the last picture that came, or is counted as missing from an outage.
        var lastTime: ClockTime?
        var isAway = false
        /// Why it is away, for the ledger.
        var awayCause = LossCause.away
        /// Pictures of the outage that the camera has counted, so that their cause is known.
        var explainedPictures = 0
        var goodPictures = 0
        var firstGood: ClockTime?
        var latestKey: CapturedPicture?
        var latestJPEG: CapturedPicture?
        /// What was said when it went away, as long as it is.
        var outage: Delivery?
        var slowestDelivery = Nanoseconds.zero
        var exposure: ExposureWatch
        var correctedStamps = 0
        var jitter = JitterHistogram()
        var log: PictureLog
        var silence = UntoldSilence()
        /// What came last of each control that it is to have, in the order of their first setting.
        var controls: [ControlOutcome] = []

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

        /// Takes note of pictures that never came.
        mutating func miss(
            _ count: Int, _ cause: LossCause, capturedAt time: ClockTime, isCounted: Bool = false
        ) {
            deliveries.append(.lost(count: count, cause: cause, capturedAt: time))
            log.missed(count, cause, at: time, isCounted: isCounted)
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
            let missing = Int(passed) - explainedPictures
            if missing > 0 { miss(missing, awayCause, capturedAt: last + interval) }
            explainedPictures = max(-missing, 0)
            lastTime = last + interval * passed
        }

        mutating func keep(_ dated: DatedPicture, arrival: ClockTime, capacity: Int) {
            let interval = max(clock.interval, Nanoseconds(1))
            if isAway, let lastTime {
                // An outage is as long as the pictures that are missing from it.
                let missing =
                    Int((Double((dated.time - lastTime).count) / Double(interval.count)).rounded()) - 1
                    - explainedPictures
                if missing > 0 { miss(missing, awayCause, capturedAt: lastTime + interval) }
            }
            isAway = false
            outage = nil
            awayCause = .away
            explainedPictures = 0
            lastTime = dated.time
            goodPictures += 1
            if firstGood == nil { firstGood = dated.time }
            if dated.picture.isKey, dated.picture.pixel == .h264 { latestKey = dated.picture }
            if dated.picture.pixel == .mjpeg { latestJPEG = dated.picture }
            let isShed = pictures >= capacity
            log.came(dated.picture, at: dated.time, arrival: arrival, lost: isShed ? .late : nil)
            if isShed {
                deliveries.append(.lost(count: 1, cause: .late, capturedAt: dated.time))
            } else {
                pictures += 1
                deliveries.append(.picture(dated))
            }
        }
    }

    let role: String
    let source: any CameraSource
    private let clock: any SessionClock
    private let machinery: any MediaMachinery
    private let latency: Nanoseconds
    private let taps: [PictureTap]
    private let box: Monitor<Box>
    private let decoder: StreamDecoder?
    private let sharesDecoding: Bool

    /// Beyond as many undecided pictures the oldest hope is gone: four seconds of a camera at 60 pictures a second.
    private static let boxCapacity = 240

    /// - Parameters:
    ///   - role: The camera's.
    ///   - source: Opened.
    ///   - latency: From the scene to the time stamp, by the profile or calibration; taken off every stamp.
    ///   - decodes: Whether some output needs pixels of a stream whose pictures depend on each other.
    ///   - sharesDecoding: Whether several outputs need all of a JPEG's pixels.
    ///   - taps: Sinks of the program that uses the library.
    ///   - keepsLog: Whether somebody takes what is known of each picture.
    ///   - clock: The session's.
    ///   - machinery: Makes the decoder.
    /// - Throws: When `decodes` and no decoder can be made.
    init(
        role: String, source: any CameraSource, latency: Nanoseconds, decodes: Bool,
        sharesDecoding: Bool = false, taps: [PictureTap], keepsLog: Bool, clock: any SessionClock,
        machinery: any MediaMachinery
    ) throws(EncodingError) {
        self.role = role
        self.source = source
        self.latency = latency
        self.taps = taps
        self.clock = clock
        self.machinery = machinery
        self.sharesDecoding = sharesDecoding
        decoder = decodes ? StreamDecoder(try machinery.makePictureDecoder(name: role)) : nil
        let model = DeviceClock(nominalSecondsPerCount: 1 / source.format.rate.perSecond)
        box = Monitor(
            Box(
                clock: model, format: source.format, wanted: source.format,
                exposure: ExposureWatch(nominal: source.format.rate.interval),
                log: PictureLog(isKept: keepsLog)))
        if keepsLog { source.deliverHeaderClock() }
    }

    func start() throws(DeviceError) {
        try source.start(on: clock) { [self] event in receive(event) }
    }

    /// Whether it can go on in another format.
    var isChangeable: Bool { source.isChangeable }

    /// Whether its pictures can be shown: H.264 is decoded where that was planned.
    var hasPixels: Bool { source.format.pixel != .h264 || decoder != nil }

    /// Whether no pictures come of it: it was unplugged, or is changing its format, or is off.
    var isAway: Bool { box.withLock { $0.isAway } }

    /// Restarts the camera in another format, or switches it off. What it was asked for last, or has, is not asked again.
    ///
    /// - Parameters:
    ///   - format: `nil` for off.
    ///   - reason: Why, for the gap.
    func change(to format: VideoFormat?, reason: String) {
        let isNew = box.withLock { box in
            guard format != box.wanted else { return false }
            box.wanted = format
            box.reason = reason
            return true
        }
        if isNew { source.change(to: format) }
    }

    /// The formats that it was asked for and did not take, since the last call.
    func takeRefusedFormats() -> [VideoFormat] {
        box.withLock { box in
            defer { box.refused.removeAll() }
            return box.refused
        }
    }

    /// What is counted from here on is of a recording that begins.
    func beginCounting() {
        box.withLock { box in
            box.correctedStamps = 0
            box.jitter = JitterHistogram()
        }
    }

    /// Everything since the last call.
    func takeDeliveries() -> [Delivery] {
        box.withLock { box in
            box.pictures = 0
            let taken = box.deliveries
            box.deliveries.removeAll(keepingCapacity: true)
            return taken
        }
    }

    /// What is known of each picture since the last call, how many were left out, and what there is to say of it.
    func takeLog() -> (entries: [PictureLog.Entry], leftOut: Int, remarks: [(at: ClockTime, text: String)]) {
        box.withLock { $0.log.take() }
    }

    /// How many good pictures have come, and when the first did.
    var progress: (goodPictures: Int, firstGood: ClockTime?) {
        box.withLock { ($0.goodPictures, $0.firstGood) }
    }

    /// How many of its time stamps were impossible.
    var correctedStamps: Int { box.withLock { $0.correctedStamps } }

    /// The camera's clock as measured.
    var clockModel: DeviceClock { box.withLock { $0.clock } }
    /// What that knows, for a look now and then.
    var clockReading: ClockReading { box.withLock { $0.clock.reading } }

    /// How its time stamps scatter about that.
    var jitter: JitterHistogram { box.withLock { $0.jitter } }

    /// When a picture was captured by what is known now: a clock that began anew tells otherwise of the pictures that made
    /// it do so.
    ///
    /// - Parameters:
    ///   - picture: Delivered before.
    ///   - time: What was said of it then.
    ///   - model: The camera's clock as it is now.
    /// - Returns: Of the two times the one that is nearer to the picture's own stamp.
    func redated(_ picture: CapturedPicture, saidToBe time: ClockTime, by model: DeviceClock) -> ClockTime {
        guard source.device.deviceType != .file else { return time }
        let stamp = picture.capturedAt - latency
        let other = model.predicted(picture.sequence)
        return (other - stamp).magnitude < (time - stamp).magnitude ? other : time
    }

    /// The longest time from capture to delivery so far, never less than the source declares: what its stamps are late by
    /// comes on top.
    var deliveryDelay: Nanoseconds {
        max(source.deliveryDelay, box.withLock { $0.slowestDelivery }) + latency
    }

    /// What came last of each control that it is to have.
    var controls: [ControlOutcome] { box.withLock { $0.controls } }

    /// Sets controls while it runs, as `CameraSource.set` does.
    ///
    /// - Returns: What there is to say of it that was not said before: sentences without the camera's name.
    func set(_ requests: [ControlRequest]) throws(DeviceError) -> [String] {
        let outcomes = try source.set(ControlGovernor.ordered(requests))
        return box.withLock { $0.take(outcomes) }
    }

    /// The last picture that can be decoded by itself: its headers describe an H.264 stream.
    var latestKey: CapturedPicture? { box.withLock { $0.latestKey } }

    /// The last whole JPEG: what a slate is made like.
    var latestJPEG: CapturedPicture? { box.withLock { $0.latestJPEG } }

    /// What was said when it went away, as long as it is.
    var outage: Delivery? { box.withLock { $0.outage } }

    // MARK: On the source's thread

    private func receive(_ event: CameraEvent) {
        switch event {
        case .picture(let picture): receive(picture)
        case .lost(let count, let cause, let time):
            box.withLock { box in
                if box.isAway { box.explainedPictures += count }
                box.miss(count, cause, capturedAt: time - latency, isCounted: true)
            }
        case .away(let time, let cause, let isRequested):
            box.withLock { box in
                box.leave(at: time - latency, cause: isRequested ? .governor : .away)
                let text = isRequested ? "governor: \(box.reason ?? cause)" : cause
                let outage = Delivery.away(at: time - latency, cause: text, ledger: box.awayCause)
                box.outage = outage
                box.deliveries.append(outage)
            }
        case .formatRefused(let format, let time, let cause): refused(format, at: time, cause: cause)
        case .formatChanged(let format):
            box.withLock { box in
                box.format = format
                box.clock.change(nominalSecondsPerCount: 1 / format.rate.perSecond)
                box.exposure = ExposureWatch(nominal: format.rate.interval)
                box.deliveries.append(.formatChanged(format))
            }
        case .returned(let time, let remark):
            box.withLock { box in
                // A stream that begins anew is in another phase.
                box.clock.interrupt()
                box.outage = nil
                box.deliveries.append(
                    .returned(at: time - latency, remark: remark, ledger: box.awayCause))
            }
        case .corrected: box.withLock { $0.correctedStamps += 1 }
        case .withoutHeaderClock(let time, let cause):
            let text = "camera \(role) is recorded without the clock of its packets: \(cause)"
            box.withLock { $0.log.remark(text, at: time) }
        case .controls(let outcomes, let time):
            box.withLock { box in
                for remark in box.take(outcomes) {
                    box.deliveries.append(.warning(at: time - latency, text: "camera \(role): \(remark)"))
                }
            }
        case .ended(let time, let cause):
            box.withLock { box in
                box.leave(at: time - latency, cause: .away)
                let outage = Delivery.ended(at: time - latency, cause: cause)
                box.outage = outage
                box.deliveries.append(outage)
            }
        }
    }

    private func refused(_ format: VideoFormat, at time: ClockTime, cause: String) {
        box.withLock { box in
            // Something else may have been asked for since.
            if box.wanted == format { box.wanted = box.format }
            box.refused.append(format)
            box.deliveries.append(
                .warning(
                    at: time - latency,
                    text:
                        "camera \(role) was asked for \(format) and goes on in \(box.format), since it did not take "
                        + "it: \(cause)"))
        }
    }

    private func receive(_ picture: CapturedPicture) {
        let isWhole = picture.pixel != .mjpeg || machinery.isWholeJPEG(picture.memory, size: picture.size)
        let hasExactTimes = source.device.deviceType == .file
        let arrival = clock.now
        let time = box.withLock { box in
            let stamped = picture.capturedAt - latency
            let modelled = box.clock.time(of: picture.sequence, stamped: stamped)
            box.jitter.add(stamped - modelled)
            box.slowestDelivery = max(box.slowestDelivery, arrival - picture.capturedAt)
            let untold = box.silence.pictureCame(picture.sequence, at: arrival, clock: box.clock.reading)
            if let untold, !box.isAway {
                box.miss(untold.count, .away, capturedAt: untold.since)
            }
            return hasExactTimes ? stamped : modelled
        }
        guard isWhole else {
            box.withLock { box in
                box.deliveries.append(.lost(count: 1, cause: .corrupt, capturedAt: time))
                box.log.came(picture, at: time, arrival: arrival, lost: .corrupt)
            }
            return
        }
        for tap in taps { tap.offer(picture) }
        if !hasExactTimes { watchExposure(at: time) }
        let dated = DatedPicture(
            picture: sharesDecoding ? picture.sharingDecoding() : picture, time: time,
            decoded: decoder?.decode(picture))
        box.withLock { $0.keep(dated, arrival: arrival, capacity: Self.boxCapacity) }
    }

    private func watchExposure(at time: ClockTime) {
        box.withLock { box in
            let interval = box.clock.interval
            let (missing, becameSlow) = box.exposure.pictureCame(every: interval)
            // While it is away, that is the loss.
            guard !box.isAway else { return }
            if missing > 0 {
                box.miss(missing, .exposure, capturedAt: time - interval)
            }
            if becameSlow {
                let rate = (10 / interval.inSeconds).rounded() / 10
                box.deliveries.append(
                    .warning(
                        at: time,
                        text: "camera \(role) delivers \(rate) pictures a second instead of "
                            + "\(box.format.rate), probably for longer exposures. Add light, or set its control "
                            + "`exposure_dynamic_framerate` to 0."))
            }
        }
    }
}
