internal import CMulticamLinux
import Glibc
import MulticamMedia
internal import MulticamSystem

/// Runs the stream of an opened camera from start to end. Use only on the camera's thread.
final class V4L2Stream {
    /// The reason why a stream ended without a request.
    struct End {
        let cause: String
        /// Whether the format could be the reason why the stream ended. `true` unless another reason is
        /// known.
        var mayBeFormatRelated = true
    }

    private let buffers: CaptureBuffers
    private var headers: HeaderClocks?
    /// Time of the second attempt to open the metadata node; `nil` if no attempt is pending.
    private var headersDue: ClockTime?
    private let layout: FrameLayout
    private let converter: LegacyConverter?
    private let held: ControlStore
    private let wakeUp: WakeUp
    private let reporter: CameraEventReporter

    private var warmUp = 0
    private var deadline: ClockTime
    private var hasRestarted = false
    /// Whether a valid frame has arrived.
    private(set) var hasDelivered = false

    /// Maximum wait for the first frame. Exposure, focus and the bus take time; waits of 2 s have been observed.
    private static let firstFrameTimeout = Nanoseconds.seconds(3)
    /// Minimum gap between frames that leads to a restart. Shorter gaps are common on a busy bus, and a restart would
    /// lose more frames than such a gap.
    private static let shortestSilence = Nanoseconds.milliseconds(500)
    /// Delay before the second attempt to open the metadata node. Right after a camera is plugged in, the node may be
    /// missing or not yet accessible.
    private static let headersRetryDelay = Nanoseconds.seconds(1)
    /// Number of frames discarded at stream start. The first MJPEG frames are often corrupt without an error flag.
    private static let warmUpFrames = 2

    /// Prepares to deliver the frames of an opened camera.
    ///
    /// - Parameters:
    ///   - opened: An opened camera that is streaming.
    ///   - held: The controls to maintain.
    ///   - wakeUp: Wake-up with which another thread ends the stream.
    ///   - reporter: Receives the frames.
    /// - Throws: `DeviceError` if no converter is available for the camera's format.
    init(
        _ opened: OpenedCamera, held: ControlStore, wakeUp: WakeUp, reporter: CameraEventReporter
    ) throws(DeviceError) {
        buffers = opened.buffers
        headers = opened.headers
        headersDue = opened.lacksHeaders ? reporter.now + Self.headersRetryDelay : nil
        layout = opened.layout
        self.held = held
        converter = try opened.makeConverter()
        self.wakeUp = wakeUp
        self.reporter = reporter
        deadline = reporter.now
        expectFirstFrame()
    }

    /// Delivers frames until a request wakes the thread or the stream fails, then stops the stream.
    ///
    /// - Returns: The reason why the stream failed; `nil` if a request woke the thread.
    func run() -> End? {
        defer {
            headers?.stop()
            buffers.stopStreaming()
        }
        while true {
            reporter.reportControls(held.drainUnreportedOutcomes())
            var sources = [
                pollfd(
                    fd: buffers.device.descriptor.number, events: Int16(POLLIN) | Int16(POLLPRI), revents: 0),
                pollfd(fd: wakeUp.number, events: Int16(POLLIN), revents: 0),
            ]
            // An interrupted poll returns no results and is retried.
            guard poll(&sources, 2, remainingMilliseconds) >= 0 else { continue }
            if sources[1].revents != 0 { return nil }
            let result = Int32(sources[0].revents)
            if result & (POLLERR | POLLHUP | POLLNVAL) != 0 {
                if let end = handleDriverFailure() { return end }
            } else if result & POLLPRI != 0, buffers.device.dequeueSourceChange() {
                return End(cause: "the input signal changed", mayBeFormatRelated: false)
            } else if result & POLLIN != 0 {
                if let end = processNextFrame() { return end }
            }
            // The time without frames is checked on every pass, not only when poll times out, because a
            // stream that contains only damaged frames also counts as an outage.
            if reporter.now >= deadline, let end = handleSilence() { return end }
        }
    }

    private var remainingMilliseconds: Int32 {
        Int32(clamping: max(0, (deadline - reporter.now).count / 1_000_000 + 1))
    }

    private func expectFirstFrame() {
        warmUp = layout.pixel == .mjpeg ? Self.warmUpFrames : 0
        deadline = reporter.now + max(reporter.maxFrameGap, Self.firstFrameTimeout)
    }

    // MARK: Frames

    private func processNextFrame() -> End? {
        do {
            guard let filled = try buffers.dequeue() else { return nil }
            process(filled)
            return nil
        } catch {
            return handleDriverFailure()
        }
    }

