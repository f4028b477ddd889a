internal import MulticamControl
internal import MulticamMedia
internal import MulticamMediaLink

/// Forwards a phone's media to the recorder on a separate thread, because a recorder that doesn't read blocks the
/// sender. Safe to use from any thread.
final class PhoneSource: Sendable {
    /// A notification from the recorder.
    enum Notification: Sendable, Equatable {
        /// The recorder accepts everything that the phone sends.
        case accepted
        /// The recorder needs a key frame.
        case needsKeyFrame
        /// The recorder refuses the camera, the microphone, or their media.
        case problem(String)
        /// A client requests these control values, by name. The number identifies the request in the answer.
        case controlsRequested(Int, [String: Int64])
    }

    /// Access to the recorder.
    struct RecorderAccess: Sendable {
        /// Process ID of the reachable recorder, or `nil`.
        let process: @Sendable () -> Int32?
        /// Connects to the recorder's media socket.
        let connect: @Sendable (Int32) throws(ControlError) -> LocalSocket
    }

    private enum Item: Sendable {
        case connected(PhoneOffer)
        case frame(TimestampedPhoneMedia)
        case controls(ReportedControls)
        case frameCheck
        case disconnected(because: String)
    }

    private let pieces = BoundedQueue<Item>(capacity: maxWaitingMedia + 64)
    private let waitingBytes = ConditionLock(0)
    private let thread: ConditionLock<MediaThread?> = ConditionLock(nil)

    /// Maximum number of bytes waiting for the recorder, about one second of media.
    private static let maxWaitingBytes = 16 << 20
    /// Maximum number of frames and audio slices in the queue. The rest of the queue's capacity is reserved
    /// for control messages, such as a phone's connect or disconnect.
    private static let maxWaitingMedia = 192

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - recorder: Access to the recorder.
    ///   - notify: Receives notifications, on the new thread.
    init(_ recorder: RecorderAccess, notify: @escaping @Sendable (Notification) -> Void) {
        let thread = MediaThread.startWhenPossible(name: "phone") { [pieces, waitingBytes] in
            let delivery = PhoneDelivery(recorder, notify: notify)
            while let piece = pieces.dequeue() {
                switch piece {
                case .connected(let offer): delivery.phoneConnected(offer)
                case .frame(let media):
                    waitingBytes.withLock { $0 -= media.bytes.count }
                    delivery.send(media, at: MonotonicClock().now)
                case .controls(let reported): delivery.send(reported)
                case .frameCheck: delivery.checkFrames(at: MonotonicClock().now)
                case .disconnected(let cause): delivery.phoneDisconnected(because: cause)
                }
            }
            delivery.phoneDisconnected(because: "network: the control room was closed")
        }
        self.thread.withLock { $0 = thread }
    }

    /// Reports that the phone is connected and will send this media.
    func phoneConnected(_ offer: PhoneOffer) { _ = pieces.tryEnqueue(.connected(offer)) }

    /// Enqueues a frame or audio. Never blocks: media is dropped if the queue is full.
    func enqueue(_ media: TimestampedPhoneMedia) {
        let hasRoom = waitingBytes.withLock { waiting in
            guard waiting + media.bytes.count <= Self.maxWaitingBytes, pieces.count < Self.maxWaitingMedia
            else {
                return false
            }
            waiting += media.bytes.count
            return true
        }
        if hasRoom, !pieces.tryEnqueue(.frame(media)) { waitingBytes.withLock { $0 -= media.bytes.count } }
    }

    /// Enqueues the phone's report of its controls.
    func enqueue(_ reported: ReportedControls) { _ = pieces.tryEnqueue(.controls(reported)) }

    /// Reports that the phone is disconnected.
    ///
    /// - Parameter cause: The reason, as written to the recording.
    func phoneDisconnected(because cause: String) { _ = pieces.tryEnqueue(.disconnected(because: cause)) }

    /// Requests a check that frames are still arriving. Call this function about once per second.
    func requestFrameCheck() { if pieces.count < Self.maxWaitingMedia { _ = pieces.tryEnqueue(.frameCheck) } }

    /// Asks the thread to end, without waiting for its end.
    func close() { pieces.finish() }

    /// Ends the thread and waits until it has ended.
    func join() {
        close()
        thread.withLock { $0 }?.join()
    }
}

/// Delivers one phone's media to the recorder: announces the phone to each new recorder, and sends media in order,
/// starting with a key frame. Used only on the phone's thread.
final class PhoneDelivery {
    /// The phone's camera or microphone as registered with the recorder. The recorder may refuse one of the two devices
    /// and accept the other.
    private struct Registration {
        var source: RemoteSource?
        /// Time of the latest event: an announcement, an attempted announcement, or the end of the connection.
        var lastAttempt: ClockTime?
        /// The reason why the recorder refused the device; cleared when it is accepted.
        var problem: String?

