import MulticamMedia

/// An H.264 camera whose stream is received starting in the middle. The first `keyless` frames are not marked
/// as key frames.
final class MidStreamCamera: DetailedCameraSource {
    private let camera: any CameraSource
    private let keyless: Int64

    let device: CaptureDevice

    /// - Parameters:
    ///   - camera: The wrapped camera.
    ///   - keyless: Number of frames that aren't marked as key frames.
    ///   - selector: The selector of this camera; `nil` for the wrapped camera's selector.
    init(_ camera: any CameraSource, keyless: Int64, selector: String? = nil) {
        (self.camera, self.keyless) = (camera, keyless)
        let own = camera.device
        device =
            selector.map { selector in
                CaptureDevice(
                    mediaType: .video, deviceType: .network, identity: DeviceIdentity(name: selector),
                    name: selector, node: selector, selector: selector, formats: own.formats)
            } ?? own
    }

    var format: VideoFormat { camera.format }
    var color: ColorDescription { camera.color }
    var deliveryDelay: Nanoseconds { camera.deliveryDelay }
    var simulationTime: Nanoseconds { camera.simulationTime }
    func setRecordingStart(_ start: ClockTime) { camera.setRecordingStart(start) }
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
