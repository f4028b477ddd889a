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
    /// When the last frame came, or the camera was announced.
    private var lastFrame = ClockTime(nanoseconds: 0)
    /// Whether frames have stopped while the phone is there: the camera is away until the next one.
    private var isStalled = false
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
        (camera, microphone, process, offer, isStalled) = (nil, nil, nil, nil, false)
    }

    /// Notes that the camera is away when no frame has come for some seconds. The microphone goes on. Called every second or so.
    func look(at now: ClockTime) {
        guard let camera, now - lastFrame > Self.longestStall else { return }
        camera.leave(because: "network: no frame has come for 3 s")
        (self.camera, isStalled) = (nil, true)
    }

    /// Sends a frame or audio.
    ///
    /// - Parameters:
    ///   - media: What the phone has sent.
    ///   - now: The present instant.
    func take(_ media: DatedPhoneMedia, at now: ClockTime) {
        guard let offer else { return }
        guard isAnnounced(offer, at: now), !isStalled || media.kind == .pcm || returns(offer, at: now) else {
            return
        }
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
            lastFrame = now
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
        (camera, microphone, process, isStalled) = (nil, nil, nil, false)
    }

    private func askForKey(at now: ClockTime) {
        awaitsKey = true
        guard asked.map({ now - $0 > Self.pause }) ?? true else { return }
        asked = now
        tell(.wantsKey)
    }

    /// Announces the camera again whose frames had stopped.
    private func returns(_ offer: PhoneOffer, at now: ClockTime) -> Bool {
        guard let process, now >= retryAt else { return false }
        retryAt = now + Self.pause
        do throws(ControlError) {
            camera = try announced(offer, to: process)
            (isStalled, awaitsKey, lastFrame) = (false, true, now)
            tell(.taken)
            return true
        } catch {
            return false
        }
    }

    private func announced(_ offer: PhoneOffer, to process: Int32) throws(ControlError) -> RemoteSource {
        try RemoteSource(
            cameraNamed: offer.selector, offer.format, offer.color, delay: Self.delay, dated: offer.origin,
            over: try recorder.connect(process))
    }

    /// Whether the present recorder has the camera and the microphone; announces them where it has not.
    private func isAnnounced(_ offer: PhoneOffer, at now: ClockTime) -> Bool {
        let present = recorder.process()
        let problem = camera?.problem ?? microphone?.problem
        if camera != nil || isStalled, present == process, problem == nil { return true }
        if let problem {
            tell(.problem(problem.printable(limit: 400)))
            retryAt = now + Self.pause
        }
        drop()
        guard let present, now >= retryAt else { return false }
        retryAt = now + Self.pause
        do throws(ControlError) {
            let camera = try announced(offer, to: present)
            if let audio = offer.audio {
                microphone = try RemoteSource(
                    microphoneNamed: offer.selector, audio, delay: Self.delay, dated: offer.origin,
                    over: try recorder.connect(present))
            }
            (self.camera, process, awaitsKey, lastFrame) = (camera, present, true, now)
            tell(.taken)
            return true
        } catch {
            // It is starting, or gone: it is tried again.
            return false
        }
    }
}
