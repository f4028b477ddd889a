internal import Control
internal import Media
internal import MediaLink

/// Forwards a phone's media to the recorder on a separate thread, because a recorder that doesn't read blocks the
/// sender. Safe to use from any thread.
final class PhoneSource: Sendable {
    /// A notification from the recorder.
    enum News: Sendable, Equatable {
        /// The recorder accepts everything that the phone sends.
        case taken
        /// The recorder needs a key frame.
        case wantsKey
        /// The recorder refuses the camera, the microphone, or their media.
        case problem(String)
        /// A client requests these control values, by name. The number identifies the request in the answer.
        case wish(Int, [String: Int64])
    }

    /// Access to the recorder.
    struct Recorder: Sendable {
        /// Process ID of the reachable recorder, or `nil`.
        let process: @Sendable () -> Int32?
        /// Connects to the recorder's media socket.
        let connect: @Sendable (Int32) throws(ControlError) -> LocalSocket
    }

    private enum Piece: Sendable {
        case begin(PhoneOffer)
        case frame(DatedPhoneMedia)
        case controls(ToldControls)
        case look
        case leave(because: String)
    }

    private let pieces = BoundedQueue<Piece>(capacity: mostPieces + 64)
    private let waiting = ConditionLock(0)
    private let thread: ConditionLock<MediaThread?> = ConditionLock(nil)

    /// Maximum number of bytes waiting for the recorder, about one second of media.
    private static let mostWaiting = 16 << 20
    /// Maximum number of frames and audio slices in the queue. The rest of the queue's capacity is reserved
    /// for control messages, such as a phone's connect or disconnect.
    private static let mostPieces = 192

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - recorder: Access to the recorder.
    ///   - tell: Receives notifications, on the new thread.
    init(_ recorder: Recorder, tell: @escaping @Sendable (News) -> Void) {
        let thread = MediaThread.eventually(name: "phone") { [pieces, waiting] in
            let delivery = PhoneDelivery(recorder, tell: tell)
            while let piece = pieces.next() {
                switch piece {
                case .begin(let offer): delivery.begin(offer)
                case .frame(let media):
                    waiting.withLock { $0 -= media.bytes.count }
                    delivery.take(media, at: MonotonicClock().now)
                case .controls(let told): delivery.take(told)
                case .look: delivery.look(at: MonotonicClock().now)
                case .leave(let cause): delivery.leave(because: cause)
                }
            }
            delivery.leave(because: "network: the control room was closed")
        }
        self.thread.withLock { $0 = thread }
    }

    /// Reports that the phone is connected and will send this media.
    func begin(_ offer: PhoneOffer) { _ = pieces.offer(.begin(offer)) }

    /// Enqueues a frame or audio. Never blocks: media is dropped if the queue is full.
    func take(_ media: DatedPhoneMedia) {
        let hasRoom = waiting.withLock { waiting in
            guard waiting + media.bytes.count <= Self.mostWaiting, pieces.count < Self.mostPieces else {
                return false
            }
            waiting += media.bytes.count
            return true
        }
        if hasRoom, !pieces.offer(.frame(media)) { waiting.withLock { $0 -= media.bytes.count } }
    }

    /// Enqueues the phone's report of its controls.
    func take(_ told: ToldControls) { _ = pieces.offer(.controls(told)) }

    /// Reports that the phone is disconnected.
    ///
    /// - Parameter cause: The reason, as written to the recording.
    func leave(because cause: String) { _ = pieces.offer(.leave(because: cause)) }

    /// Requests a check that frames are still arriving. Call this function about once per second.
    func look() { if pieces.count < Self.mostPieces { _ = pieces.offer(.look) } }

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
    private struct Place {
        var source: RemoteSource?
        /// Time of the latest event: an announcement, an attempted announcement, or the end of the connection.
        var triedAt: ClockTime?
        /// The reason why the recorder refused the device; cleared when it is accepted.
        var problem: String?

