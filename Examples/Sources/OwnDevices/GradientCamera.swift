public import MulticamKit

/// A custom camera: a gradient that moves to the right, in NV12.
///
/// A source delivers frames on its own thread, sets the capture time of each frame, and never waits for the receiver.
public final class GradientCamera: CameraSource {
    public let format: VideoFormat
    public let device: CaptureDevice
    /// The color of a typical camera: BT.601, with luma from 16 to 235.
    public let color = ColorDescription.bt601Limited
    /// A frame is delivered at the end of its interval, when it has been computed.
    public var deliveryDelay: Nanoseconds { format.rate.interval + .milliseconds(10) }
    private let thread = PacedThread(named: "gradient")

    /// Creates a camera. A built-in camera rotates with the computer.
    public init(
        size: FrameSize = FrameSize(width: 640, height: 360), rate: FrameRate = FrameRate(30, per: 1),
        isBuiltIn: Bool = false
    ) {
        format = VideoFormat(pixel: .nv12, size: size, rate: rate)
        device = .ownCamera(named: "gradient", position: .back, isBuiltIn: isBuiltIn)
    }

    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        try thread.start(on: clock, every: format.rate.interval) { [self] number, time in
            receive(.frame(frame(number, capturedAt: time)))
        }
    }

    public func stop() { thread.stop() }

    /// Creates a frame. The luma increases from left to right, and the color planes are gray.
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
