import Media

/// Delivers a camera's events to its receiver, in order, over all the streams that the camera has had. Used by the
/// camera's thread alone.
final class CameraDelivery {
    private var interval: Nanoseconds
    /// The format that the receiver knows of.
    private var told: VideoFormat
    private let clock: any SessionClock
    private let receive: @Sendable (CameraEvent) -> Void
    private var counter: FrameCounter
    private let startedAt: ClockTime
    /// The longer of the last two steps between frames.
    private var usualStep: Nanoseconds
    private var lastStep: Nanoseconds
    /// Start and last reported cause of the present outage, and whether it was requested; `nil` while frames come.
    private var outage: (since: ClockTime, cause: String, isRequested: Bool)?
    /// The remark to report with the return.
    private var remark: String?
    /// The format that the camera streams in, once frames come.
    private var format: VideoFormat
    private var headersProblem: String?

    /// Starts counting.
    ///
    /// - Parameters:
    ///   - format: The format in which the camera was opened.
    ///   - clock: The session clock.
    ///   - receive: Called on the camera's thread for each event.
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

    /// Longest time without a frame that is not yet silence: five frame intervals at the camera's present rate, which
    /// is lower in the dark.
    var patience: Nanoseconds { max(interval, usualStep) * 5 }

    /// Capture time of the last frame; before the first, the start.
    var lastSign: ClockTime { counter.lastCapture ?? startedAt }

    /// Dates and counts a buffer, and reports the frames missing before it, except before the first ones, which are
    /// discarded.
    func place(_ filled: V4L2Device.Filled, isWarmUp: Bool) -> FrameCounter.Place {
        let previous = counter.lastCapture
        let place = counter.place(filled.sequence, filled.stamp, arrivedAt: clock.now)
        if let previous {
            usualStep = max(lastStep, place.capturedAt - previous)
            lastStep = place.capturedAt - previous
        }
        if isWarmUp { return place }
        if place.isCorrected { receive(.corrected(at: place.capturedAt)) }
        // Reported in an outage too: then the bus lost frames that the camera counts.
        if place.missing > 0 {
            receive(.lost(count: place.missing, cause: .bus, capturedAt: place.firstMissingAt))
        }
        return place
    }

    /// Reports lost frames. While the camera is away, the outage is the loss: it is not counted twice.
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

    /// Reports that the clock of the packets' headers was asked for and is not available. Each cause is reported once.
    func lacksHeaderClock(_ cause: String) {
        guard headersProblem != cause else { return }
        headersProblem = cause
        receive(.withoutHeaderClock(at: clock.now, cause: cause))
    }

    /// Reports that no frames come, since the first one that did not: once, and again when another cause shows.
    ///
    /// - Parameters:
    ///   - cause: The cause in a few words.
    ///   - isRequested: Whether the outage was asked for. A request during an outage of the camera's own is not its
    ///     cause; a fault during a requested outage starts an outage of its own.
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

    /// Reports the outcomes of setting controls.
    func controls(_ outcomes: [ControlOutcome]) {
        if !outcomes.isEmpty { receive(.controls(outcomes, at: clock.now)) }
    }

    /// Reports that the camera did not take a format that it was asked for, and returns to the one before.
    func refused(_ format: VideoFormat, _ cause: String) {
        receive(.formatRefused(format, at: clock.now, cause: cause))
    }

    /// Prepares for a stream whose driver counts anew, perhaps at another rate.
    ///
    /// - Parameters:
    ///   - remark: The remark to report with the return.
    ///   - format: The format of the new stream; `nil` for the one before.
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
