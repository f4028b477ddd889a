import Media

/// An H.264 camera that is met in the middle of its stream: it says of no frame before the `keyless`th that it is a key frame.
final class MidStreamCamera: CameraSource {
    private let camera: any CameraSource
    private let keyless: Int64

    init(_ camera: any CameraSource, keyless: Int64) { (self.camera, self.keyless) = (camera, keyless) }

    var device: CaptureDevice { camera.device }
    var format: VideoFormat { camera.format }
    var color: ColorDescription { camera.color }
    var deliveryDelay: Nanoseconds { camera.deliveryDelay }
    var simulationTime: Nanoseconds { camera.simulationTime }
    func recordingBegins(at start: ClockTime) { camera.recordingBegins(at: start) }
    func stop() { camera.stop() }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        let (keyless, first) = (keyless, ConditionLock<Int64?>(nil))
        try camera.start(on: clock) { event in
            guard case .frame(let frame) = event else { return receive(event) }
            let begin = first.withLock { first in
                first = first ?? frame.sequence
                return first ?? 0
            }
            receive(
                .frame(
                    CapturedFrame(
                        pixel: frame.pixel, size: frame.size, color: frame.color,
                        capturedAt: frame.capturedAt, sequence: frame.sequence,
                        isKey: frame.isKey && frame.sequence - begin >= keyless, memory: frame.memory,
                        planes: frame.planes, isOwned: frame.isOwned)))
        }
    }
}
