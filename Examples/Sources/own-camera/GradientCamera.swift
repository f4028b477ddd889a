import MulticamKit

/// A camera of this program's own: a gradient that wanders to the right, in NV12.
///
/// A source delivers on a thread of its own, stamps each frame with the instant that it shows, and never waits for who takes them.
final class GradientCamera: CameraSource {
    let format: VideoFormat
    let device = CaptureDevice(
        mediaType: .video, deviceType: .screen, identity: DeviceIdentity(name: "gradient"), name: "gradient",
        node: "", selector: "")
    /// NV12 as cameras deliver it: BT.601, luma from 16 to 235.
    let color = ColorDescription.bt601Limited
    let deliveryDelay = Nanoseconds.milliseconds(1)
    private let cancellation = Cancellation()
    private let thread = BoundedQueue<MediaThread>(capacity: 1)

    init(format: VideoFormat) {
        self.format = format
    }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        let (begin, interval, cancellation) = (clock.now, format.rate.interval, cancellation)
        let painting = clock.startThread(named: "gradient") { [self] in
            var number: Int64 = 0
            while clock.sleep(until: begin + interval * (number + 1), unless: cancellation) {
                receive(.frame(frame(number, capturedAt: begin + interval * number)))
                number += 1
            }
        }
        _ = thread.offer(painting)
    }

    func stop() {
        cancellation.cancel()
        thread.finish()
        thread.next()?.join()
    }

    /// Luma rises from left to right; the plane of colour behind it is grey.
    private func frame(_ number: Int64, capturedAt time: ClockTime) -> CapturedFrame {
        let (planes, byteCount) = FramePlane.packed(format.pixel, format.size)
        var bytes = [UInt8](repeating: 128, count: byteCount)
        for y in 0..<format.size.height {
            for x in 0..<format.size.width {
                let place = (x + Int(number) * 4) % format.size.width
                bytes[planes[0].offset + y * planes[0].stride + x] = UInt8(
                    16 + 219 * place / format.size.width)
            }
        }
        return CapturedFrame(
            pixel: format.pixel, size: format.size, color: color, capturedAt: time, sequence: number,
            memory: SharedBytes(bytes), planes: planes, isOwned: true)
    }
}
