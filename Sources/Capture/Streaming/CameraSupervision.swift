internal import FileSystem
import Glibc
import Media

/// Keeps a camera delivering until it is stopped: when its stream ends, it is looked for, opened anew and started
/// again. Runs on the camera's thread.
struct CameraSupervision {
    /// The camera as it was found first.
    let device: CaptureDevice
    /// The format that the camera is to deliver in.
    private var format: FormatOnTrial
    /// The controls that the camera is to have, and its present node.
    let held: HeldControls
    /// Whether frames of another size are better than none, because no track copies them.
    let adoptsOtherSizes: Bool
    /// Whether the clock of the packets' headers is wanted.
    let readsHeaders: Bool
    let roster: CameraRoster
    /// The camera's number in the roster.
    let number: Int
    let requests: StreamRequests
    let delivery: CameraDelivery

    /// Interval at which sysfs is read while the camera is away, should no news of its return come. That asks no camera
    /// anything, and takes a fraction of a millisecond.
    private static let lookInterval = Nanoseconds.milliseconds(200)

    init(
        device: CaptureDevice, format: VideoFormat, held: HeldControls,
        adoptsOtherSizes: Bool, readsHeaders: Bool, roster: CameraRoster, number: Int,
        requests: StreamRequests, delivery: CameraDelivery
    ) {
        self.device = device
        self.format = FormatOnTrial(format)
        self.held = held
        self.adoptsOtherSizes = adoptsOtherSizes
        self.readsHeaders = readsHeaders
        self.roster = roster
        self.number = number
        self.requests = requests
        self.delivery = delivery
    }

    /// Delivers until it is stopped.
    ///
    /// - Parameter first: Hands over the generation that streams, which nobody else may keep: its node must be closed
    ///   before the camera is looked for.
    mutating func run(from first: () -> CameraGeneration?) {
        var pauses = RetryPauses()
        var streaming = first()
        while true {
            if let end = follow(streaming.take(), &pauses) {
                if end.mayBeOfFormat, giveUpFormat(end.cause) {
                    streaming = awaitReturn(&pauses, after: .zero)
                    continue
                }
                delivery.away(end.cause)
                held.node = nil
                roster.leave(number, among: PresentCameras().devices())
                streaming = awaitReturn(&pauses, after: pauses.next())
                continue
            }
            switch requests.take() {
            case .stop: return
            case .none: streaming = awaitReturn(&pauses, after: .zero)
            case .change(let wanted):
                delivery.away(wanted == nil ? "off" : "changing its format", isRequested: true)
                guard let next = wanted ?? awaitFormat() else { return }
                format.ask(for: next)
                pauses.reset()
                streaming = awaitReturn(&pauses, after: .zero)
            }
        }
    }

    /// Sleeps while the camera is switched off.
    ///
    /// - Returns: The next format; `nil` when the camera is to stop.
    private func awaitFormat() -> VideoFormat? {
        while true {
            switch requests.take() {
            case .stop: return nil
            case .change(let format?): return format
            case .none, .change(nil): _ = requests.wakeUp.sleep(for: .seconds(60))
            }
        }
    }

    /// Runs one stream to its end.
    ///
    /// - Returns: Why the stream ended; `nil` when it was woken, or there is none.
    private mutating func follow(
        _ generation: consuming CameraGeneration?, _ pauses: inout RetryPauses
    ) -> V4L2Stream.End? {
        guard let generation else { return nil }
        let streamed = generation.format
        do throws(DeviceError) {
            let stream = try V4L2Stream(
                generation, held: held, wakeUp: requests.wakeUp, delivery: delivery)
            let end = stream.run()
            if stream.hasDelivered {
                pauses.reset()
                format.delivered(in: streamed)
            }
            return end
        } catch {
            generation.headers?.stop()
            generation.buffers.stopStreaming()
            return V4L2Stream.End(cause: error.description)
        }
    }

