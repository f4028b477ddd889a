import Glibc
import MulticamMedia
internal import MulticamSystem

/// Keeps a camera delivering frames until the camera is stopped. When the stream ends, finds the camera,
/// reopens it and restarts the stream. Runs on the camera's thread.
struct CameraSupervision {
    /// The camera as described when it was first found.
    let device: CaptureDevice
    /// Requested format, with a fallback.
    private var format: RequestedFormat
    /// Requested controls and the camera's current node.
    let held: ControlStore
    /// Whether to accept frames of another size if the requested size isn't available. Other sizes are
    /// allowed only if no track stores the camera's stream as a stream copy.
    let adoptsOtherSizes: Bool
    /// Whether the UVC header clock was requested.
    let readsHeaders: Bool
    let roster: CameraRoster
    /// The camera's number in the roster.
    let number: Int
    let requests: StreamRequests
    let reporter: CameraEventReporter

    /// Polling interval for sysfs while the camera is unavailable, in case no event announces its return. Polling
    /// doesn't access any camera and takes a fraction of a millisecond.
    private static let pollInterval = Nanoseconds.milliseconds(200)

    /// Delays between attempts to restart a camera that was found but doesn't deliver. Each attempt puts more load on the
    /// bus and the camera than on this program.
    static let backoff = Backoff(from: .milliseconds(200), to: .seconds(8))

    init(
        device: CaptureDevice, format: VideoFormat, held: ControlStore,
        adoptsOtherSizes: Bool, readsHeaders: Bool, roster: CameraRoster, number: Int,
        requests: StreamRequests, reporter: CameraEventReporter
    ) {
        self.device = device
        self.format = RequestedFormat(format)
        self.held = held
        self.adoptsOtherSizes = adoptsOtherSizes
        self.readsHeaders = readsHeaders
        self.roster = roster
        self.number = number
        self.requests = requests
        self.reporter = reporter
    }

    /// Delivers frames until the camera is stopped.
    ///
    /// - Parameter first: Returns the opened, streaming camera and transfers its ownership. The caller must
    ///   not retain the opened camera, because its node must be closed before the camera is searched for.
    mutating func run(from first: () -> OpenedCamera?) {
        var backoff = Self.backoff
        var streaming = first()
        while true {
            if let end = runStream(streaming.take(), &backoff) {
                if end.mayBeFormatRelated, abandonFormat(end.cause) {
                    streaming = waitForReturn(&backoff, after: .zero)
                    continue
                }
                reporter.reportOutage(end.cause)
                held.node = nil
                roster.markDisconnected(number, among: PresentCameras().devices())
                streaming = waitForReturn(&backoff, after: backoff.next())
                continue
            }
            switch requests.dequeue() {
            case .stop: return
            case .none: streaming = waitForReturn(&backoff, after: .zero)
            case .change(let wanted):
                reporter.reportOutage(wanted == nil ? "off" : "changing its format", isRequested: true)
                guard let next = wanted ?? waitForFormat() else { return }
                format.request(next)
                backoff.reset()
                streaming = waitForReturn(&backoff, after: .zero)
            }
        }
    }

    /// Sleeps while the camera is switched off.
    ///
    /// - Returns: The next format; `nil` if the camera must stop.
    private func waitForFormat() -> VideoFormat? {
        while true {
            switch requests.dequeue() {
            case .stop: return nil
            case .change(let format?): return format
            case .none, .change(nil): _ = requests.wakeUp.sleep(for: .seconds(60))
            }
        }
    }

    /// Runs one stream until it ends.
    ///
    /// - Returns: Why the stream ended; `nil` if a request woke the thread, or if no opened camera was
    ///   passed.
    private mutating func runStream(
        _ opened: consuming OpenedCamera?, _ backoff: inout Backoff
    ) -> V4L2Stream.End? {
        guard let opened else { return nil }
        let streamed = opened.format
        do throws(DeviceError) {
            let stream = try V4L2Stream(
                opened, held: held, wakeUp: requests.wakeUp, reporter: reporter)
            let end = stream.run()
            if stream.hasDelivered {
                backoff.reset()
                format.confirm(streamed)
            }
            return end
        } catch {
            opened.headers?.stop()
            opened.buffers.stopStreaming()
            return V4L2Stream.End(cause: error.description)
        }
    }

