import Media

/// What a camera tells its receiver, in order, over all the streams that it has had. Used by the camera's thread alone.
final class CameraDelivery {
    private var interval: Nanoseconds
    /// That the receiver knows of.
    private var told: VideoFormat
    private let clock: any SessionClock
    private let receive: @Sendable (CameraEvent) -> Void
    private var counter: FrameCounter
    private let startedAt: ClockTime
    /// The longer of the last two steps between frames.
    private var usualStep: Nanoseconds
    private var lastStep: Nanoseconds
    /// Since when there are no frames, the last reason told, and whether it was asked for; `nil` while they come.
    private var outage: (since: ClockTime, cause: String, isRequested: Bool)?
    /// What is to be told with the return.
    private var remark: String?
    /// That it streams in, once frames come.
    private var format: VideoFormat
    private var headersProblem: String?

    /// - Parameters:
    ///   - format: In which the camera was opened.
    ///   - clock: The session's.
    ///   - receive: Called on the camera's thread.
    init(
        format: VideoFormat, clock: any SessionClock, receive: @escaping @Sendable (CameraEvent) -> Void
    ) {
        self.format = format
        told = format
        interval = format.rate.interval
        self.clock = clock
        self.receive = receive
        counter = FrameCounter(interval: interval)
        startedAt = clock.now
        usualStep = interval
        lastStep = interval
    }

    var now: ClockTime { clock.now }
    var isAway: Bool { outage != nil }

    /// So long without a frame is silence: five intervals, as the camera now runs. In the dark many take their time.
    var patience: Nanoseconds { max(interval, usualStep) * 5 }

    /// When the last frame was captured; before the first, when all began.
    var lastSign: ClockTime { counter.lastCapture ?? startedAt }

    /// Dates a buffer and counts it; says what is missing before it, unless it is one of the first, which are discarded.
    func place(_ filled: V4L2Device.Filled, isWarmUp: Bool) -> FrameCounter.Place {
        let previous = counter.lastCapture
        let place = counter.place(filled.sequence, filled.stamp, arrivedAt: clock.now)
        if let previous {
            usualStep = max(lastStep, place.capturedAt - previous)
            lastStep = place.capturedAt - previous
        }
        if isWarmUp { return place }
        if place.isCorrected { receive(.corrected(at: place.capturedAt)) }
        // Told in an outage too: then it was the bus that swallowed what the camera counts.
        if place.missing > 0 {
            receive(.lost(count: place.missing, cause: .bus, capturedAt: place.firstMissingAt))
        }
        return place
    }

    /// While the camera is away, that is the loss: it is not counted twice.
    func lost(_ count: Int, _ cause: LossCause, _ capturedAt: ClockTime) {
        if outage == nil { receive(.lost(count: count, cause: cause, capturedAt: capturedAt)) }
    }

    func frame(_ frame: CapturedFrame) {
        if let outage {
            self.outage = nil
            if format != told { receive(.formatChanged(format)) }
            told = format
            receive(.returned(at: max(frame.capturedAt, outage.since), remark: remark))
            remark = nil
        }
        receive(.frame(frame))
    }

    /// The clock of the packets' headers was asked for and cannot be had. Told once for each reason.
    func lacksHeaderClock(_ cause: String) {
        guard headersProblem != cause else { return }
        headersProblem = cause
        receive(.withoutHeaderClock(at: clock.now, cause: cause))
    }

    /// No frames come, since the first one that did not: told once, and again when another reason shows.
    ///
    /// - Parameters:
    ///   - cause: In a few words.
    ///   - isRequested: Whether it was asked for. While the camera is away of its own nothing that is asked is the reason; what
    ///     turns out in an outage that was asked for is one from now on.
    func away(_ cause: String, isRequested: Bool = false) {
        let since: ClockTime
        if let outage {
            guard outage.isRequested || !isRequested, outage.cause != cause else { return }
            since = outage.isRequested == isRequested ? outage.since : clock.now
        } else {
            since = min(counter.lastCapture.map { $0 + interval } ?? startedAt, clock.now)
        }
        outage = (since, cause, isRequested)
        receive(.away(at: since, cause: cause, isRequested: isRequested))
    }

    /// What came of the controls that it is to have.
    func controls(_ outcomes: [ControlOutcome]) {
        if !outcomes.isEmpty { receive(.controls(outcomes, at: clock.now)) }
    }

    /// The camera did not take a format that it was asked for, and is given the one before.
    func refused(_ format: VideoFormat, _ cause: String) {
        receive(.formatRefused(format, at: clock.now, cause: cause))
    }

    /// The driver begins to count anew, in another rhythm.
    ///
    /// - Parameters:
    ///   - remark: What is to be told with its return.
    ///   - format: In which it streams from now on; `nil` for the one before.
    func streamRestarts(remark: String? = nil, in format: VideoFormat? = nil) {
        if let format, format != self.format {
            self.format = format
            interval = format.rate.interval
            counter.interval = interval
        }
        counter.streamRestarts()
        usualStep = interval
        lastStep = interval
        if let remark { self.remark = remark }
    }
}