    private func process(_ filled: V4L2Device.FilledBuffer) {
        let place = reporter.place(filled, isWarmUp: warmUp > 0)
        let header = header(ofSequence: filled.sequence)
        if warmUp > 0 {
            warmUp -= 1
            return buffers.release(filled.index)
        }
        if filled.isFlagged {
            buffers.release(filled.index)
            return reporter.reportLoss(1, .driver, place.capturedAt)
        }
        guard let frame = frame(filled, place, header) else {
            return reporter.reportLoss(1, .corrupt, place.capturedAt)
        }
        deadline = reporter.now + reporter.maxFrameGap
        hasDelivered = true
        hasRestarted = false
        reporter.deliver(frame)
    }

    private func header(ofSequence sequence: UInt32) -> UVCHeaderClock? {
        if let due = headersDue, reporter.now >= due {
            headersDue = nil
            do throws(DeviceError) {
                headers = try HeaderClocks(startingFor: buffers.device.path)
            } catch {
                reporter.reportMissingHeaderClock(error.description)
            }
        }
        return headers?.clock(ofSequence: sequence)
    }

    /// Creates a frame from a buffer; returns `nil` for an incomplete frame. The buffer returns to the driver
    /// immediately or together with the frame.
    private func frame(
        _ filled: V4L2Device.FilledBuffer, _ place: FrameCounter.Place, _ header: UVCHeaderClock?
    ) -> CapturedFrame? {
        let bytes = buffers.bytes(of: filled)
        if bytes.count >= layout.byteCount, !layout.pixel.isCompressed, !layout.isConverted,
            let memory = buffers.lend(filled)
        {
            return frame(memory, place, header, isOwned: false)
        }
        defer { buffers.release(filled.index) }
        guard bytes.count >= layout.byteCount else { return nil }
        guard layout.isConverted else {
            let isKey = layout.pixel != .h264 || H264KeyFrameDetector.isKey(bytes)
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

    /// Handles missing frames. Reports the outage immediately. If the outage lasts, restarts the stream, which is known
    /// to recover many cameras. If the restart doesn't help, ends the stream as if the camera were unplugged.
    private func handleSilence() -> End? {
        let silence = reporter.now - reporter.lastFrameTime
        let cause = hasDelivered ? "silent" : "silent since the start"
        if hasRestarted || !hasDelivered { return End(cause: cause) }
        reporter.reportOutage(cause)
        if silence < Self.shortestSilence {
            deadline = reporter.now + (Self.shortestSilence - silence)
            return nil
        }
        return restart()
    }

    /// Handles a driver error: either the cable was pulled, or the driver's queue is in an error state that a restart
    /// clears.
    private func handleDriverFailure() -> End? {
        guard buffers.device.isAlive else { return End(cause: "unplugged", mayBeFormatRelated: false) }
        let cause = "the driver reported an error"
        guard !hasRestarted else { return End(cause: cause) }
        reporter.reportOutage(cause)
        return restart()
    }

    private func restart() -> End? {
        hasRestarted = true
        headers?.stop()
        buffers.stopStreaming()
        reporter.prepareForRestart()
        do {
            try headers?.start()
        } catch {
            reporter.reportMissingHeaderClock(error.description)
        }
        do {
            try buffers.startStreaming()
        } catch {
            guard buffers.device.isAlive else { return End(cause: "unplugged", mayBeFormatRelated: false) }
            return End(cause: "restart failed: \(error.description)")
        }
        do {
            reporter.reportControls(try buffers.device.restore(held.requests))
        } catch {
            // A camera that doesn't respond doesn't deliver frames either. The missing frames are reported
            // later.
        }
        expectFirstFrame()
        return nil
    }
}

/// Recognizes key frames among H.264 access units in Annex B byte stream format (ITU-T H.264, Annex B and table 7-1).
enum H264KeyFrameDetector {
    /// Returns whether decoding can start at an access unit: whether it contains an IDR slice (NAL unit type 5) or a
    /// sequence parameter set (7).
    static func isKey(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard var position = bytes.baseAddress else { return false }
        let end = position + bytes.count
        let startCode: [UInt8] = [0, 0, 1]
        while let found = linux_memmem(position, end - position, startCode, startCode.count),
            found + 3 < end
        {
            let type = (found + 3).load(as: UInt8.self) & 0x1f
            if type == 5 || type == 7 { return true }
            // Neither type can follow the first slice of a non-IDR frame.
            if type == 1 { return false }
            position = found + 3
        }
        return false
    }
}
