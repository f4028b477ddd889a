internal import CLinux
import Glibc
import Media

/// What the camera's thread does from the start of the stream to its end. Used by that thread alone.
final class V4L2Stream {
    /// Why a stream ended by itself.
    struct End {
        let at: ClockTime
        let cause: String
    }

    private let buffers: CaptureBuffers
    private let layout: PictureLayout
    private let converter: LegacyConverter?
    private let controls: [(name: String, value: Int64)]
    private let clock: any SessionClock
    private let wakeUp: WakeUp
    private let receive: @Sendable (CameraEvent) -> Void

    /// Without a picture for so long, the camera counts as away.
    private let patience: Nanoseconds
    private let interval: Nanoseconds
    private let startedAt: ClockTime
    private var counter: PictureCounter
    private var warmUp = 0
    private var deadline: ClockTime
    /// Since when there is nothing; `nil` while all is well.
    private var awaySince: ClockTime?

    /// Cameras take their time for the first picture: exposure, focus, and the bus. Two seconds have been seen.
    private static let firstPicturePatience = Nanoseconds.seconds(3)
    /// The first MJPEG pictures of a stream are often corrupt without any sign of it.
    private static let warmUpPictures = 2

    init(
        _ buffers: CaptureBuffers, _ layout: PictureLayout, converter: LegacyConverter?,
        interval: Nanoseconds,
        controls: [(name: String, value: Int64)], clock: any SessionClock, wakeUp: WakeUp,
        receive: @escaping @Sendable (CameraEvent) -> Void
    ) {
        self.buffers = buffers
        self.layout = layout
        self.converter = converter
        self.controls = controls
        self.clock = clock
        self.wakeUp = wakeUp
        self.receive = receive
        self.interval = interval
        startedAt = clock.now
        patience = max(interval * 5, .milliseconds(500))
        counter = PictureCounter(interval: interval)
        deadline = clock.now
        expectFirstPicture()
    }

    /// Delivers until it is woken or the device is gone.
    ///
    /// - Returns: `nil` when it was woken.
    func run() -> End? {
        defer { buffers.stopStreaming() }
        while true {
            var sources = [
                pollfd(fd: buffers.device.descriptor.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeUp.number, events: Int16(POLLIN), revents: 0),
            ]
            // An interrupted poll leaves no results and is repeated.
            guard poll(&sources, 2, remainingMilliseconds) >= 0 else { continue }
            if sources[1].revents != 0 { return nil }
            if sources[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
                if let end = driverFailed() { return end }
            } else if sources[0].revents != 0 {
                if let end = takeOne() { return end }
            }
            // Asked each time and not only when poll timed out: damaged pictures alone are silence too.
            if clock.now >= deadline, let end = fellSilent() { return end }
        }
    }

    private var remainingMilliseconds: Int32 {
        Int32(clamping: max(0, (deadline - clock.now).count / 1_000_000 + 1))
    }

    private func expectFirstPicture() {
        warmUp = layout.pixel == .mjpeg ? Self.warmUpPictures : 0
        deadline = clock.now + max(patience, Self.firstPicturePatience)
    }

    // MARK: Pictures

    private func takeOne() -> End? {
        do {
            guard let filled = try buffers.device.dequeue() else { return nil }
            take(filled)
            return nil
        } catch {
            return driverFailed()
        }
    }

    private func take(_ filled: V4L2Device.Filled) {
        let arrival = clock.now
        let place = counter.place(filled.sequence, filled.stamp, arrivedAt: arrival)
        if !filled.isFlagged { deadline = arrival + patience }
        if warmUp > 0 {
            warmUp -= 1
            buffers.giveBack(filled.index)
            return
        }
        if place.missing > 0 { lost(place.missing, .bus, place.firstMissingAt) }
        if filled.isFlagged {
            buffers.giveBack(filled.index)
            return lost(1, .driver, place.capturedAt)
        }
        guard let picture = picture(filled, place) else { return lost(1, .corrupt, place.capturedAt) }
        if let since = awaySince {
            awaySince = nil
            receive(.returned(at: max(place.capturedAt, since)))
        }
        receive(.picture(picture))
    }

    /// While the camera is away, that is the loss: it is not counted twice.
    private func lost(_ count: Int, _ cause: LossCause, _ capturedAt: ClockTime) {
        if awaySince == nil { receive(.lost(count: count, cause: cause, capturedAt: capturedAt)) }
    }

    /// Makes a picture of a buffer, which goes back at once or with the picture. `nil` for what is no whole picture.
    private func picture(_ filled: V4L2Device.Filled, _ place: PictureCounter.Place) -> CapturedPicture? {
        let bytes = buffers.bytes(of: filled)
        if bytes.count >= layout.byteCount, !layout.pixel.isCompressed, !layout.isConverted,
            let memory = buffers.lend(filled)
        {
            return picture(memory, place, isOwned: false)
        }
        defer { buffers.giveBack(filled.index) }
        guard bytes.count >= layout.byteCount else { return nil }
        guard layout.isConverted else {
            let isKey = layout.pixel != .h264 || AccessUnit.isKey(bytes)
            return picture(SharedBytes(copying: bytes), place, isKey: isKey, isOwned: true)
        }
        return converter?.converted(bytes).map { picture($0, place, isOwned: true) }
    }

    private func picture(
        _ memory: SharedBytes, _ place: PictureCounter.Place, isKey: Bool = true, isOwned: Bool
    ) -> CapturedPicture {
        CapturedPicture(
            pixel: layout.pixel, size: layout.size, color: layout.color, capturedAt: place.capturedAt,
            sequence: place.sequence, isKey: isKey, memory: memory, planes: layout.planes, isOwned: isOwned)
    }

    // MARK: Failures

    /// No picture in time. The first time the stream is restarted, which has brought many cameras back; from then on it
    /// waits for what comes.
    private func fellSilent() -> End? {
        let now = clock.now
        guard awaySince == nil else {
            deadline = now + patience
            return nil
        }
        let milliseconds = Int64((now - (counter.lastCapture ?? startedAt)).inMilliseconds)
        goesAway("no picture for \(milliseconds) ms")
        return restart()
    }

    /// The driver reports an error: the cable was pulled, or its queue is broken, which a restart mends.
    private func driverFailed() -> End? {
        guard buffers.device.isAlive else { return End(at: clock.now, cause: "unplugged") }
        guard awaySince == nil else { return End(at: clock.now, cause: "the driver reports errors") }
        goesAway("the driver reports an error")
        return restart()
    }

    /// Away since the first picture that did not come.
    private func goesAway(_ cause: String) {
        let since = min(counter.lastCapture.map { $0 + interval } ?? startedAt, clock.now)
        awaySince = since
        receive(.away(at: since, cause: cause))
    }

    private func restart() -> End? {
        buffers.stopStreaming()
        counter.streamRestarts()
        do {
            try buffers.startStreaming()
        } catch {
            guard buffers.device.isAlive else { return End(at: clock.now, cause: "unplugged") }
            return End(at: clock.now, cause: "it does not start again: \(error.description)")
        }
        do {
            try buffers.device.keep(controls)
        } catch {
            // A picture with another focus is better than none.
        }
        expectFirstPicture()
        return nil
    }
}
