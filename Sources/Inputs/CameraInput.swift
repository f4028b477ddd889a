package import Media
package import SessionFolder
package import Timing

/// One camera of the session: takes what its source delivers, checks it, dates it and keeps it for the timeline.
///
/// A person may exchange the source while it records (`exchange`): who takes from the input goes on as if nothing was.
///
/// `receive` runs on the source's thread, everything else on the timeline's. Between them lies a bounded box under
/// one lock: when the timeline is late, frames are lost with a cause, and memory does not grow.
package final class CameraInput: Sendable {
    package let role: String
    private let clock: any SessionClock
    private let codecs: any CodecFactory
    private let taps: TapBoard
    private let keepsLog: Bool
    let box: ConditionLock<CameraInbox>
    private let sharesDecoding: Bool
    private let onRefusal: @Sendable (VideoFormat, VideoFormat) -> Void

    /// Creates the input of one camera.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - source: The opened source.
    ///   - latency: Time from the scene to the time stamp, from the profile or a calibration; subtracted from every
    ///     stamp.
    ///   - decodes: Whether an output needs the pixels of an H.264 stream.
    ///   - sharesDecoding: Whether several outputs need all pixels of a JPEG.
    ///   - taps: Sinks of the calling program.
    ///   - keepsLog: Whether the metadata of each frame is kept for `takeLog`, whether or not a tap wants it.
    ///   - clock: The session clock.
    ///   - codecs: Makes the decoder.
    ///   - onRefusal: Told, on the source's thread, of a format that the camera refused and of the one in which it
    ///     goes on.
    /// - Throws: `EncodingError` when `decodes` and no decoder can be made.
    package init(
        role: String, source: any CameraSource, latency: Nanoseconds, decodes: Bool,
        sharesDecoding: Bool = false, taps: TapBoard, keepsLog: Bool, clock: any SessionClock,
        codecs: any CodecFactory,
        onRefusal: @escaping @Sendable (VideoFormat, VideoFormat) -> Void = { _, _ in }
    ) throws(EncodingError) {
        self.role = role
        self.onRefusal = onRefusal
        self.taps = taps
        self.keepsLog = keepsLog
        self.clock = clock
        self.codecs = codecs
        self.sharesDecoding = sharesDecoding
        let stream = CameraStream(
            source: source, latency: latency,
            decoder: decodes ? StreamDecoder(try codecs.makeVideoDecoder(name: role)) : nil)
        let model = DeviceClock(nominalSecondsPerCount: 1 / source.format.rate.perSecond)
        box = ConditionLock(
            CameraInbox(
                stream: stream, beginning: stream, clock: model, format: source.format, wanted: source.format,
                chosen: source.format, accepted: source.format,
                exposure: ExposureWatch(nominal: source.format.rate.interval),
                log: FrameLog()))
        box.withLock { $0.log.isKept = keepsLog }
        if keepsLog || taps.wantsMetadata(of: role) { source.deliverHeaderClock() }
    }

    /// Starts the source.
    package func start() throws(DeviceError) {
        let stream = stream
        stream.route.lead(to: self, as: stream)
        try stream.source.start(on: clock.stampClock) { [route = stream.route] event in route.carry(event) }
    }

    var stream: CameraStream { box.withLock { $0.stream } }

    /// The source that delivers now.
    package var source: any CameraSource { stream.source }

    /// The source with which the recording began; plans and files speak of its format.
    package var firstSource: any CameraSource { box.withLock { $0.beginning.source } }

    /// How often the source was exchanged.
    package var exchangeCount: Int { box.withLock { $0.stream.number } }

    /// Whether the camera can change its format while it runs.
    package var isChangeable: Bool { source.isChangeable }

    /// Whether the camera's frames can be shown: true unless it delivers H.264 that no output was planned to decode.
    package var hasPixels: Bool {
        let stream = stream
        return stream.source.format.pixel != .h264 || stream.decoder != nil
    }

    /// Whether no frames come: the camera is unplugged, changes its format, or is off.
    package var isAway: Bool { box.withLock { $0.isAway } }

    /// Restarts the camera in another format, or switches it off. A format that it has, or was asked for last, is not
    /// asked for again.
    ///
    /// - Parameters:
    ///   - format: The format, or `nil` for off.
    ///   - cause: The cause of the frames that are missing meanwhile.
    ///   - reason: Why, for the gap.
    package func change(to format: VideoFormat?, for cause: LossCause, reason: String) {
        let isNew = box.withLock { $0.ask(for: format, cause, reason) }
        if isNew { source.change(to: format) }
    }

    /// Stops a camera that was taken in while the recording ran, and its taps.
    package func stop() {
        source.stop()
        taps.finish(role: role)
    }

    /// The format in which the camera delivers when nothing is reduced, or `nil` for off.
    package var chosenFormat: VideoFormat? {
        get { box.withLock { $0.chosen } }
        set { box.withLock { $0.chosen = newValue } }
    }

    /// Returns the formats that the camera was asked for and refused since the last call.
    package func takeRefusedFormats() -> [VideoFormat] {
        box.withLock { box in
            defer { box.refused.removeAll() }
            return box.refused
        }
    }

    /// Begins the counts of a recording: corrected stamps and jitter.
    package func beginCounting() {
        box.withLock { box in
            box.correctedStamps = 0
            box.jitter = JitterHistogram()
            box.beginning = box.stream
            box.former = []
        }
    }

    /// Takes all deliveries since the last call.
    package func takeDeliveries() -> [Delivery] {
        box.withLock { box in
            box.frames = 0
            let taken = box.deliveries
            box.deliveries.removeAll(keepingCapacity: true)
            return taken
        }
    }

    /// Drops the deliveries since the last call of `takeDeliveries` but the last ones, so many.
    package func dropDeliveries(butLast count: Int) {
        box.withLock { box in
            box.deliveries.removeFirst(max(0, box.deliveries.count - count))
            box.frames = box.deliveries.count { $0.frame != nil }
        }
    }

    /// Takes the metadata of each frame since the last call, the number of entries that were dropped, and remarks on
    /// the metadata.
    package func takeLog() -> (
        entries: [FrameLog.Entry], leftOut: Int, remarks: [(at: ClockTime, text: String)]
    ) {
        var taken = box.withLock { $0.log.take() }
        for index in taken.entries.indices {
            taken.entries[index].stamp = taken.entries[index].stamp.map { clock.time(stamped: $0) }
        }
        return taken
    }

    /// How many good frames have come, and the time of the first.
    package var progress: (goodFrames: Int, firstGood: ClockTime?) {
        box.withLock { ($0.goodFrames, $0.firstGood) }
    }

    /// How many time stamps were implausible and were corrected.
    package var correctedStamps: Int { box.withLock { $0.correctedStamps } }

    /// Model of the camera's clock.
    package var clockModel: DeviceClock { box.withLock { $0.clock } }
    /// State of the camera's clock model, for a look now and then.
    package var clockReading: ClockReading { box.withLock { $0.clock.reading } }

    /// How the time stamps scatter about the clock model.
    package var jitter: JitterHistogram { box.withLock { $0.jitter } }

    /// The capture time of a frame by the present clock model: a model that began anew gives other times for the
    /// frames that made it do so.
    ///
    /// - Parameters:
    ///   - frame: A frame that was delivered before.
    ///   - time: The capture time that was given for it then.
    ///   - model: The camera's clock model as it is now.
    /// - Returns: Of both times the one nearer to the frame's own stamp.
    package func redated(_ frame: CapturedFrame, saidToBe time: ClockTime, by model: DeviceClock) -> ClockTime
    {
        let stream = stream
        guard !stream.hasExactTimes else { return time }
        let stamp = clock.time(stamped: frame.capturedAt - stream.latency)
        let other = clock.time(stamped: model.predicted(frame.sequence))
        return (other - stamp).magnitude < (time - stamp).magnitude ? other : time
    }

    /// The longest time from capture to delivery so far, at least what the source declares, plus the camera's
    /// latency.
    package var deliveryDelay: Nanoseconds {
        let (stream, slowest) = box.withLock { ($0.stream, $0.slowestDelivery) }
        return max(stream.source.deliveryDelay, slowest) + stream.latency
    }

    /// How much later than its source declares frames may be delivered, where ticks are decided `delay` after their time: what `delay` leaves
    /// beyond the two intervals that an alignment delay has for the slowest camera.
    package func leeway(decidedAfter delay: Nanoseconds, longestInterval: Nanoseconds) -> Nanoseconds {
        let stream = stream
        return max(.zero, delay - stream.source.deliveryDelay - stream.latency - longestInterval * 2)
    }

    /// The longest frame interval at which the camera's frames would still come before their ticks are decided, when
    /// that happens `delay` after each tick. A longer interval lengthens exposure and transport, and half an interval
    /// lies between a frame and the tick that shows it.
    package func slowestInterval(decidedAfter delay: Nanoseconds) -> Nanoseconds {
        let planned = source.format.rate.interval
        return max(planned, (delay - deliveryDelay + planned * 2) / 3)
    }

    /// The last outcome of each control that was set.
    package var controls: [ControlOutcome] { box.withLock { $0.controls } }

    /// Sets controls while the camera runs, as `CameraSource.set` does.
    ///
    /// - Returns: The outcome of each, in the order in which they were set.
    package func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        let outcomes = try source.set(ControlGovernor.ordered(requests))
        _ = box.withLock { $0.take(outcomes) }
        return outcomes
    }

    /// The last frame that can be decoded by itself: its headers describe the H.264 stream.
    package var latestKey: CapturedFrame? { box.withLock { $0.latestKey } }

    /// The last whole JPEG, by which a slate is made.
    package var latestJPEG: CapturedFrame? { box.withLock { $0.latestJPEG } }

    /// The outage as delivered when the camera went away, or `nil` while it is present.
    package var outage: Delivery? { box.withLock { $0.outage } }

    /// Why no frames come and since when, or `nil` while the camera is present.
    package var absence: CameraAbsence? {
        box.withLock { box in
            switch box.outage {
            case .away(let time, let reason, let cause):
                CameraAbsence(since: time, reason: reason.printable(limit: 400), cause: cause)
            case .ended(let time, let reason):
                CameraAbsence(since: time, reason: reason.printable(limit: 400), cause: .away)
            case .frame, .lost, .returned, .formatChanged, .warning, nil: nil
            }
        }
    }

    /// The format in which the camera delivers, or delivered last.
    package var deliveredFormat: VideoFormat { box.withLock { $0.format } }

    // MARK: On the source's thread

    /// Takes an event of the source.
    func receive(_ event: CameraEvent, of stream: CameraStream) {
        let latency = stream.latency
        // Sources stamp by `CLOCK_MONOTONIC`, as the clock models do; all that is kept is on the session's clock.
        func instant(_ stamp: ClockTime) -> ClockTime { clock.time(stamped: stamp) - latency }
        switch event {
        case .frame(let frame): receive(frame, of: stream)
        case .lost(let count, let cause, let time):
            let arrival = clock.now
            box.withLock { box in
                let count = box.plausible(lost: count, at: arrival)
                if box.isAway { box.explainedFrames = min(box.explainedFrames + count, 1_000_000_000) }
                box.miss(count, cause, capturedAt: instant(time), isCounted: true)
            }
        case .away(let time, let cause, let isRequested):
            box.withLock { box in
                let request = isRequested ? box.request : nil
                box.leave(at: instant(time), cause: request?.cause ?? stream.source.outageCause)
                let text = request.map { "\($0.cause.rawValue): \($0.reason)" } ?? cause
                // A source that repeats an outage tells nothing new.
                if case .away(_, let told, let ledger)? = box.outage, told == text, ledger == box.awayCause {
                    return
                }
                let outage = Delivery.away(at: instant(time), cause: text, ledger: box.awayCause)
                box.outage = outage
                box.deliveries.append(outage)
            }
        case .formatRefused(let format, let time, let cause):
            refused(format, at: instant(time), cause: cause)
        case .formatChanged(let format):
            box.withLock { box in
                box.deliver(in: format)
                box.clock.change(nominalSecondsPerCount: 1 / format.rate.perSecond)
                box.exposure = ExposureWatch(nominal: format.rate.interval)
                box.deliveries.append(.formatChanged(format))
            }
        case .returned(let time, let remark):
            box.withLock { box in
                // A stream that begins anew has another phase.
                box.clock.interrupt()
                // The person who made a change wants to know how long it took.
                var remark = remark
                if case .away(let since, _, .change) = box.outage {
                    let milliseconds = (instant(time) - since).count / 1_000_000
                    let gap = "it was without frames for \(milliseconds) ms"
                    remark = remark.map { "\(gap); \($0)" } ?? gap
                }
                box.outage = nil
                box.deliveries.append(
                    .returned(at: instant(time), remark: remark, ledger: box.awayCause))
            }
        case .corrected: box.withLock { $0.correctedStamps += 1 }
        case .remarked(let time, let text):
            box.withLock { box in
                box.deliveries.append(.warning(at: instant(time), text: "camera \(role): \(text)"))
            }
        case .withoutHeaderClock(let time, let cause):
            let text = "camera \(role) is recorded without the clock of its packets: \(cause)"
            box.withLock { $0.log.remark(text, at: clock.time(stamped: time)) }
        case .controls(let outcomes, let time):
            box.withLock { box in
                for remark in box.take(outcomes) {
                    box.deliveries.append(.warning(at: instant(time), text: "camera \(role): \(remark)"))
                }
            }
        case .ended(let time, let cause):
            box.withLock { box in
                if case .ended(_, let told)? = box.outage, told == cause { return }
                box.leave(at: instant(time), cause: .away)
                let outage = Delivery.ended(at: instant(time), cause: cause)
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
                    at: time,
                    text:
                        "camera \(role) was asked for \(format) and goes on in \(box.format), since it did not take "
                        + "it: \(cause)"))
            return (refused, kept)
        }
        onRefusal(refused, kept)
    }

    private func receive(_ frame: CapturedFrame, of stream: CameraStream) {
        let (stampedArrival, latency) = (clock.stampClock.now, stream.latency)
        let (arrival, hasExactTimes) = (clock.time(stamped: stampedArrival), stream.hasExactTimes)
        guard PlausibleStamp.frames.contains(frame.sequence), frame.size.isPlausible else {
            return box.withLock { $0.miss(1, .corrupt, capturedAt: arrival - latency) }
        }
        var frame = frame
        let stamp = PlausibleStamp.time(frame.capturedAt, arrival: stampedArrival)
        let isCorrected = stamp != frame.capturedAt
        if isCorrected { frame = frame.captured(at: stamp) }
        let isLogged = keepsLog || taps.wantsMetadata(of: role)
        let isWhole = frame.pixel != .mjpeg || codecs.isWholeJPEG(frame.memory, size: frame.size)
        let time = box.withLock { box in
            if isCorrected { box.correctedStamps += 1 }
            box.lastArrival = arrival
            box.log.isKept = isLogged
            let stamped = stamp - latency
            let modelled = box.clock.time(of: frame.sequence, stamped: stamped)
            box.jitter.add(stamped - modelled)
            box.slowestDelivery = max(box.slowestDelivery, stampedArrival - stamp)
            let untold = box.silence.frameCame(frame.sequence, at: arrival, clock: box.clock.reading)
            if let untold, !box.isAway {
                box.miss(untold.count, stream.source.outageCause, capturedAt: untold.since)
            }
            return clock.time(
                stamped: hasExactTimes ? stamped : PlausibleStamp.time(modelled: modelled, stamped: stamped))
        }
        guard isWhole else {
            box.withLock { box in
                box.addLoss(1, .corrupt, capturedAt: time)
                box.log.came(frame, at: time, arrival: arrival, lost: .corrupt)
            }
            return
        }
        taps.give(frame, of: role)
        if !hasExactTimes { watchExposure(at: time) }
        let dated = DatedFrame(
            frame: sharesDecoding ? frame.sharingDecoding() : frame, time: time,
            decoded: stream.decoder?.decode(frame), stream: stream.number)
        box.withLock { $0.keep(dated, arrival: arrival) }
    }

    private func watchExposure(at time: ClockTime) {
        box.withLock { box in
            let interval = box.clock.interval
            let (missing, becameSlow) = box.exposure.frameCame(every: interval)
            // While the camera is away, its frames count as lost for that cause.
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
