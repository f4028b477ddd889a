package import MulticamMedia
package import MulticamSessionFolder
package import MulticamTiming

/// One camera of the session. The input receives frames and events from its source, checks them, assigns
/// capture times, and queues them for the timeline.
///
/// The source can be replaced during a recording (`replaceSource`) without affecting the consumers of the
/// input.
///
/// `receive` runs on the source's thread. The timeline's thread, or the standby thread between recordings, takes
/// the deliveries. Other threads may read the state, and change the format and the controls. The inbox holds the
/// state and the bounded queue of deliveries, protected by one lock. If the timeline is late, frames that don't
/// fit into the queue are counted as lost, so memory use doesn't grow.
package final class CameraInput: Sendable {
    package let role: String
    private let clock: any SessionClock
    private let codecs: any CodecFactory
    private let taps: TapRegistry
    private let keepsLog: Bool
    let inbox: ConditionLock<CameraInbox>
    private let sharesDecoding: Bool
    private let onRefusal: @Sendable (VideoFormat, VideoFormat) -> Void

    /// Creates the input for a camera.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - source: The opened source.
    ///   - latency: Delay between an event in front of the camera and the timestamp of the frame that shows
    ///     it, from the profile or a calibration. The delay is subtracted from every timestamp.
    ///   - decodes: Whether an output needs decoded frames of an H.264 stream.
    ///   - sharesDecoding: Whether several outputs need JPEGs in full resolution, so that each JPEG is
    ///     decoded once.
    ///   - taps: The registry of the taps that receive frames and metadata.
    ///   - keepsLog: Whether to keep the metadata of each frame for `drainLog`, even if no tap needs it.
    ///   - clock: The session clock.
    ///   - codecs: The factory for decoders.
    ///   - onRefusal: Called on the source's thread with the format that the camera rejected and the format
    ///     that the camera keeps.
    /// - Throws: `EncodingError` if `decodes` is true and no decoder can be created.
    package init(
        role: String, source: any CameraSource, latency: Nanoseconds, decodes: Bool,
        sharesDecoding: Bool = false, taps: TapRegistry, keepsLog: Bool, clock: any SessionClock,
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
        inbox = ConditionLock(
            CameraInbox(
                stream: stream, beginning: stream, clock: model, format: source.format, wanted: source.format,
                chosen: source.format, accepted: source.format,
                exposure: ExposureMonitor(nominal: source.format.rate.interval),
                log: FrameLog()))
        inbox.withLock { $0.log.isEnabled = keepsLog }
        if keepsLog || taps.wantsMetadata(of: role) { source.requestHeaderClock() }
    }

    /// Starts the camera's source.
    package func start() throws(DeviceError) {
        let stream = stream
        stream.route.setTarget(self, as: stream)
        try stream.source.start(on: clock.stampClock) { [route = stream.route] event in route.forward(event) }
    }

    var stream: CameraStream { inbox.withLock { $0.stream } }

    /// The current source of the camera input.
    package var source: any CameraSource { stream.source }

    /// The source at the start of the recording. Plans and files refer to the format of this source.
    package var firstSource: any CameraSource { inbox.withLock { $0.beginning.source } }

    /// Number of times that the source has been replaced.
    package var replacementCount: Int { inbox.withLock { $0.stream.number } }

    /// Whether the camera can change its format while it is running.
    package var canChangeFormat: Bool { source.canChangeFormat }

    /// Whether the camera's frames can be shown. The value is `false` only for a camera with an H.264 stream
    /// that isn't decoded because no output was planned to show it.
    package var hasPixels: Bool {
        let stream = stream
        return stream.source.format.pixel != .h264 || stream.decoder != nil
    }

    /// Whether the source delivers frames in real time, so that a frame that doesn't arrive counts as lost. A
    /// file as a source can't lose frames.
    package var isPaced: Bool { source.device.deviceType != .file }

    /// Whether the camera is unavailable because it is disconnected, is changing its format, or is turned
    /// off.
    package var isAway: Bool { inbox.withLock { $0.presence.isAway } }

    /// Time at which the most recent frame arrived, on the session's clock; `nil` before the first frame.
    package var lastArrival: ClockTime? { inbox.withLock { $0.lastArrival } }

    /// Restarts the camera in another format, or turns the camera off. Nothing happens if the format is
    /// already in use or was requested last.
    ///
    /// - Parameters:
    ///   - format: The new format; `nil` to turn the camera off.
    ///   - cause: Cause that the ledger records for frames missing during the change.
    ///   - reason: User-readable reason, which is stored with the gap in the manifest.
    package func change(to format: VideoFormat?, for cause: LossCause, reason: String) {
        let isNew = inbox.withLock { $0.recordRequest(for: format, cause, reason) }
        if isNew { source.changeFormat(to: format) }
    }

    /// Stops a camera that was added during the recording, and ends its taps.
    package func stop() {
        source.stop()
        taps.finish(role: role)
    }

    /// The camera's format without reductions by the governor; `nil` if the user turned the camera off.
    package var chosenFormat: VideoFormat? {
        get { inbox.withLock { $0.chosen } }
        set { inbox.withLock { $0.chosen = newValue } }
    }

    /// Removes and returns the formats that the camera has rejected since the last call.
    package func drainRefusedFormats() -> [VideoFormat] {
        inbox.withLock { box in
            defer { box.refused.removeAll() }
            return box.refused
        }
    }

    /// Resets the counters for a new recording, such as corrected timestamps and jitter.
    package func beginCounting() {
        inbox.withLock { $0.beginRecording() }
    }

    /// Removes and returns all queued deliveries.
    package func dequeueDeliveries() -> [Delivery] {
        inbox.withLock { box in
            box.frames = 0
            let taken = box.deliveries
            box.deliveries.removeAll(keepingCapacity: true)
            return taken
        }
    }

    /// Drops all queued deliveries except the last `count`.
    package func dropDeliveries(butLast count: Int) {
        inbox.withLock { box in
            box.deliveries.removeFirst(max(0, box.deliveries.count - count))
            box.frames = box.deliveries.count { $0.frame != nil }
        }
    }

    /// Adds the analysis of one of the camera's frames to its metadata.
    ///
    /// - Parameters:
    ///   - analysis: The faces and codes in the frame.
    ///   - sequence: The frame's sequence number, if known.
    ///   - time: Capture time of the frame, on the session's clock.
    package func record(_ analysis: FrameAnalysis, of sequence: Int64?, capturedAt time: ClockTime) {
        inbox.withLock { $0.log.record(analysis, of: sequence, capturedAt: time) }
    }

    /// Delay between an event in front of the camera and the timestamp of the frame that shows it.
    package var latency: Nanoseconds { stream.latency }

    /// Removes and returns the metadata of all frames since the last call. The result also contains the
    /// number of dropped entries and remarks on the metadata.
    package func drainLog() -> (
        entries: [FrameLog.Entry], leftOut: Int, remarks: [(at: ClockTime, text: String)]
    ) {
        var taken = inbox.withLock { $0.log.drain() }
        for index in taken.entries.indices {
            taken.entries[index].stamp = taken.entries[index].stamp.map { clock.time(stamped: $0) }
        }
        return taken
    }

    /// Number of intact frames received so far, and the time of the first intact frame.
    package var progress: (goodFrames: Int, firstGood: ClockTime?) {
        inbox.withLock { ($0.goodFrames, $0.firstGood) }
    }

    /// Classification of the content if the camera delivered only identical or only black frames during the
    /// whole recording; otherwise `nil`.
    package var content: Manifest.Device.Content? { inbox.withLock { $0.picture.content } }

    /// Model of the camera's clock.
    package var clockModel: DeviceClock { inbox.withLock { $0.clock } }
    /// Current state of the camera's clock model, including its accuracy.
    package var clockReading: ClockReading { inbox.withLock { $0.clock.reading } }

    /// Distribution of the timestamps' deviation from the clock model.
    package var jitter: JitterHistogram { inbox.withLock { $0.jitter } }

    /// Recomputes the capture time of a frame with the current clock model. After a restart, the model yields
    /// different times for the frames that caused the restart.
    ///
    /// - Parameters:
    ///   - frame: A frame that was delivered before.
    ///   - time: The capture time that was assigned when the frame was delivered.
    ///   - model: The camera's current clock model.
    /// - Returns: The old or the new capture time, whichever is closer to the timestamp of the frame.
    package func redated(_ frame: CapturedFrame, assigned time: ClockTime, by model: DeviceClock) -> ClockTime
    {
        redated(frame.sequence, stamped: frame.capturedAt, assigned: time, by: model)
    }

    /// Returns the capture time of a frame according to the current clock model, from its sequence number and
    /// timestamp.
    func redated(
        _ sequence: Int64, stamped stamp: ClockTime, assigned time: ClockTime, by model: DeviceClock
    ) -> ClockTime {
        let stream = stream
        guard !stream.hasExactTimes else { return time }
        let stamp = clock.time(stamped: stamp - stream.latency)
        let other = clock.time(stamped: model.predictedTime(of: sequence))
        return (other - stamp).magnitude < (time - stamp).magnitude ? other : time
    }

    /// Delivery delay of the camera: the maximum measured time from timestamp to delivery or the delay that
    /// the source declares, whichever is greater, plus the camera's latency.
    package var deliveryDelay: Nanoseconds {
        let (stream, slowest) = inbox.withLock { ($0.stream, $0.slowestDelivery) }
        return max(stream.source.deliveryDelay, slowest) + stream.latency
    }

    /// Returns the time by which frames may exceed the delivery delay that the source declares if ticks are
    /// decided `delay` after their time. The alignment delay includes two frame intervals of the slowest
    /// camera, and the rest is available for late deliveries.
    package func leeway(decidedAfter delay: Nanoseconds, longestInterval: Nanoseconds) -> Nanoseconds {
        let stream = stream
        return max(.zero, delay - stream.source.deliveryDelay - stream.latency - longestInterval * 2)
    }

    /// Returns the longest frame interval at which frames still arrive before their ticks are decided. A tick
    /// is decided `delay` after its time. A longer interval means a longer exposure and transfer, and the
    /// time of a frame can differ by half an interval from the tick that shows it.
    package func slowestInterval(decidedAfter delay: Nanoseconds) -> Nanoseconds {
        let planned = source.format.rate.interval
        return max(planned, (delay - deliveryDelay + planned * 2) / 3)
    }

    /// The last outcome for each control that was set.
    package var controls: [ControlOutcome] { inbox.withLock { $0.controls } }

    /// Sets controls while the camera is running; see `CameraSource.setControls`.
    ///
    /// - Returns: The outcome for each control, in the order in which they were set.
    package func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        let outcomes = try source.setControls(ControlGovernor.ordered(requests))
        _ = inbox.withLock { $0.recordOutcomes(outcomes) }
        return outcomes
    }

    /// The last H.264 key frame, whose headers describe the stream.
    package var latestKey: CapturedFrame? { inbox.withLock { $0.latestKey } }

    /// The last intact JPEG, whose parameters are used to create slates.
    package var latestJPEG: CapturedFrame? { inbox.withLock { $0.latestJPEG } }

    /// The outage that the source reported; `nil` if it has reported none, or its end.
    package var outage: CameraOutage? { inbox.withLock { $0.presence.outage } }

    /// Start and reason of the current outage or silence; `nil` while frames are arriving.
    package var currentOutage: CameraOutage? {
        inbox.withLock { box in
            box.presence.outage
                ?? box.presence.silentSince.map {
                    CameraOutage(
                        since: $0, reason: Self.silenceCause, cause: box.stream.source.outageCause)
                }
        }
    }

    /// Name of the cause of an outage that the camera doesn't report.
    package static let silenceCause = "silent"

    /// Reason why the program can't use the camera's frames at the moment; `nil` if the frames can be shown.
    /// Automatic switching uses this property.
    package var fault: CameraFault? {
        let (presence, picture, type) = inbox.withLock { box in
            (box.presence, box.picture.fault, box.stream.source.device.deviceType)
        }
        if let outage = presence.outage {
            // An outage due to a format change is ignored for a short time, because a format change takes a
            // fraction of a second.
            let isBrief = clock.now - outage.since <= Self.briefOutage
            if outage.reason == Self.silenceCause { return .silent }
            return isBrief && outage.cause.origin == .request ? nil : .disconnected
        }
        if presence.silentSince != nil { return .silent }
        // Identical frames of a captured screen aren't a fault, because the screen may be showing a slide.
        return picture == .frozen && type == .screen ? nil : picture
    }

    private static let briefOutage = Nanoseconds.seconds(1)

    /// Announces a silence if expected frames haven't arrived although the camera hasn't reported an outage.
    /// Call this method only on the timeline's thread.
    ///
    /// - Parameters:
    ///   - now: The current time on the session's clock.
    ///   - start: T0 of the recording.
    package func checkSilence(at now: ClockTime, since start: ClockTime) {
        guard isPaced else { return }
        inbox.withLock { $0.checkSilence(at: now, since: start) }
    }

    /// Current format of the camera; during an outage, the last format.
    package var deliveredFormat: VideoFormat { inbox.withLock { $0.format } }

    // MARK: Source thread

    /// Processes an event from the source.
    func receive(_ event: CameraEvent, of stream: CameraStream) {
        let latency = stream.latency
        // Sources and clock models use `CLOCK_MONOTONIC` for timestamps. All stored times are on the
        // session's clock.
        func instant(_ stamp: ClockTime) -> ClockTime { clock.time(stamped: stamp) - latency }
        switch event {
        case .frame(let frame): receive(frame, of: stream)
        case .preroll(let frame): receive(frame, of: stream, isEarlier: true)
        case .lost(let count, let cause, let time):
            let arrival = clock.now
            inbox.withLock { box in
                let count = box.plausible(lost: count, at: arrival)
                box.recordReportedLoss(count, cause, capturedAt: instant(time))
            }
        case .outageBegan(let time, let cause, let isRequested):
            inbox.withLock { box in
                let request = isRequested ? box.request : nil
                box.beginOutage(
                    CameraOutage(
                        since: instant(time),
                        reason: request.map { "\($0.cause.rawValue): \($0.reason)" } ?? cause,
                        cause: request?.cause ?? stream.source.outageCause))
            }
        case .formatRefused(let format, let time, let cause):
            handleRejection(of: format, at: instant(time), cause: cause)
        case .formatChanged(let format):
            inbox.withLock { box in
                box.recordDelivery(in: format)
                box.clock.change(nominalSecondsPerCount: 1 / format.rate.perSecond)
                box.exposure = ExposureMonitor(nominal: format.rate.interval)
                box.deliveries.append(.formatChanged(format))
            }
        case .outageEnded(let time, let remark):
            inbox.withLock { $0.endOutage(at: instant(time), remark: remark) }
        case .timestampCorrected: inbox.withLock { $0.correctedStamps += 1 }
        case .notice(let time, let text):
            inbox.withLock { box in
                box.deliveries.append(.warning(at: instant(time), text: "camera \(role): \(text)"))
            }
        case .headerClockMissing(let time, let cause):
            let text = "camera \(role) is recorded without its packet timestamps: \(cause)"
            inbox.withLock { $0.log.addRemark(text, at: clock.time(stamped: time)) }
        case .controls(let outcomes, let time):
            inbox.withLock { box in
                for remark in box.recordOutcomes(outcomes) {
                    box.deliveries.append(.warning(at: instant(time), text: "camera \(role): \(remark)"))
                }
            }
        case .ended(let time, let cause):
            let outage = CameraOutage(
                since: instant(time), reason: cause, cause: .disconnected, isFinal: true)
            inbox.withLock { $0.beginOutage(outage) }
        }
    }

    private func handleRejection(of format: VideoFormat, at time: ClockTime, cause: String) {
        let (refused, kept) = inbox.withLock { box in
            let (refused, kept) = box.recordRejection(of: format)
            box.deliveries.append(
                .warning(
                    at: time,
                    text:
                        "camera \(role) rejected the format \(format) and continues with \(box.format): \(cause)"
                ))
            return (refused, kept)
        }
        onRefusal(refused, kept)
    }

    /// Processes a frame from the source. `isEarlier` is `true` for a frame that arrived before the source
    /// was started.
    private func receive(_ frame: CapturedFrame, of stream: CameraStream, isEarlier: Bool = false) {
        let (stampedArrival, latency) = (clock.stampClock.now, stream.latency)
        let (arrival, hasExactTimes) = (clock.time(stamped: stampedArrival), stream.hasExactTimes)
        guard PlausibleStamp.frames.contains(frame.sequence), frame.size.isPlausible else {
            return inbox.withLock { $0.recordLoss(1, .corrupt, capturedAt: arrival - latency) }
        }
        var frame = frame
        let stamp = PlausibleStamp.time(frame.capturedAt, arrival: stampedArrival)
        let isCorrected = stamp != frame.capturedAt
        if isCorrected { frame = frame.withCaptureTime(stamp) }
        let isLogged = keepsLog || taps.wantsMetadata(of: role)
        let isWhole = frame.pixel != .mjpeg || codecs.isWholeJPEG(frame.memory, size: frame.size)
        let decoded = isWhole ? stream.decoder?.decode(frame) : nil
        if isWhole { taps.forward(frame, of: role) }
        // The only lock of the inbox for a frame, except for the few frames whose picture is examined.
        let due: (monitor: PictureMonitor, recording: Int, time: ClockTime)? = inbox.withLock { box in
            if isCorrected { box.correctedStamps += 1 }
            box.lastArrival = arrival
            box.log.isEnabled = isLogged
            let stamped = stamp - latency
            let modeled = box.clock.estimateTime(of: frame.sequence, stamped: stamped)
            box.jitter.add(stamped - modeled)
            if !isEarlier { box.slowestDelivery = max(box.slowestDelivery, stampedArrival - stamp) }
            let untold = box.gapDetector.recordFrame(frame.sequence, at: arrival, clock: box.clock.reading)
            if let untold, !box.presence.isAway {
                box.recordLoss(untold.count, stream.source.outageCause, capturedAt: untold.since)
            }
            let time = clock.time(
                stamped: hasExactTimes ? stamped : PlausibleStamp.time(modeled: modeled, stamped: stamped))
            guard isWhole else {
                box.enqueueLoss(1, .corrupt, capturedAt: time)
                box.log.recordFrame(frame, at: time, arrival: arrival, lost: .corrupt)
                return nil
            }
            if !hasExactTimes { checkExposure(&box, at: time) }
            let dated = DatedFrame(
                frame: sharesDecoding ? frame.sharingDecoding() : frame, time: time, decoded: decoded,
                stream: stream.number)
            box.enqueue(dated, arrival: arrival, isEarlier: isEarlier)
            guard frame.pixel != .h264, box.picture.wantsFrame(at: time) else { return nil }
            return (box.picture, box.recordings, time)
        }
        guard var examined = due else { return }
        // Examining a picture may require decoding it, so no lock is held. Apart from `beginCounting`, only this thread
        // changes the monitor.
        examined.monitor.add(frame, at: examined.time, codecs: codecs)
        inbox.withLock { box in
            if box.recordings == examined.recording { box.picture = examined.monitor }
        }
    }

    /// Returns the likely reason why a camera of this kind delivers fewer frames than declared, and how to
    /// fix the problem.
    private static func slownessHint(for kind: SourceKind) -> String {
        switch kind {
        case .builtIn, .external:
            ", probably because of longer exposure times. Use more light, or set the camera control `exposure_dynamic_framerate` to 0."
        case .network:
            ", possibly because of longer exposure times. Use more light, or set a fixed frame rate in the camera's own settings."
        case .phone: ", possibly because of low light or heat. Use more light, and keep the phone cool."
        case .screen: ". Record the screen at a lower frame rate or a smaller size."
        case .virtual: ", probably because of longer exposure times."
        case .file, .application, .own, .microphone: "."
        }
    }

    private func checkExposure(_ box: inout CameraInbox, at time: ClockTime) {
        let interval = box.clock.interval
        let (missing, becameSlow) = box.exposure.recordFrame(interval: interval)
        // While the camera is unavailable, missing frames are counted with the cause of the outage.
        guard !box.presence.isAway else { return }
        if missing > 0 {
            box.recordLoss(missing, .lowLight, capturedAt: time - interval)
        }
        if becameSlow {
            let rate = (10 / interval.inSeconds).rounded() / 10
            box.deliveries.append(
                .warning(
                    at: time,
                    text: "camera \(role) delivers \(rate) fps instead of "
                        + "\(box.format.rate) fps\(Self.slownessHint(for: SourceKind(box.stream.source.device)))"
                ))
        }
    }
}

