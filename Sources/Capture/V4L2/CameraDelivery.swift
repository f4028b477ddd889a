import Media

/// What a camera tells its receiver, in order, over all the streams that it has had. Used by the camera's thread alone.
final class CameraDelivery {
    private var interval: Nanoseconds
    private let clock: any SessionClock
    private let receive: @Sendable (CameraEvent) -> Void
    private var counter: PictureCounter
    private let startedAt: ClockTime
    /// The longer of the last two steps between pictures.
    private var usualStep: Nanoseconds
    private var lastStep: Nanoseconds
    /// Since when there are no pictures, and the last reason told; `nil` while they come.
    private var outage: (since: ClockTime, cause: String)?
    /// What is to be told with the return.
    private var remark: String?
    private var changed: VideoFormat?
    private var headersProblem: String?

    /// - Parameters:
    ///   - interval: The nominal time between two pictures.
    ///   - clock: The session's.
    ///   - receive: Called on the camera's thread.
    init(
        interval: Nanoseconds, clock: any SessionClock, receive: @escaping @Sendable (CameraEvent) -> Void
    ) {
        self.interval = interval
        self.clock = clock
        self.receive = receive
        counter = PictureCounter(interval: interval)
        startedAt = clock.now
        usualStep = interval
        lastStep = interval
    }

    var now: ClockTime { clock.now }
    var isAway: Bool { outage != nil }

    /// So long without a picture is silence: five intervals, as the camera now runs. In the dark many take their time.
    var patience: Nanoseconds { max(interval, usualStep) * 5 }

    /// When the last picture was captured; before the first, when all began.
    var lastSign: ClockTime { counter.lastCapture ?? startedAt }

    /// Dates a buffer and counts it; says what is missing before it, unless it is one of the first, which are discarded.
    func place(_ filled: V4L2Device.Filled, isWarmUp: Bool) -> PictureCounter.Place {
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

    func picture(_ picture: CapturedPicture) {
        if let outage {
            self.outage = nil
            if let changed { receive(.formatChanged(changed)) }
            changed = nil
            receive(.returned(at: max(picture.capturedAt, outage.since), remark: remark))
            remark = nil
        }
        receive(.picture(picture))
    }

    /// The clock of the packets' headers was asked for and cannot be had. Told once for each reason.
    func lacksHeaderClock(_ cause: String) {
        guard headersProblem != cause else { return }
        headersProblem = cause
        receive(.withoutHeaderClock(at: clock.now, cause: cause))
    }

    /// No pictures come, since the first one that did not: told once, and again when another reason shows.
    func away(_ cause: String) {
        guard outage?.cause != cause else { return }
        let since = outage?.since ?? min(counter.lastCapture.map { $0 + interval } ?? startedAt, clock.now)
        outage = (since, cause)
        receive(.away(at: since, cause: cause))
    }

    /// The driver begins to count anew, in another rhythm.
    ///
    /// - Parameters:
    ///   - remark: What is to be told with its return.
    ///   - changed: The format, if it is another than before.
    func streamRestarts(remark: String? = nil, changed: VideoFormat? = nil) {
        if let changed {
            self.changed = changed
            interval = changed.rate.interval
            counter.interval = interval
        }
        counter.streamRestarts()
        usualStep = interval
        lastStep = interval
        if let remark { self.remark = remark }
    }
}
