internal import Media

/// A screen or a window that a person shares in the desktop's dialog (Wayland). Belongs to the thread that makes it.
///
/// The desktop sends a frame when something has changed, and says when it composed it. While none comes, the screen looks as before.
final class SharedScreen: Screen {
    private let address: SourceAddress
    private let region: PixelRectangle?
    private let session: PortalSession
    private let stream: ScreenStream
    private let cancellation: Cancellation
    /// Whether the mouse pointer was wanted, and the desktop cannot put it into the frames.
    let lacksCursor: Bool
    private let clock = MonotonicClock()
    private var age = FrameAge()
    /// How long a desktop may take to send the first frame.
    private static let patience = Nanoseconds.seconds(5)
    /// The longest wait at once.
    private static let step = Nanoseconds.milliseconds(50)
    /// How long the news that a session was ended may take after its stream's end.
    private static let afterEnd = Nanoseconds.seconds(1)

    var pixels: ScreenPixels { stream.pixels }

    /// Asks the desktop, which may ask a person, and waits for the answer.
    ///
    /// - Parameters:
    ///   - address: The screen's address.
    ///   - asked: The same, read.
    ///   - memory: What the desktop gave before.
    ///   - cancellation: Ends waits.
    ///   - telling: Gets a sentence for the person who has to answer.
    /// - Throws: `SourceError` when it is not allowed, or there is nothing to be seen.
    init(
        _ address: SourceAddress, _ asked: ScreenAddress, _ memory: PortalMemory,
        _ cancellation: Cancellation, telling: (String) -> Void
    ) throws(SourceError) {
        self.address = address
        switch asked.part {
        case .everything: region = nil
        case .region(let part): region = part
        case .window:
            throw .over(
                "\(address): which window is shared a person chooses in the desktop's dialog. Leave `window` out."
            )
        }
        session = try PortalSession(address, cancellation)
        let grant = try session.open(token: memory.token(of: asked), wantsCursor: asked.hasCursor) {
            telling("the desktop asks which screen or window \(address) is: choose it in its dialog.")
        }
        memory.keep(grant.token, of: asked)
        lacksCursor = !grant.hasCursor
        stream = try ScreenStream(owning: grant.descriptor, node: grant.node, address)
        self.cancellation = cancellation
        let deadline = clock.now + Self.patience
        while try stream.take(region) == nil {
            guard clock.now < deadline, !cancellation.isCancelled else {
                throw .lost("the desktop shares \(address) and sends no frame of it.")
            }
            try receive(within: Self.step)
        }
    }

    /// Receives what has come, and tells a person's end from an accident.
    private func receive(within limit: Nanoseconds) throws(SourceError) {
        try stream.receive(within: limit)
        guard !session.hasGone else { throw .lost("the desktop of \(address) has gone.") }
        if let ending = stream.ending {
            // Who ends the session ends the stream first.
            let deadline = clock.now + Self.afterEnd
            while !session.isClosed {
                guard !cancellation.wait(until: clock.now + Self.step), clock.now < deadline else {
                    throw .lost("the desktop has lost what it shared of \(address): \(ending).")
                }
            }
        }
        guard session.isClosed else { return }
        throw .over(
            "sharing \(address) was ended on the desktop, and is not begun again by itself: exchange the camera for it, or begin another "
                + "recording.")
    }

    func look(isForced: Bool) throws(SourceError) -> ScreenLook {
        try receive(within: .zero)
        let time = clock.now
        let composed = try stream.take(region)
        if let composed { age.note(time - composed) }
        return ScreenLook(
            time: age.date(at: time), error: age.error, hasChanged: composed != nil || isForced)
    }

    func wait(until due: ClockTime, unless cancellation: Cancellation) throws(SourceError) -> Bool {
        while true {
            let rest = due - clock.now
            // The loop counts in whole milliseconds.
            guard rest >= .milliseconds(1) else { return cancellation.wait(until: due) }
            if cancellation.isCancelled { return true }
            try receive(within: min(rest, Self.step))
        }
    }
}
