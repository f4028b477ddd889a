import MulticamMedia

/// Delivers the events of all successive streams of a camera to its receiver, in order. Use only on the camera's
/// thread.
final class CameraEventReporter {
    private var interval: Nanoseconds
    /// Format that was last reported to the receiver.
    private var reportedFormat: VideoFormat
    private let clock: any SessionClock
    private let receive: @Sendable (CameraEvent) -> Void
    private var counter: FrameCounter
    private let startedAt: ClockTime
    /// The longer of the last two intervals between frames.
    private var usualStep: Nanoseconds
    private var lastStep: Nanoseconds
    /// Start and last reported cause of the current outage, and whether it was requested; `nil` while frames
    /// are arriving.
    private var outage: (since: ClockTime, cause: String, isRequested: Bool)?
    /// Remark to report when the camera returns.
    private var remark: String?
    /// Format of the current stream, or of the next one during an outage.
    private var format: VideoFormat
    private var headersProblem: String?

    /// Creates a reporter and records the start time.
    ///
    /// - Parameters:
    ///   - format: The format that the camera was opened with.
    ///   - clock: The session clock.
    ///   - receive: Called on the camera's thread for each event.
    init(
        format: VideoFormat, clock: any SessionClock, receive: @escaping @Sendable (CameraEvent) -> Void
    ) {
        self.format = format
        reportedFormat = format
        interval = format.rate.interval
        self.clock = clock
        self.receive = receive
        counter = FrameCounter(interval: interval)
        startedAt = clock.now
        usualStep = interval
        lastStep = interval
    }

    var now: ClockTime { clock.now }

    /// Longest gap between frames that isn't treated as an outage: five frame intervals at the camera's current rate,
    /// which drops in low light.
    var maxFrameGap: Nanoseconds { max(interval, usualStep) * 5 }

    /// Capture time of the last frame; the start time before the first frame.
    var lastFrameTime: ClockTime { counter.lastCapture ?? startedAt }

    /// Assigns a capture time and a sequence number to a buffer, and reports frames that are missing before
    /// this buffer. Doesn't report missing frames during warm-up, when frames are discarded anyway.
    func place(_ filled: V4L2Device.FilledBuffer, isWarmUp: Bool) -> FrameCounter.Place {
        let previous = counter.lastCapture
        let place = counter.place(filled.sequence, filled.stamp, arrivedAt: clock.now)
        if let previous {
            usualStep = max(lastStep, place.capturedAt - previous)
            lastStep = place.capturedAt - previous
        }
        if isWarmUp { return place }
        if place.isCorrected { receive(.timestampCorrected(at: place.capturedAt)) }
        // Missing frames are reported during an outage too, because the bus lost frames that the camera counted.
        if place.missing > 0 {
            receive(.lost(count: place.missing, cause: .bus, capturedAt: place.firstMissingAt))
        }
        return place
    }

    /// Reports lost frames. Does nothing during an outage, because the lost frames are already part of the
    /// outage.
    func reportLoss(_ count: Int, _ cause: LossCause, _ capturedAt: ClockTime) {
        if outage == nil { receive(.lost(count: count, cause: cause, capturedAt: capturedAt)) }
    }

    func deliver(_ frame: CapturedFrame) {
        if let outage {
            self.outage = nil
            if format != reportedFormat { receive(.formatChanged(format)) }
            reportedFormat = format
            receive(.outageEnded(at: max(frame.capturedAt, outage.since), remark: remark))
            remark = nil
        }
        receive(.frame(frame))
    }

    /// Reports that the requested UVC header clock isn't available. Each cause is reported only once.
    func reportMissingHeaderClock(_ cause: String) {
        guard headersProblem != cause else { return }
        headersProblem = cause
        receive(.headerClockMissing(at: clock.now, cause: cause))
    }

    /// Reports an outage, dated from the first missing frame. An outage is reported once, and again if its cause
    /// changes.
    ///
    /// - Parameters:
    ///   - cause: Short description of the cause.
    ///   - isRequested: Whether the outage was requested. A request during an unrequested outage doesn't change its
    ///     cause; a fault during a requested outage starts a new outage.
    func reportOutage(_ cause: String, isRequested: Bool = false) {
        let since: ClockTime
        if let outage {
            guard outage.isRequested || !isRequested, outage.cause != cause else { return }
            since = outage.isRequested == isRequested ? outage.since : clock.now
        } else {
            since = min(counter.lastCapture.map { $0 + interval } ?? startedAt, clock.now)
        }
        outage = (since, cause, isRequested)
        receive(.outageBegan(at: since, cause: cause, isRequested: isRequested))
    }

    /// Reports the results of setting controls.
    func reportControls(_ outcomes: [ControlOutcome]) {
        if !outcomes.isEmpty { receive(.controls(outcomes, at: clock.now)) }
    }

    /// Reports that the camera rejected a requested format and returns to the previous one.
    func reportRejectedFormat(_ format: VideoFormat, _ cause: String) {
        receive(.formatRefused(format, at: clock.now, cause: cause))
    }

    /// Prepares for a new stream, in which the driver restarts its frame count and the rate may differ.
    ///
    /// - Parameters:
    ///   - remark: The remark to report when the camera returns.
    ///   - format: The format of the new stream; `nil` for the previous format.
    func prepareForRestart(remark: String? = nil, in format: VideoFormat? = nil) {
        if let format, format != self.format {
            self.format = format
            interval = format.rate.interval
            counter.interval = interval
        }
        counter.resetSequence()
        usualStep = interval
        lastStep = interval
        if let remark { self.remark = remark }
    }
}