        func isDue(at now: ClockTime) -> Bool {
            source == nil && triedAt.map { now - $0 >= PhoneDelivery.pause } ?? true
        }

        /// Whether the device has been announced and hasn't been refused since then. The recorder doesn't
        /// confirm acceptance.
        func isSettled(at now: ClockTime) -> Bool {
            source.map { $0.problem == nil } ?? false
                && !(triedAt.map { now - $0 < PhoneDelivery.pause } ?? true)
        }

        /// Closes an unusable connection.
        mutating func drop(at now: ClockTime) {
            source?.close()
            (source, triedAt) = (nil, now)
        }

        /// Drops the device if the recorder has refused it, and returns whether the recorder has refused it.
        mutating func noteRefusal(at now: ClockTime) -> Bool {
            guard let problem = source?.problem else { return false }
            self.problem = problem.printable(limit: 400)
            drop(at: now)
            return true
        }

        /// Records the result of a send. After a failure, the device is announced again.
        mutating func note(_ isSent: Bool?, at now: ClockTime) {
            if isSent == false, source?.problem == nil { drop(at: now) }
        }
    }

    private let recorder: PhoneSource.Recorder
    private let tell: @Sendable (PhoneSource.News) -> Void
    private var offer: PhoneOffer?
    private var camera = Place()
    private var microphone = Place()
    /// Process ID of the recorder that the devices are announced to.
    private var process: Int32?
    /// Time when the last frame arrived, or when the camera was announced.
    private var lastFrame = ClockTime(nanoseconds: 0)
    /// Whether frames have stopped although the phone is connected. The camera counts as disconnected until the next
    /// frame.
    private var isStalled = false
    /// Whether acceptance of the latest announcement has been reported.
    private var hasToldTaken = false
    /// The next frame and sample numbers. Lower numbers have been sent.
    private var next: (frame: Int64, sample: Int64) = (0, 0)
    private var awaitsKey = true
    /// The controls last reported by the phone; `nil` before the first report.
    private var controls: ToldControls?
    /// Time when a key frame was last requested.
    private var asked: ClockTime?

    /// Maximum time from exposure to sending, as announced to the recorder. The recorder waits for a frame
    /// for this time.
    private static let delay = Nanoseconds.milliseconds(500)
    /// Maximum age of media on arrival. Older media was delayed by a network stall, and the tick that it
    /// belongs to has already been processed.
    private static let oldest = Nanoseconds.milliseconds(1500)
    /// Maximum difference by which a timestamp may exceed the current time. If the difference is larger, the
    /// phone's clock is considered invalid.
    private static let newest = Nanoseconds.milliseconds(250)
    private static let pause = Nanoseconds.seconds(1)
    /// Time without a frame after which the camera counts as disconnected, even if the phone is still sending
    /// other data.
    private static let longestStall = Nanoseconds.seconds(3)

    /// - Parameters:
    ///   - recorder: Access to the recorder.
    ///   - tell: Receives notifications.
    init(_ recorder: PhoneSource.Recorder, tell: @escaping @Sendable (PhoneSource.News) -> Void) {
        (self.recorder, self.tell) = (recorder, tell)
    }

    /// Handles a phone that has connected and will send this media.
    func begin(_ offer: PhoneOffer) {
        leave(because: "network: the phone reconnected")
        self.offer = offer
        (next, awaitsKey, asked) = ((0, 0), true, nil)
        announce(offer, at: MonotonicClock().now)
    }

    /// Handles a phone that has disconnected.
    ///
    /// - Parameter cause: The reason, as written to the recording.
    func leave(because cause: String) {
        camera.source?.leave(because: cause)
        microphone.source?.leave(because: cause)
        (camera, microphone, process, offer, isStalled) = (Place(), Place(), nil, nil, false)
        controls = nil
    }