    /// Looks for the camera until it streams again.
    ///
    /// - Parameters:
    ///   - pauses: The pauses between two attempts.
    ///   - first: The pause before the first attempt.
    /// - Returns: A streaming generation; `nil` when it was woken.
    private mutating func awaitReturn(_ pauses: inout RetryPauses, after first: Nanoseconds)
        -> CameraGeneration?
    {
        let news = listen()
        var pause = first
        while true {
            switch sleep(for: pause, or: news) {
            case .stop: return nil
            case .news: pauses.reset()
            case .deadline: break
            }
            let present = PresentCameras().devices()
            switch roster.search(for: number, among: present) {
            case .absent:
                delivery.away("unplugged")
                held.node = nil
                // The unplugging need not have ended a stream: the camera may have been off, or about to change its format.
                roster.leave(number, among: present)
                pauses.reset()
                pause = Self.lookInterval
            case .ambiguous(let devices):
                let list = devices.map(\.selector).joined(separator: ", ")
                delivery.away("unplugged; which of its identical cameras is now at \(list) cannot be known")
                pause = Self.lookInterval
            case .found(let found, _):
                do throws(DeviceError) {
                    return try reopened(found)
                } catch {
                    delivery.away(Self.cause(error))
                    // A source that is switched on causes no event, and asking for it costs nothing.
                    pause = error.reason == .noSignal ? Self.lookInterval : pauses.next()
                }
            }
        }
    }

    private static func cause(_ error: DeviceError) -> String {
        switch error.reason {
        case .disconnected: "unplugged"
        case .noSignal: "no signal"
        default: error.description
        }
    }

    private func listen() -> CameraNews? {
        do {
            return try CameraNews()
        } catch {
            // Without events, reading sysfs finds the camera a moment later.
            return nil
        }
    }

    private func sleep(for pause: Nanoseconds, or news: CameraNews?) -> CameraNews.Awakening {
        if let news { return news.wait(until: MonotonicClock().now + pause, unless: requests.wakeUp) }
        return requests.wakeUp.sleep(for: pause) ? .stop : .deadline
    }

    private mutating func reopened(_ found: CaptureDevice) throws(DeviceError) -> CameraGeneration {
        do {
            return try started(found, in: format.wanted)
        } catch {
            if Self.isOfFormat(error), giveUpFormat(error.description) {
                return try started(found, in: format.wanted)
            }
            guard case .formatNotSupported = error.reason, adoptsOtherSizes,
                let other = try V4L2Device(path: found.node).formats().nearest(to: format.wanted)
            else { throw error }
            return try started(found, in: other)
        }
    }

    /// Gives up a format that was asked for while the camera ran, for the last one that delivered.
    ///
    /// - Parameter cause: The reason why the format failed.
    /// - Returns: Whether there is a format to go back to.
    private mutating func giveUpFormat(_ cause: String) -> Bool {
        guard let refused = format.giveUp() else { return false }
        delivery.refused(refused, cause)
        return true
    }

    /// Whether another format may avoid this error.
    private static func isOfFormat(_ error: DeviceError) -> Bool {
        switch error.reason {
        case .disconnected, .noSignal, .busy, .noPermission, .notFound: false
        default: true
        }
    }

    private func started(
        _ found: CaptureDevice, in format: VideoFormat
    ) throws(DeviceError) -> CameraGeneration {
        let wanted = self.format.wanted
        var generation = try CameraGeneration(opening: found, format, held.requests, isLenient: true)
        let again = try generation.start(on: found, readingHeaders: readsHeaders)
        held.node = found.node
        delivery.controls(generation.outcomes + again)
        var remarks = [roster.welcome(number, as: found)].compactMap { $0 }
        if format != wanted { remarks.append("it delivers \(format) now, instead of \(wanted)") }
        delivery.streamRestarts(
            remark: remarks.isEmpty ? nil : remarks.joined(separator: "; "),
            in: format)
        return generation
    }
}

extension [OfferedFormat] {
    /// The offer nearest to a format that is not offered: the same pixel format, and the nearest number of pixels.
    func nearest(to wanted: VideoFormat) -> VideoFormat? {
        func distance(_ size: FrameSize) -> Int {
            abs(size.width * size.height - wanted.size.width * wanted.size.height)
        }
        let best = filter { $0.pixel == wanted.pixel }.min { distance($0.size) < distance($1.size) }
        return best.flatMap { best in
            best.rate(for: wanted.rate).map { VideoFormat(pixel: best.pixel, size: best.size, rate: $0) }
        }
    }
}
