internal import Media
internal import SessionFolder
internal import Timing

/// One camera of the session: takes what its source delivers, judges it, dates it and keeps it for the timeline.
///
/// `receive` runs on the source's thread; everything else on the timeline's. Between them lies a box under one lock,
/// bounded: a timeline that does not come is a loss with a cause, never a growing memory.
final class CameraInput: Sendable {
    let role: String
    let source: any CameraSource
    private let clock: any SessionClock
    private let codecs: any CodecFactory
    private let latency: Nanoseconds
    private let taps: [FrameTap]
    private let box: ConditionLock<CameraInbox>
    private let decoder: StreamDecoder?
    private let sharesDecoding: Bool
    private let onRefusal: @Sendable (VideoFormat, VideoFormat) -> Void
    /// A file's times are exact.
    private let hasExactTimes: Bool

    /// Beyond as many undecided frames the oldest hope is gone: four seconds of a camera at 60 frames a second.
    private static let boxCapacity = 240

    /// - Parameters:
    ///   - role: The camera's.
    ///   - source: Opened.
    ///   - latency: From the scene to the time stamp, by the profile or calibration; taken off every stamp.
    ///   - decodes: Whether some output needs pixels of a stream whose frames depend on each other.
    ///   - sharesDecoding: Whether several outputs need all of a JPEG's pixels.
    ///   - taps: Sinks of the program that uses the library.
    ///   - keepsLog: Whether somebody takes what is known of each frame.
    ///   - clock: The session's.
    ///   - machinery: Makes the decoder.
    ///   - onRefusal: Told on the source's thread of a format that it did not take, and in which one it goes on.
    /// - Throws: When `decodes` and no decoder can be made.
    init(
        role: String, source: any CameraSource, latency: Nanoseconds, decodes: Bool,
        sharesDecoding: Bool = false, taps: [FrameTap], keepsLog: Bool, clock: any SessionClock,
        codecs: any CodecFactory,
        onRefusal: @escaping @Sendable (VideoFormat, VideoFormat) -> Void = { _, _ in }
    ) throws(EncodingError) {
        self.role = role
        self.onRefusal = onRefusal
        self.source = source
        self.latency = latency
        self.taps = taps
        self.clock = clock
        self.codecs = codecs
        self.sharesDecoding = sharesDecoding
        hasExactTimes = source.device.deviceType == .file
        decoder = decodes ? StreamDecoder(try codecs.makeVideoDecoder(name: role)) : nil
        let model = DeviceClock(nominalSecondsPerCount: 1 / source.format.rate.perSecond)
        box = ConditionLock(
            CameraInbox(
                clock: model, format: source.format, wanted: source.format,
                chosen: source.format, accepted: source.format,
                exposure: ExposureWatch(nominal: source.format.rate.interval),
                log: FrameLog(isKept: keepsLog)))
        if keepsLog { source.deliverHeaderClock() }
    }

    func start() throws(DeviceError) {
        try source.start(on: clock) { [self] event in receive(event) }
    }

    /// Whether it can go on in another format.
    var isChangeable: Bool { source.isChangeable }

    /// Whether its frames can be shown: H.264 is decoded where that was planned.
    var hasPixels: Bool { source.format.pixel != .h264 || decoder != nil }

    /// Whether no frames come of it: it was unplugged, or is changing its format, or is off.
    var isAway: Bool { box.withLock { $0.isAway } }

    /// Restarts the camera in another format, or switches it off. What it was asked for last, or has, is not asked again.
    ///
    /// - Parameters:
    ///   - format: `nil` for off.
    ///   - cause: Of what is missing meanwhile.
    ///   - reason: Why, for the gap.
    func change(to format: VideoFormat?, for cause: LossCause, reason: String) {
        let isNew = box.withLock { $0.ask(for: format, cause, reason) }
        if isNew { source.change(to: format) }
    }

    /// Stops a camera that was taken in, and those who listen to it alone.
    func stop() {
        source.stop()
        for tap in taps { tap.finish() }
    }

