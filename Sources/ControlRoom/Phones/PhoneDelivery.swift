internal import Control
internal import Media
internal import MediaLink

/// One phone as the recorder gets it: announced again to each recorder, in order, from a key frame on. Belongs to the phone's thread.
final class PhoneDelivery {
    private let recorder: PhoneSource.Recorder
    private let tell: @Sendable (PhoneSource.News) -> Void
    private var offer: PhoneOffer?
    private var camera: RemoteSource?
    private var microphone: RemoteSource?
    /// The recorder that has them.
    private var process: Int32?
    /// When it is tried again to announce them.
    private var retryAt = ClockTime(nanoseconds: 0)
    /// Numbers below these have been sent.
    private var next: (frame: Int64, sample: Int64) = (0, 0)
    private var awaitsKey = true
    /// When a key frame was asked for last.
    private var asked: ClockTime?

    /// The longest time from exposure to sending that the recorder waits for, as announced.
    private static let delay = Nanoseconds.milliseconds(500)
    /// What is older than this when it comes has waited behind a hole in the network: no tick is left for it.
    private static let oldest = Nanoseconds.milliseconds(1500)
    /// A phone's clock that is off by more than this in the future is not understood.
    private static let newest = Nanoseconds.milliseconds(250)
    private static let pause = Nanoseconds.seconds(1)

    /// - Parameters:
    ///   - recorder: How the recorder is reached.
    ///   - tell: Gets news.
    init(_ recorder: PhoneSource.Recorder, tell: @escaping @Sendable (PhoneSource.News) -> Void) {
        (self.recorder, self.tell) = (recorder, tell)
    }

    /// The phone is there, and is going to send this.
    func begin(_ offer: PhoneOffer) {
        if camera != nil { leave(because: "network: the phone has connected anew") }
        self.offer = offer
        (next, awaitsKey, asked) = ((0, 0), true, nil)
        retryAt = ClockTime(nanoseconds: 0)
        _ = isAnnounced(offer, at: MonotonicClock().now)
    }

    /// The phone is away.
    ///
    /// - Parameter cause: Why, as it stands in the recording.
    func leave(because cause: String) {
        camera?.leave(because: cause)
        microphone?.leave(because: cause)
        (camera, microphone, process, offer) = (nil, nil, nil, nil)
    }

    /// Sends a frame or audio.
    ///
    /// - Parameters:
    ///   - media: What the phone has sent.
    ///   - now: The present instant.
    func take(_ media: DatedPhoneMedia, at now: ClockTime) {
        guard let offer, isAnnounced(offer, at: now) else { return }
        let age = now - media.time
        let isTimely = age < Self.oldest && age > -Self.newest - media.error
        switch media.kind {
        case .pcm:
            guard let format = offer.audio, isTimely, media.number >= next.sample,
                media.bytes.count.isMultiple(of: 2 * format.channels)
            else { return }
            next.sample = media.number + Int64(media.bytes.count / (2 * format.channels))
            let samples = media.bytes.bytes.withMemoryRebound(to: Int16.self) { samples in
                samples.map { Float(Int16(littleEndian: $0)) / 32_768 }
            }
            note(
                microphone?.send(
                    audio: samples, at: media.time, error: media.error, firstSample: media.number), at: now)
        case .jpeg, .h264:
            guard (media.kind == .jpeg) == (offer.format.pixel == .mjpeg), media.number >= next.frame else {
                return
            }
            let isNext = media.number == next.frame
            next.frame = media.number + 1
            guard isTimely else { return askForKey(at: now) }
            // What a lost frame leaves cannot be decoded until the next key frame.
            if media.kind == .h264, !media.isKey, awaitsKey || !isNext { return askForKey(at: now) }
            awaitsKey = false
            note(
                camera?.send(
                    frame: media.bytes, at: media.time, error: media.error, sequence: media.number,
                    isKey: media.isKey), at: now)
        }
    }

    /// Takes note of whether the recorder has taken something; where it has not, both are announced anew.
    private func note(_ isTaken: Bool?, at now: ClockTime) {
        guard isTaken == false, camera?.problem == nil, microphone?.problem == nil else { return }
        drop()
        retryAt = now + Self.pause
    }

    private func drop() {
        camera?.close()
        microphone?.close()
        (camera, microphone, process) = (nil, nil, nil)
    }

    private func askForKey(at now: ClockTime) {
        awaitsKey = true
        guard asked.map({ now - $0 > Self.pause }) ?? true else { return }
        asked = now
        tell(.wantsKey)
    }

    /// Whether the present recorder has the camera and the microphone; announces them where it has not.
    private func isAnnounced(_ offer: PhoneOffer, at now: ClockTime) -> Bool {
        let present = recorder.process()
        let problem = camera?.problem ?? microphone?.problem
        if camera != nil, present == process, problem == nil { return true }
        if let problem {
            tell(.problem(problem.printable(limit: 400)))
            retryAt = now + Self.pause
        }
        drop()
        guard let present, now >= retryAt else { return false }
        retryAt = now + Self.pause
        do throws(ControlError) {
            let origin: TimeOrigin = offer.knowsCapture ? .mapped : .arrival
            let camera = try RemoteSource(
                cameraNamed: offer.selector, offer.format, offer.color, delay: Self.delay, dated: origin,
                over: try recorder.connect(present))
            if let audio = offer.audio {
                microphone = try RemoteSource(
                    microphoneNamed: offer.selector, audio, delay: Self.delay, dated: origin,
                    over: try recorder.connect(present))
            }
            (self.camera, process, awaitsKey) = (camera, present, true)
            tell(.taken)
            return true
        } catch {
            // It is starting, or gone: it is tried again.
            return false
        }
    }
}
