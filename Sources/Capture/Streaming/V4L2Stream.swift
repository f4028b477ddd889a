internal import CLinux
internal import FileSystem
import Glibc
import Media

/// Runs one generation of a camera's stream from its start to its end. Used by the camera's thread alone.
final class V4L2Stream {
    /// The reason why a stream ended by itself.
    struct End {
        let cause: String
        /// Whether the format may be at fault, because no other cause is known.
        var mayBeOfFormat = true
    }

    private let buffers: CaptureBuffers
    private var headers: HeaderClocks?
    /// When to try once more for the headers that are lacking; `nil` when nothing is to be tried.
    private var headersDue: ClockTime?
    private let layout: FrameLayout
    private let converter: LegacyConverter?
    private let held: HeldControls
    private let wakeUp: WakeUp
    private let delivery: CameraDelivery

    private var warmUp = 0
    private var deadline: ClockTime
    private var hasRestarted = false
    /// Whether a good frame has come.
    private(set) var hasDelivered = false

    /// Longest wait for the first frame: exposure, focus and the bus take time. Two seconds have been seen.
    private static let firstFramePatience = Nanoseconds.seconds(3)
    /// Shortest silence that leads to a restart: a busy bus has many shorter ones, and a restart costs more.
    private static let shortestSilence = Nanoseconds.milliseconds(500)
    /// Time after which the metadata node is tried once more: right after a camera was plugged in, the node may not
    /// exist yet, or not be accessible.
    private static let headersPatience = Nanoseconds.seconds(1)
    /// Number of frames that are discarded at the start: the first MJPEG frames of a stream are often corrupt without
    /// any sign of it.
    private static let warmUpFrames = 2

    /// Prepares to deliver from a generation.
    ///
    /// - Parameters:
    ///   - generation: A generation that streams.
    ///   - held: The controls that the camera is to have.
    ///   - wakeUp: Ends the stream from outside.
    ///   - delivery: Receives the frames.
    /// - Throws: `DeviceError` when there is no converter for the camera's format.
    init(
        _ generation: CameraGeneration, held: HeldControls, wakeUp: WakeUp, delivery: CameraDelivery
    ) throws(DeviceError) {
        buffers = generation.buffers
        headers = generation.headers
        headersDue = generation.lacksHeaders ? delivery.now + Self.headersPatience : nil
        layout = generation.layout
        self.held = held
        converter = try generation.makeConverter()
        self.wakeUp = wakeUp
        self.delivery = delivery
        deadline = delivery.now
        expectFirstFrame()
    }

    /// Delivers until it is woken or the stream fails, and stops the stream.
    ///
    /// - Returns: The reason why the stream failed; `nil` when it was woken.
    func run() -> End? {
        defer {
            headers?.stop()
            buffers.stopStreaming()
        }
        while true {
            delivery.controls(held.takeUntold())
            var sources = [
                pollfd(
                    fd: buffers.device.descriptor.number, events: Int16(POLLIN) | Int16(POLLPRI), revents: 0),
                pollfd(fd: wakeUp.number, events: Int16(POLLIN), revents: 0),
            ]
            // An interrupted poll leaves no results and is repeated.
            guard poll(&sources, 2, remainingMilliseconds) >= 0 else { continue }
            if sources[1].revents != 0 { return nil }
            let result = Int32(sources[0].revents)
            if result & (POLLERR | POLLHUP | POLLNVAL) != 0 {
                if let end = driverFailed() { return end }
            } else if result & POLLPRI != 0, buffers.device.takeSourceChange() {
                return End(cause: "the signal changed", mayBeOfFormat: false)
            } else if result & POLLIN != 0 {
                if let end = takeOne() { return end }
            }
            // Checked each time and not only when poll timed out: damaged frames alone are silence too.
            if delivery.now >= deadline, let end = fellSilent() { return end }
        }
    }

    private var remainingMilliseconds: Int32 {
        Int32(clamping: max(0, (deadline - delivery.now).count / 1_000_000 + 1))
    }

    private func expectFirstFrame() {
        warmUp = layout.pixel == .mjpeg ? Self.warmUpFrames : 0
        deadline = delivery.now + max(delivery.patience, Self.firstFramePatience)
    }

    // MARK: Frames

