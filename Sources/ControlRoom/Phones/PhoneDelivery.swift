internal import Control
internal import Media
internal import MediaLink

/// One phone as the recorder gets it: announced again to each recorder, in order, from a key frame on. Belongs to the phone's thread.
final class PhoneDelivery {
    /// The phone's camera or its microphone at the recorder. The recorder may refuse one and take the other.
    private struct Place {
        var source: RemoteSource?
        /// When it was announced last, or that was tried, or its connection ended.
        var triedAt: ClockTime?
        /// Why the recorder has refused it, until it is taken.
        var problem: String?

        func isDue(at now: ClockTime) -> Bool {
            source == nil && triedAt.map { now - $0 >= PhoneDelivery.pause } ?? true
        }

        /// Whether it was announced and not refused: nobody tells that it is taken.
        func isSettled(at now: ClockTime) -> Bool {
            source.map { $0.problem == nil } ?? false
                && !(triedAt.map { now - $0 < PhoneDelivery.pause } ?? true)
        }

        /// Ends the connection that is no use any more.
        mutating func drop(at now: ClockTime) {
            source?.close()
            (source, triedAt) = (nil, now)
        }

        /// Drops what the recorder has refused, and returns whether it has.
        mutating func noteRefusal(at now: ClockTime) -> Bool {
            guard let problem = source?.problem else { return false }
            self.problem = problem.printable(limit: 400)
            drop(at: now)
            return true
        }

        /// Takes note of whether something could be sent; where it could not, it is announced anew.
        mutating func note(_ isSent: Bool?, at now: ClockTime) {
            if isSent == false, source?.problem == nil { drop(at: now) }
        }
    }

    private let recorder: PhoneSource.Recorder
    private let tell: @Sendable (PhoneSource.News) -> Void
    private var offer: PhoneOffer?
    private var camera = Place()
    private var microphone = Place()
    /// The recorder that has them.
    private var process: Int32?
    /// When the last frame came, or the camera was announced.
    private var lastFrame = ClockTime(nanoseconds: 0)
    /// Whether frames have stopped while the phone is there: the camera is away until the next one.
    private var isStalled = false
    /// Whether it was told that the recorder takes what was announced last.
    private var hasToldTaken = false
    /// Numbers below these have been sent.
    private var next: (frame: Int64, sample: Int64) = (0, 0)
    private var awaitsKey = true
    /// The controls as the phone told them last; `nil` before.
    private var controls: ToldControls?
    /// When a key frame was asked for last.
    private var asked: ClockTime?

    /// The longest time from exposure to sending that the recorder waits for, as announced.
    private static let delay = Nanoseconds.milliseconds(500)
    /// What is older than this when it comes has waited behind a hole in the network: no tick is left for it.
    private static let oldest = Nanoseconds.milliseconds(1500)
    /// A phone's clock that is off by more than this in the future is not understood.
    private static let newest = Nanoseconds.milliseconds(250)
    private static let pause = Nanoseconds.seconds(1)
    /// A phone that sends no frame for this long has no camera, whatever else it sends.
    private static let longestStall = Nanoseconds.seconds(3)

    /// - Parameters:
    ///   - recorder: How the recorder is reached.
    ///   - tell: Gets news.
    init(_ recorder: PhoneSource.Recorder, tell: @escaping @Sendable (PhoneSource.News) -> Void) {
        (self.recorder, self.tell) = (recorder, tell)
    }

    /// The phone is there, and is going to send this.
    func begin(_ offer: PhoneOffer) {
        leave(because: "network: the phone has connected anew")
        self.offer = offer
        (next, awaitsKey, asked) = ((0, 0), true, nil)
        announce(offer, at: MonotonicClock().now)
    }

    /// The phone is away.
    ///
    /// - Parameter cause: Why, as it stands in the recording.
    func leave(because cause: String) {
        camera.source?.leave(because: cause)
        microphone.source?.leave(because: cause)
        (camera, microphone, process, offer, isStalled) = (Place(), Place(), nil, nil, false)
        controls = nil
    }

    /// Hands on what the phone tells of its controls.
    func take(_ told: ToldControls) {
        controls = ToldControls(controls: told.controls)
        // An ended connection is noticed by the next frame.
        _ = camera.source?.send(controls: told)
    }

    /// Notes that the camera is away when no frame has come for some seconds; the microphone goes on. Tells once that the recorder takes
    /// both. Called every second or so.
    func look(at now: ClockTime) {
        guard let offer else { return }
        if let source = camera.source, now - lastFrame > Self.longestStall {
            source.leave(because: "network: no frame has come for 3 s")
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
    ///   - media: What the phone has sent.
    ///   - now: The present instant.
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
            // The recorder gives up a microphone that sends more than a second at once.
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
            // What a lost frame leaves cannot be decoded until the next key frame.
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

    /// Announces to the present recorder what it has not, and tells what it has refused.
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

    /// Announces a device; `nil` where the recorder is starting, or gone: it is tried again.
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