    /// Searches for the camera until it is streaming again.
    ///
    /// - Parameters:
    ///   - backoff: The delays between attempts.
    ///   - first: The delay before the first attempt.
    /// - Returns: The opened, streaming camera; `nil` if a request woke the thread.
    private mutating func waitForReturn(_ backoff: inout Backoff, after first: Nanoseconds)
        -> OpenedCamera?
    {
        let news = makeEventWaiter()
        var pause = first
        while true {
            switch sleep(for: pause, or: news) {
            case .stop: return nil
            case .event: backoff.reset()
            case .deadline: break
            }
            let present = PresentCameras().devices()
            switch roster.search(for: number, among: present) {
            case .absent:
                reporter.reportOutage("unplugged")
                held.node = nil
                // If the camera was off or about to change its format when it was unplugged, no stream has
                // ended, so the disconnection is recorded here.
                roster.markDisconnected(number, among: present)
                backoff.reset()
                pause = Self.pollInterval
            case .ambiguous(let devices):
                let list = devices.map(\.selector).joined(separator: ", ")
                reporter.reportOutage(
                    "the camera was unplugged and can't be distinguished from the identical cameras at \(list)"
                )
                pause = Self.pollInterval
            case .found(let found, _):
                do throws(DeviceError) {
                    return try reopen(found)
                } catch {
                    reporter.reportOutage(Self.cause(error))
                    // No event announces that a signal source was switched on, and polling for the signal is cheap.
                    pause = error.reason == .noSignal ? Self.pollInterval : backoff.next()
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

    private func makeEventWaiter() -> CameraEventWaiter? {
        do {
            return try CameraEventWaiter()
        } catch {
            // Without events, polling sysfs finds the camera slightly later.
            return nil
        }
    }

    private func sleep(for pause: Nanoseconds, or news: CameraEventWaiter?) -> CameraEventWaiter.WakeReason {
        if let news { return news.wait(until: MonotonicClock().now + pause, unless: requests.wakeUp) }
        return requests.wakeUp.sleep(for: pause) ? .stop : .deadline
    }

    private mutating func reopen(_ found: CaptureDevice) throws(DeviceError) -> OpenedCamera {
        do {
            return try start(found, in: format.wanted)
        } catch {
            if Self.isFormatRelated(error), abandonFormat(error.description) {
                return try start(found, in: format.wanted)
            }
            guard case .formatNotSupported = error.reason, adoptsOtherSizes,
                let other = try V4L2Device(path: found.node).formats().nearest(to: format.wanted)
            else { throw error }
            return try start(found, in: other)
        }
    }

    /// Abandons a format that was requested at runtime, and falls back to the last format that delivered frames.
    ///
    /// - Parameter cause: The reason why the format failed.
    /// - Returns: Whether there is a format to fall back to.
    private mutating func abandonFormat(_ cause: String) -> Bool {
        guard let refused = format.fallBack() else { return false }
        reporter.reportRejectedFormat(refused, cause)
        return true
    }

    /// Whether this error could be avoided with another format.
    private static func isFormatRelated(_ error: DeviceError) -> Bool {
        switch error.reason {
        case .disconnected, .noSignal, .busy, .noPermission, .notFound, .limit: false
        default: true
        }
    }

    private func start(
        _ found: CaptureDevice, in format: VideoFormat
    ) throws(DeviceError) -> OpenedCamera {
        let wanted = self.format.wanted
        var opened = try OpenedCamera(opening: found, format, held.requests, isLenient: true)
        let again = try opened.start(on: found, readingHeaders: readsHeaders)
        held.node = found.node
        reporter.reportControls(opened.outcomes + again)
        var remarks = [roster.markReconnected(number, as: found)].compactMap { $0 }
        if format != wanted { remarks.append("the camera now delivers \(format) instead of \(wanted)") }
        reporter.prepareForRestart(
            remark: remarks.isEmpty ? nil : remarks.joined(separator: "; "),
            in: format)
        return opened
    }
}

extension [OfferedFormat] {
    /// Returns the closest offered format for a format that isn't offered: the same pixel format with the closest
    /// number of pixels.
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

/// Requested format of a camera. The type also holds the last format that delivered frames, until the first
/// frame in the requested format arrives.
struct RequestedFormat {
    private(set) var wanted: VideoFormat
    private var lastWorking: VideoFormat

    /// Starts with the format of the opened camera, without a fallback.
    ///
    /// - Parameter format: The format that the camera was opened with.
    init(_ format: VideoFormat) {
        wanted = format
        lastWorking = format
    }

    /// Sets a new requested format, on trial until a frame arrives.
    mutating func request(_ format: VideoFormat) {
        wanted = format
    }

    /// Records that frames arrived in a format. Confirms only the requested format, not a substitute.
    mutating func confirm(_ format: VideoFormat) {
        if format == wanted { lastWorking = format }
    }

    /// Falls back to the last format that delivered frames.
    ///
    /// - Returns: The abandoned format; `nil` without a fallback.
    mutating func fallBack() -> VideoFormat? {
        guard wanted != lastWorking else { return nil }
        defer { wanted = lastWorking }
        return wanted
    }
}