    /// What it delivers where nothing is given up; `nil` for off.
    var chosenFormat: VideoFormat? {
        get { box.withLock { $0.chosen } }
        set { box.withLock { $0.chosen = newValue } }
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
            box.frames = 0
            let taken = box.deliveries
            box.deliveries.removeAll(keepingCapacity: true)
            return taken
        }
    }

    /// What is known of each frame since the last call, how many were left out, and what there is to say of it.
    func takeLog() -> (entries: [FrameLog.Entry], leftOut: Int, remarks: [(at: ClockTime, text: String)]) {
        box.withLock { $0.log.take() }
    }

    /// How many good frames have come, and when the first did.
    var progress: (goodFrames: Int, firstGood: ClockTime?) {
        box.withLock { ($0.goodFrames, $0.firstGood) }
    }

    /// How many of its time stamps were impossible.
    var correctedStamps: Int { box.withLock { $0.correctedStamps } }

    /// The camera's clock as measured.
    var clockModel: DeviceClock { box.withLock { $0.clock } }
    /// What that knows, for a look now and then.
    var clockReading: ClockReading { box.withLock { $0.clock.reading } }

    /// How its time stamps scatter about that.
    var jitter: JitterHistogram { box.withLock { $0.jitter } }

    /// When a frame was captured by what is known now: a clock that began anew tells otherwise of the frames that made
    /// it do so.
    ///
    /// - Parameters:
    ///   - frame: Delivered before.
    ///   - time: What was said of it then.
    ///   - model: The camera's clock as it is now.
    /// - Returns: Of the two times the one that is nearer to the frame's own stamp.
    func redated(_ frame: CapturedFrame, saidToBe time: ClockTime, by model: DeviceClock) -> ClockTime {
        guard !hasExactTimes else { return time }
        let stamp = frame.capturedAt - latency
        let other = model.predicted(frame.sequence)
        return (other - stamp).magnitude < (time - stamp).magnitude ? other : time
    }

    /// The longest time from capture to delivery so far, never less than the source declares: what its stamps are late by
    /// comes on top.
    var deliveryDelay: Nanoseconds {
        max(source.deliveryDelay, box.withLock { $0.slowestDelivery }) + latency
    }

    /// The longest interval at which its frames would still come before their ticks are decided, so long after them: a longer exposure
    /// and transport, and half an interval to the tick that shows it.
    func slowestInterval(decidedAfter delay: Nanoseconds) -> Nanoseconds {
        let planned = source.format.rate.interval
        return max(planned, (delay - deliveryDelay + planned * 2) / 3)
    }

    /// What came last of each control that it is to have.
    var controls: [ControlOutcome] { box.withLock { $0.controls } }

    /// Sets controls while it runs, as `CameraSource.set` does.
    ///
    /// - Returns: What came of each, in an order in which they could be carried out.
    func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        let outcomes = try source.set(ControlGovernor.ordered(requests))
        _ = box.withLock { $0.take(outcomes) }
        return outcomes
    }

    /// The last frame that can be decoded by itself: its headers describe an H.264 stream.
    var latestKey: CapturedFrame? { box.withLock { $0.latestKey } }

    /// The last whole JPEG: what a slate is made like.
    var latestJPEG: CapturedFrame? { box.withLock { $0.latestJPEG } }

    /// What was said when it went away, as long as it is.
    var outage: Delivery? { box.withLock { $0.outage } }

    // MARK: On the source's thread

    private func receive(_ event: CameraEvent) {
        switch event {
        case .frame(let frame): receive(frame)
        case .lost(let count, let cause, let time):
            let arrival = clock.now
            box.withLock { box in
                let count = box.plausible(lost: count, at: arrival)
                if box.isAway { box.explainedFrames = min(box.explainedFrames + count, 1_000_000_000) }
                box.miss(count, cause, capturedAt: time - latency, isCounted: true)
            }
        case .away(let time, let cause, let isRequested):
            box.withLock { box in
                let request = isRequested ? box.request : nil
                box.leave(at: time - latency, cause: request?.cause ?? .away)
                let text = request.map { "\($0.cause.rawValue): \($0.reason)" } ?? cause
                // A source that says the same again says nothing new.
                if case .away(_, let told, let ledger)? = box.outage, told == text, ledger == box.awayCause {
                    return
                }
                let outage = Delivery.away(at: time - latency, cause: text, ledger: box.awayCause)
                box.outage = outage
                box.deliveries.append(outage)
            }
        case .formatRefused(let format, let time, let cause): refused(format, at: time, cause: cause)
        case .formatChanged(let format):
            box.withLock { box in
                box.deliver(in: format)
                box.clock.change(nominalSecondsPerCount: 1 / format.rate.perSecond)
                box.exposure = ExposureWatch(nominal: format.rate.interval)
                box.deliveries.append(.formatChanged(format))
            }
        case .returned(let time, let remark):
            box.withLock { box in
                // A stream that begins anew is in another phase.
                box.clock.interrupt()
                // How long a change took is what the person who made it wants to know.
                var remark = remark
                if case .away(let since, _, .change) = box.outage {
                    let milliseconds = ((time - latency) - since).count / 1_000_000
                    let gap = "it was without frames for \(milliseconds) ms"
                    remark = remark.map { "\(gap); \($0)" } ?? gap
                }
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
                if case .ended(_, let told)? = box.outage, told == cause { return }
                box.leave(at: time - latency, cause: .away)
                let outage = Delivery.ended(at: time - latency, cause: cause)
                box.outage = outage
                box.deliveries.append(outage)
            }
        }
    }

    private func refused(_ format: VideoFormat, at time: ClockTime, cause: String) {
        let (refused, kept) = box.withLock { box in
            let (refused, kept) = box.refuse(format)
            box.deliveries.append(
                .warning(
                    at: time - latency,
                    text:
                        "camera \(role) was asked for \(format) and goes on in \(box.format), since it did not take "
                        + "it: \(cause)"))
            return (refused, kept)
        }
        onRefusal(refused, kept)
    }

    private func receive(_ frame: CapturedFrame) {
        let arrival = clock.now
        guard PlausibleStamp.frames.contains(frame.sequence), frame.size.isPlausible else {
            return box.withLock { $0.miss(1, .corrupt, capturedAt: arrival - latency) }
        }
        var frame = frame
        let stamp = PlausibleStamp.time(frame.capturedAt, arrival: arrival)
        let isCorrected = stamp != frame.capturedAt
        if isCorrected { frame = frame.captured(at: stamp) }
        let isWhole = frame.pixel != .mjpeg || codecs.isWholeJPEG(frame.memory, size: frame.size)
        let time = box.withLock { box in
            if isCorrected { box.correctedStamps += 1 }
            box.lastArrival = arrival
            let stamped = stamp - latency
            let modelled = box.clock.time(of: frame.sequence, stamped: stamped)
            box.jitter.add(stamped - modelled)
            box.slowestDelivery = max(box.slowestDelivery, arrival - stamp)
            let untold = box.silence.frameCame(frame.sequence, at: arrival, clock: box.clock.reading)
            if let untold, !box.isAway {
                box.miss(untold.count, .away, capturedAt: untold.since)
            }
            return hasExactTimes ? stamped : modelled
        }
        guard isWhole else {
            box.withLock { box in
                box.addLoss(1, .corrupt, capturedAt: time)
                box.log.came(frame, at: time, arrival: arrival, lost: .corrupt)
            }
            return
        }
        for tap in taps { tap.offer(frame) }
        if !hasExactTimes { watchExposure(at: time) }
        let dated = DatedFrame(
            frame: sharesDecoding ? frame.sharingDecoding() : frame, time: time,
            decoded: decoder?.decode(frame))
        box.withLock { $0.keep(dated, arrival: arrival, capacity: Self.boxCapacity) }
    }

    private func watchExposure(at time: ClockTime) {
        box.withLock { box in
            let interval = box.clock.interval
            let (missing, becameSlow) = box.exposure.frameCame(every: interval)
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
                        text: "camera \(role) delivers \(rate) frames a second instead of "
                            + "\(box.format.rate), probably for longer exposures. Add light, or set its control "
                            + "`exposure_dynamic_framerate` to 0."))
            }
        }
    }
}