        func isDue(at now: ClockTime) -> Bool {
            source == nil && lastAttempt.map { now - $0 >= PhoneDelivery.retryInterval } ?? true
        }

        /// Whether the device has been announced and hasn't been refused since then. The recorder doesn't
        /// confirm acceptance.
        func isAccepted(at now: ClockTime) -> Bool {
            source.map { $0.problem == nil } ?? false
                && !(lastAttempt.map { now - $0 < PhoneDelivery.retryInterval } ?? true)
        }

        /// Closes an unusable connection.
        mutating func drop(at now: ClockTime) {
            source?.close()
            (source, lastAttempt) = (nil, now)
        }

        /// Drops the device if the recorder has refused it, and returns whether the recorder has refused it.
        mutating func dropIfRefused(at now: ClockTime) -> Bool {
            guard let problem = source?.problem else { return false }
            self.problem = problem.printable(limit: 400)
            drop(at: now)
            return true
        }

        /// Records the result of a send. After a failure, the device is announced again.
        mutating func handleSendResult(_ isSent: Bool?, at now: ClockTime) {
            if isSent == false, source?.problem == nil { drop(at: now) }
        }
    }

    private let recorder: PhoneSource.RecorderAccess
    private let notify: @Sendable (PhoneSource.Notification) -> Void
    private var offer: PhoneOffer?
    private var camera = Registration()
    private var microphone = Registration()
    /// Process ID of the recorder that the devices are announced to.
    private var process: Int32?
    /// Time when the last frame arrived, or when the camera was announced.
    private var lastFrame = ClockTime(nanoseconds: 0)
    /// Whether frames have stopped although the phone is connected. The camera counts as disconnected until the next
    /// frame.
    private var isStalled = false
    /// Whether acceptance of the latest announcement has been reported.
    private var hasReportedAcceptance = false
    /// The next frame and sample numbers. Lower numbers have been sent.
    private var next: (frame: Int64, sample: Int64) = (0, 0)
    private var awaitsKeyFrame = true
    /// The controls last reported by the phone; `nil` before the first report.
    private var controls: ReportedControls?
    /// Time when a key frame was last requested.
    private var keyFrameRequestedAt: ClockTime?

    /// Maximum time from exposure to sending, as announced to the recorder. The recorder waits for a frame
    /// for this time.
    private static let delay = Nanoseconds.milliseconds(500)
    /// Maximum age of media on arrival. Older media was delayed by a network stall, and the tick that it
    /// belongs to has already been processed.
    private static let maxAge = Nanoseconds.milliseconds(1500)
    /// Maximum difference by which a timestamp may exceed the current time. If the difference is larger, the
    /// phone's clock is considered invalid.
    private static let maxClockLead = Nanoseconds.milliseconds(250)
    private static let retryInterval = Nanoseconds.seconds(1)
    /// Time without a frame after which the camera counts as disconnected, even if the phone is still sending
    /// other data.
    private static let stallTimeout = Nanoseconds.seconds(3)

    /// - Parameters:
    ///   - recorder: Access to the recorder.
    ///   - notify: Receives notifications.
    init(
        _ recorder: PhoneSource.RecorderAccess, notify: @escaping @Sendable (PhoneSource.Notification) -> Void
    ) {
        (self.recorder, self.notify) = (recorder, notify)
    }

    /// Handles a phone that has connected and will send this media.
    func phoneConnected(_ offer: PhoneOffer) {
        phoneDisconnected(because: "network: the phone reconnected")
        self.offer = offer
        (next, awaitsKeyFrame, keyFrameRequestedAt) = ((0, 0), true, nil)
        announce(offer, at: MonotonicClock().now)
    }

    /// Handles a phone that has disconnected.
    ///
    /// - Parameter cause: The reason, as written to the recording.
    func phoneDisconnected(because cause: String) {
        camera.source?.disconnect(because: cause)
        microphone.source?.disconnect(because: cause)
        (camera, microphone, process, offer, isStalled) = (Registration(), Registration(), nil, nil, false)
        controls = nil
    }

    /// Forwards the phone's report of its controls.
    func send(_ reported: ReportedControls) {
        controls = ReportedControls(controls: reported.controls)
        // The result is ignored, because sending the next frame detects an ended connection.
        _ = camera.source?.send(controls: reported)
    }