extension CameraInput {
    /// A delivery from a camera to the timeline. Deliveries are in capture order.
    package enum Delivery: Sendable {
        case frame(DatedFrame)
        case lost(count: Int, cause: LossCause, capturedAt: ClockTime)
        /// The camera became unavailable, or the cause of its outage changed.
        case away(CameraOutage)
        /// The camera is available again. `ledger` is the cause that the ledger records for frames missing
        /// during the outage.
        case returned(at: ClockTime, remark: String?, ledger: LossCause)
        /// Expected frames haven't arrived since the time `since`, although the camera hasn't reported an
        /// outage. The ledger counts these frames separately.
        case silent(since: ClockTime)
        /// Frames are arriving again after a silence (`silent`).
        case resumed(at: ClockTime)
        /// The camera now delivers frames in another format.
        case formatChanged(VideoFormat)
        /// A warning message for the user.
        case warning(at: ClockTime, text: String)

        /// The delivered frame; `nil` for other kinds of deliveries.
        package var frame: CapturedFrame? {
            if case .frame(let dated) = self { dated.frame } else { nil }
        }

        /// Whether the delivery reports that the camera is available again.
        package var announcesReturn: Bool {
            switch self {
            case .returned(_, let remark, let ledger): remark != nil || ledger.origin != .request
            default: false
            }
        }

        /// Returns the session event for the delivery. The result is `nil` for a frame, for a delivery before
        /// `start`, and for a delivery that is reported elsewhere.
        package func event(of role: String, since start: ClockTime) -> SessionEvent? {
            let event: SessionEvent
            switch self {
            // A camera that is slow due to low light causes one warning instead of an event for each missing
            // frame. Format changes and reductions are reported by the code that makes them.
            case .frame, .formatChanged, .lost(_, .lowLight, _): return nil
            case .lost(_, let cause, _) where cause.origin == .request: return nil
            case .away(let outage) where outage.cause.origin == .request: return nil
            case .lost(let count, let cause, let time):
                event = SessionEvent(
                    .drop(SessionEvent.Drop(track: role, cause: cause.rawValue, count: Int64(count))),
                    at: MediaTime(time, since: start))
            case .away(let outage):
                event = SessionEvent(
                    .deviceLost(
                        SessionEvent.DeviceLost(
                            track: role, cause: outage.reason.printable(),
                            text: outage.reason == CameraInput.silenceCause
                                ? "camera \(role) stopped delivering frames without reporting an error."
                                : "camera \(role) disconnected: \(outage.reason.trimmingFullStop).")),
                    at: MediaTime(outage.since, since: start))
            case .silent(let time):
                event = SessionEvent(
                    .deviceLost(
                        SessionEvent.DeviceLost(
                            track: role, cause: CameraInput.silenceCause,
                            text:
                                "camera \(role) is not delivering frames: the next frame is more than 1 s overdue, but the camera has not reported an error."
                        )),
                    at: MediaTime(time, since: start))
            case .resumed(let time):
                event = SessionEvent(
                    .deviceRestored(
                        SessionEvent.DeviceRestored(track: role, text: "camera \(role) is back.")),
                    at: MediaTime(time, since: start))
            case .returned where !announcesReturn: return nil
            case .returned(let time, let remark, _):
                let more = remark.map { ": \($0.printable(limit: 400))" } ?? ""
                event = SessionEvent(
                    .deviceRestored(
                        SessionEvent.DeviceRestored(track: role, text: "camera \(role) is back\(more).")),
                    at: MediaTime(time, since: start))
            case .warning(let time, let text):
                event = SessionEvent(
                    warning: text.printable(limit: 400), at: MediaTime(time, since: start), track: role)
            }
            return event.at >= .zero ? event : nil
        }
    }
}

