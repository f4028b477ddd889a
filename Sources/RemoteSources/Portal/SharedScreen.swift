internal import MulticamMedia

/// A screen or a window that the user shares in the desktop's dialog (Wayland). Use this type only on the thread that
/// creates it.
///
/// The desktop sends a frame with its composition time when something has changed. If no new frame arrives,
/// the screen hasn't changed.
final class SharedScreen: Screen {
    private let address: SourceAddress
    private let region: PixelRectangle?
    private let session: PortalSession
    private let stream: ScreenStream
    private let cancellation: Cancellation
    /// Whether the mouse pointer was requested but the desktop can't include it in the frames.
    let lacksCursor: Bool
    private let clock = MonotonicClock()
    private var age = FrameAge()
    /// Maximum time for the desktop to send the first frame.
    private static let firstFrameTimeout = Nanoseconds.seconds(5)
    /// Maximum duration of a single wait.
    private static let step = Nanoseconds.milliseconds(50)
    /// Maximum time between the end of the stream and the notification that its session was ended.
    private static let closeNotificationTimeout = Nanoseconds.seconds(1)

    var pixels: ScreenPixels { stream.pixels }

    /// Requests the screen from the desktop, which may show a dialog, and waits for the answer.
    ///
    /// - Parameters:
    ///   - address: The screen's address.
    ///   - asked: The parsed address.
    ///   - memory: Tokens that the desktop issued before.
    ///   - cancellation: Cancels pending waits.
    ///   - dialogHandler: Receives a message for the user who has to answer the dialog.
    /// - Throws: `SourceError` if access is denied, or there is nothing to show.
    init(
        _ address: SourceAddress, _ asked: ScreenAddress, _ memory: PortalTokenStore,
        _ cancellation: Cancellation, dialogHandler: (String) -> Void
    ) throws(SourceError) {
        self.address = address
        switch asked.part {
        case .wholeDisplay: region = nil
        case .region(let part): region = part
        case .window:
            throw .over(
                "\(address): remove `window` from the address, because windows are selected in the desktop's dialog."
            )
        }
        session = try PortalSession(address, cancellation)
        let grant = try session.open(token: memory.token(of: asked), wantsCursor: asked.hasCursor) {
            dialogHandler("select the screen or window for \(address) in the desktop's dialog.")
        }
        memory.save(grant.token, of: asked)
        lacksCursor = !grant.hasCursor
        stream = try ScreenStream(owning: grant.descriptor, node: grant.node, address)
        self.cancellation = cancellation
        let deadline = clock.now + Self.firstFrameTimeout
        while try stream.dequeueFrame(region) == nil {
            guard clock.now < deadline, !cancellation.isCancelled else {
                throw .lost("the desktop is sharing \(address), but has not sent any frames.")
            }
            try receive(within: Self.step)
        }
    }

    /// Processes incoming events, and distinguishes an end requested by the user from a failure.
    private func receive(within limit: Nanoseconds) throws(SourceError) {
        try stream.receive(within: limit)
        guard !session.isDisconnected else { throw .lost("the desktop session of \(address) has ended.") }
        if let ending = stream.endReason {
            // If the user ends the session, the stream ends before the session.
            let deadline = clock.now + Self.closeNotificationTimeout
            while !session.isClosed {
                guard !cancellation.wait(until: clock.now + Self.step), clock.now < deadline else {
                    throw .lost("the desktop stopped sharing \(address): \(ending).")
                }
            }
        }
        guard session.isClosed else { return }
        throw .over(
            "sharing of \(address) was stopped by the user and does not restart automatically. Use `replace-camera` with this screen, or start a new "
                + "recording.")
    }

    func capture(isForced: Bool) throws(SourceError) -> ScreenCapture {
        try receive(within: .zero)
        let time = clock.now
        let composed = try stream.dequeueFrame(region)
        if let composed { age.record(time - composed) }
        return ScreenCapture(
            time: age.estimateCaptureTime(at: time), error: age.error, hasChanged: composed != nil || isForced
        )
    }

    func wait(until due: ClockTime, unless cancellation: Cancellation) throws(SourceError) -> Bool {
        while true {
            let rest = due - clock.now
            // The loop's timeouts are whole milliseconds.
            guard rest >= .milliseconds(1) else { return cancellation.wait(until: due) }
            if cancellation.isCancelled { return true }
            try receive(within: min(rest, Self.step))
        }
    }
}

/// Age of shared screen frames when they are sampled. The age makes it possible to timestamp each frame with its
/// composition time, while the timestamps stay as evenly spaced as the samples. This is a value type; the caller passes
/// the time.
///
/// Each sample uses the newest frame. The age of this frame is at most one refresh interval of the desktop
/// plus the delivery time. A static screen delivers no new frame, because its content hasn't changed in that
/// time.
struct FrameAge {
    private var ages: [Nanoseconds] = []
    private var last = ClockTime(nanoseconds: 0)

    /// Maximum number of stored frame ages.
    private static let maxSamples = 30
    /// Minimum number of frame ages that show the actual variation.
    private static let minSamples = 10
    /// Maximum plausible age of a frame. The computed age is larger if the desktop uses another clock.
    private static let maxAge = Nanoseconds.milliseconds(500)
    /// Age assumed if no age is plausible: one refresh interval of a slow monitor.
    private static let defaultAge = Nanoseconds.milliseconds(17)

    /// Records the age of a frame when it was sampled.
    mutating func record(_ age: Nanoseconds) {
        guard age >= .zero, age <= Self.maxAge else { return }
        ages = ages.suffix(Self.maxSamples - 1) + [age]
    }

    private var range: (least: Nanoseconds, most: Nanoseconds) {
        (ages.min() ?? .zero, ages.max() ?? Self.defaultAge)
    }

    /// Maximum error of a timestamp. The error is larger than the variation of ages if only a few ages are known or
    /// none is plausible.
    var error: Nanoseconds {
        let half = (range.most - range.least) / 2
        return ages.isEmpty
            ? Self.defaultAge : ages.count < Self.minSamples ? max(half, Self.defaultAge / 2) : half
    }

    /// Timestamps a sample.
    ///
    /// - Parameter time: Sampling time.
    /// - Returns: The timestamp, later than the previous one.
    mutating func estimateCaptureTime(at time: ClockTime) -> ClockTime {
        last = max(time - (range.least + range.most) / 2, last + .microseconds(1))
        return last
    }
}