    /// Marks the camera as disconnected if no frame has arrived for several seconds; the microphone
    /// continues. Reports once that the recorder accepts both devices. Call this function about once per
    /// second.
    func checkFrames(at now: ClockTime) {
        guard let offer else { return }
        if let source = camera.source, now - lastFrame > Self.stallTimeout {
            source.disconnect(because: "network: no frames received for 3 s")
            (camera.source, isStalled) = (nil, true)
        }
        if camera.isAccepted(at: now) { camera.problem = nil }
        if microphone.isAccepted(at: now) { microphone.problem = nil }
        guard !hasReportedAcceptance, camera.isAccepted(at: now),
            offer.audio == nil || microphone.isAccepted(at: now)
        else { return }
        hasReportedAcceptance = true
        notify(.accepted)
    }

    /// Sends a frame or audio.
    ///
    /// - Parameters:
    ///   - media: The phone's media.
    ///   - now: The current time.
    func send(_ media: TimestampedPhoneMedia, at now: ClockTime) {
        guard let offer else { return }
        if media.kind != .pcm { isStalled = false }
        announce(offer, at: now)
        let age = now - media.time
        let isTimely = age < Self.maxAge && age > -Self.maxClockLead - media.error
        switch media.kind {
        case .pcm:
            guard let format = offer.audio, isTimely, media.number >= next.sample else { return }
            let (length, rest) = media.bytes.count.quotientAndRemainder(dividingBy: 2 * format.channels)
            // The recorder drops a microphone that sends more than a second of audio at once.
            guard rest == 0, length * 2 <= format.rate else { return }
            next.sample = media.number + Int64(length)
            let samples = media.bytes.bytes.withMemoryRebound(to: Int16.self) { samples in
                samples.map { Float(Int16(littleEndian: $0)) / 32_768 }
            }
            let isSent = microphone.source?.send(
                audio: samples, at: media.time, error: media.error, firstSample: media.number)
            microphone.handleSendResult(isSent, at: now)
        case .jpeg, .h264:
            guard camera.source != nil, (media.kind == .jpeg) == (offer.format.pixel == .mjpeg),
                media.number >= next.frame
            else { return }
            lastFrame = now
            let isNext = media.number == next.frame
            next.frame = media.number + 1
            guard isTimely else { return requestKeyFrame(at: now) }
            // After a lost frame, no frame can be decoded until the next key frame.
            if media.kind == .h264, !media.isKey, awaitsKeyFrame || !isNext {
                return requestKeyFrame(at: now)
            }
            awaitsKeyFrame = false
            let isSent = camera.source?.send(
                frame: media.bytes, at: media.time, error: media.error, sequence: media.number,
                isKey: media.isKey)
            camera.handleSendResult(isSent, at: now)
        }
    }

    private func requestKeyFrame(at now: ClockTime) {
        awaitsKeyFrame = true
        guard keyFrameRequestedAt.map({ now - $0 > Self.retryInterval }) ?? true else { return }
        keyFrameRequestedAt = now
        notify(.needsKeyFrame)
    }

    /// Announces the devices that the current recorder doesn't have yet, and reports refusals.
    private func announce(_ offer: PhoneOffer, at now: ClockTime) {
        let present = recorder.process()
        if present != process {
            camera.source?.close()
            microphone.source?.close()
            (camera, microphone, process, isStalled) = (Registration(), Registration(), present, false)
        }
        if [camera.dropIfRefused(at: now), microphone.dropIfRefused(at: now)].contains(true) {
            notify(.problem([camera.problem, microphone.problem].compactMap(\.self).joined(separator: " ")))
        }
        guard let present else { return }
        if !isStalled, camera.isDue(at: now) {
            camera.lastAttempt = now
            camera.source = source(at: present) { socket throws(ControlError) in
                try RemoteSource(
                    cameraNamed: offer.selector, offer.format, offer.color, delay: Self.delay,
                    dated: offer.origin(of: .h264), over: socket,
                    controlRequestHandler: { [notify] in notify(.controlsRequested($0, $1)) })
            }
            if let source = camera.source {
                if let controls { _ = source.send(controls: controls) }
                (awaitsKeyFrame, lastFrame, hasReportedAcceptance) = (true, now, false)
                notify(.needsKeyFrame)
            }
        }
        if let audio = offer.audio, microphone.isDue(at: now) {
            microphone.lastAttempt = now
            microphone.source = source(at: present) { socket throws(ControlError) in
                try RemoteSource(
                    microphoneNamed: offer.selector, audio, delay: Self.delay, dated: offer.origin(of: .pcm),
                    over: socket)
            }
            hasReportedAcceptance = false
        }
    }

    /// Announces a device. Returns `nil` if the recorder is starting or has ended; the caller tries again.
    private func source(
        at process: Int32, _ make: (LocalSocket) throws(ControlError) -> RemoteSource
    ) -> RemoteSource? {
        do throws(ControlError) {
            return try make(try recorder.connect(process))
        } catch {
            return nil
        }
    }
}