extension CameraInput {
    /// A source that the camera input uses or has used in this recording.
    package struct UsedSource: Sendable {
        /// The source, which is stopped if it was replaced.
        package let source: any CameraSource
        /// Delay between an event in front of the camera and the timestamp, which is subtracted from every
        /// timestamp.
        package let latency: Nanoseconds
        /// Time at which the source was replaced; `nil` for the current source.
        package let until: ClockTime?
        /// Model of the source's clock when the source was replaced.
        package let clockModel: DeviceClock
        /// Number of the source's implausible timestamps that were corrected.
        package let correctedStamps: Int
        /// The last outcome for each control that was set on the source.
        package let controls: [ControlOutcome]
    }

    /// The sources that the camera input has used in this recording, in order. The last element is the
    /// current source; its `until` is `nil`.
    package var sources: [UsedSource] { inbox.withLock { $0.former + [$0.usedSource(until: nil)] } }

    /// Replaces the source with the running source of another input. The first frame after the replacement is
    /// the first frame that the new source captured after the last frame of the old source; for H.264, it is
    /// the first such key frame. Missing frames between the two sources are counted with the cause
    /// `reconfigured`. Call this method only on the timeline's thread.
    ///
    /// - Parameters:
    ///   - other: The input that started the new source. This input must not have other consumers, and can't
    ///     be used after the replacement.
    ///   - time: The current time on the session's clock.
    ///   - reason: User-readable reason, which is stored with the gap in the manifest.
    /// - Returns: The old source, which is still running. The caller must stop it. Further events from the
    ///   old source are ignored.
    package func replaceSource(
        with other: CameraInput, at time: ClockTime, reason: String
    ) -> any CameraSource {
        let (old, new) = (stream, other.stream.numbered(replacementCount + 1))
        // Pauses the event processing of both sources.
        old.route.pause()
        new.route.pause()
        let candidate = other.inbox.withLock { $0 }
        inbox.withLock {
            $0.adoptSource(of: candidate, as: new, at: time, reason: reason)
        }
        old.route.resume(to: nil)
        new.route.resume(to: (self, new))
        return old.source
    }
}

/// Reason why the frames of a camera in the session can't be used.
public enum CameraFault: String, Sendable, CaseIterable {
    /// The camera is disconnected or turned off, or its network connection has ended.
    case disconnected
    /// The camera doesn't deliver frames although it hasn't reported an outage.
    case silent
    /// All frames from the last few seconds are identical.
    case frozen
    /// All frames from the last few seconds are black.
    case black
}