    /// Forwards the phone's report of its controls.
    func take(_ told: ToldControls) {
        controls = ToldControls(controls: told.controls)
        // The result is ignored, because sending the next frame detects an ended connection.
        _ = camera.source?.send(controls: told)
    }

    /// Marks the camera as disconnected if no frame has arrived for several seconds; the microphone
    /// continues. Reports once that the recorder accepts both devices. Call this function about once per
    /// second.
    func look(at now: ClockTime) {
        guard let offer else { return }
        if let source = camera.source, now - lastFrame > Self.longestStall {
            source.leave(because: "network: no frames received for 3 s")
            (camera.source, isStalled) = (nil, true)
        }
        if camera.isSettled(at: now) { camera.problem = nil }
        if microphone.isSettled(at: now) { microphone.problem = nil }
        guard !hasToldTaken, camera.isSettled(at: now), offer.audio == nil || microphone.isSettled(at: now)
        else { return }
        hasToldTaken = true
        tell(.taken)
    }

    /// Sends a frame or audio.
    ///
    /// - Parameters:
    ///   - media: The phone's media.
    ///   - now: The current time.
    func take(_ media: DatedPhoneMedia, at now: ClockTime) {
        guard let offer else { return }
        if media.kind != .pcm { isStalled = false }
        announce(offer, at: now)
        let age = now - media.time
        let isTimely = age < Self.oldest && age > -Self.newest - media.error
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
            microphone.note(isSent, at: now)
        case .jpeg, .h264:
            guard camera.source != nil, (media.kind == .jpeg) == (offer.format.pixel == .mjpeg),
                media.number >= next.frame
            else { return }
            lastFrame = now
            let isNext = media.number == next.frame
            next.frame = media.number + 1
            guard isTimely else { return askForKey(at: now) }
            // After a lost frame, no frame can be decoded until the next key frame.
            if media.kind == .h264, !media.isKey, awaitsKey || !isNext { return askForKey(at: now) }
            awaitsKey = false
            let isSent = camera.source?.send(
                frame: media.bytes, at: media.time, error: media.error, sequence: media.number,
                isKey: media.isKey)
            camera.note(isSent, at: now)
        }
    }

    private func askForKey(at now: ClockTime) {
        awaitsKey = true
        guard asked.map({ now - $0 > Self.pause }) ?? true else { return }
        asked = now
        tell(.wantsKey)
    }

    /// Announces the devices that the current recorder doesn't have yet, and reports refusals.
    private func announce(_ offer: PhoneOffer, at now: ClockTime) {
        let present = recorder.process()
        if present != process {
            camera.source?.close()
            microphone.source?.close()
            (camera, microphone, process, isStalled) = (Place(), Place(), present, false)
        }
        if [camera.noteRefusal(at: now), microphone.noteRefusal(at: now)].contains(true) {
            tell(.problem([camera.problem, microphone.problem].compactMap(\.self).joined(separator: " ")))
        }
        guard let present else { return }
        if !isStalled, camera.isDue(at: now) {
            camera.triedAt = now
            camera.source = source(at: present) { socket throws(ControlError) in
                try RemoteSource(
                    cameraNamed: offer.selector, offer.format, offer.color, delay: Self.delay,
                    dated: offer.origin(of: .h264), over: socket,
                    whenWished: { [tell] in tell(.wish($0, $1)) })
            }
            if let source = camera.source {
                if let controls { _ = source.send(controls: controls) }
                (awaitsKey, lastFrame, hasToldTaken) = (true, now, false)
                tell(.wantsKey)
            }
        }
        if let audio = offer.audio, microphone.isDue(at: now) {
            microphone.triedAt = now
            microphone.source = source(at: present) { socket throws(ControlError) in
                try RemoteSource(
                    microphoneNamed: offer.selector, audio, delay: Self.delay, dated: offer.origin(of: .pcm),
                    over: socket)
            }
            hasToldTaken = false
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