    private func takeOne() -> End? {
        do {
            guard let filled = try buffers.dequeue() else { return nil }
            take(filled)
            return nil
        } catch {
            return driverFailed()
        }
    }

    private func take(_ filled: V4L2Device.Filled) {
        let place = delivery.place(filled, isWarmUp: warmUp > 0)
        let header = header(ofSequence: filled.sequence)
        if warmUp > 0 {
            warmUp -= 1
            return buffers.giveBack(filled.index)
        }
        if filled.isFlagged {
            buffers.giveBack(filled.index)
            return delivery.lost(1, .driver, place.capturedAt)
        }
        guard let frame = frame(filled, place, header) else {
            return delivery.lost(1, .corrupt, place.capturedAt)
        }
        deadline = delivery.now + delivery.patience
        hasDelivered = true
        hasRestarted = false
        delivery.frame(frame)
    }

    private func header(ofSequence sequence: UInt32) -> UVCHeaderClock? {
        if let due = headersDue, delivery.now >= due {
            headersDue = nil
            do throws(DeviceError) {
                headers = try HeaderClocks(startingFor: buffers.device.path)
            } catch {
                delivery.lacksHeaderClock(error.description)
            }
        }
        return headers?.clock(ofSequence: sequence)
    }

    /// Makes a frame of a buffer, which goes back at once or with the frame; `nil` for an incomplete frame.
    private func frame(
        _ filled: V4L2Device.Filled, _ place: FrameCounter.Place, _ header: UVCHeaderClock?
    ) -> CapturedFrame? {
        let bytes = buffers.bytes(of: filled)
        if bytes.count >= layout.byteCount, !layout.pixel.isCompressed, !layout.isConverted,
            let memory = buffers.lend(filled)
        {
            return frame(memory, place, header, isOwned: false)
        }
        defer { buffers.giveBack(filled.index) }
        guard bytes.count >= layout.byteCount else { return nil }
        guard layout.isConverted else {
            let isKey = layout.pixel != .h264 || AccessUnit.isKey(bytes)
            return frame(SharedBytes(copying: bytes), place, header, isKey: isKey, isOwned: true)
        }
        return converter?.converted(bytes).map { frame($0, place, header, isOwned: true) }
    }

    private func frame(
        _ memory: SharedBytes, _ place: FrameCounter.Place, _ header: UVCHeaderClock?, isKey: Bool = true,
        isOwned: Bool
    ) -> CapturedFrame {
        CapturedFrame(
            pixel: layout.pixel, size: layout.size, color: layout.color, capturedAt: place.capturedAt,
            sequence: place.sequence, isKey: isKey, memory: memory, planes: layout.planes, isOwned: isOwned,
            headerClock: header)
    }

    // MARK: Failures

    /// Handles a silence: reports it at once; when it lasts, restarts the stream, which has brought many cameras back;
    /// when that does not help, ends the stream as if the camera was unplugged.
    private func fellSilent() -> End? {
        let silence = delivery.now - delivery.lastSign
        let cause = hasDelivered ? "silent" : "silent since it started"
        if hasRestarted || !hasDelivered { return End(cause: cause) }
        delivery.away(cause)
        if silence < Self.shortestSilence {
            deadline = delivery.now + (Self.shortestSilence - silence)
            return nil
        }
        return restart()
    }

    /// Handles an error of the driver: the cable was pulled, or the driver's queue is broken, which a restart mends.
    private func driverFailed() -> End? {
        guard buffers.device.isAlive else { return End(cause: "unplugged", mayBeOfFormat: false) }
        let cause = "the driver reports an error"
        guard !hasRestarted else { return End(cause: cause) }
        delivery.away(cause)
        return restart()
    }

    private func restart() -> End? {
        hasRestarted = true
        headers?.stop()
        buffers.stopStreaming()
        delivery.streamRestarts()
        do {
            try headers?.start()
        } catch {
            delivery.lacksHeaderClock(error.description)
        }
        do {
            try buffers.startStreaming()
        } catch {
            guard buffers.device.isAlive else { return End(cause: "unplugged", mayBeOfFormat: false) }
            return End(cause: "it does not start again: \(error.description)")
        }
        do {
            delivery.controls(try buffers.device.keep(held.requests))
        } catch {
            // The camera does not answer: frames will not come either, and their silence is reported.
        }
        expectFirstFrame()
        return nil
    }
}
