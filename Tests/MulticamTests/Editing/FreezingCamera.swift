import MulticamMedia

/// A camera that repeats the same frame between two instants after T0.
final class FreezingCamera: DetailedCameraSource {
    private struct State {
        var start: ClockTime?
        var picture: SharedBytes?
    }

    private let camera: any CameraSource
    private let (from, to): (Nanoseconds, Nanoseconds)
    private let state = ConditionLock(State())

    init(_ camera: any CameraSource, from: Nanoseconds, to: Nanoseconds) {
        (self.camera, self.from, self.to) = (camera, from, to)
    }

    var device: CaptureDevice { camera.device }
    var format: VideoFormat { camera.format }
    var color: ColorDescription { camera.color }
    var deliveryDelay: Nanoseconds { camera.deliveryDelay }
    var simulationTime: Nanoseconds { camera.simulationTime }
    func stop() { camera.stop() }

    func setRecordingStart(_ start: ClockTime) {
        state.withLock { $0.start = start }
        camera.setRecordingStart(start)
    }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        try camera.start(on: clock) { [state, from, to] event in
            guard case .frame(let frame) = event else { return receive(event) }
            let picture = state.withLock { state -> SharedBytes? in
                guard let start = state.start, (from..<to).contains(frame.capturedAt - start) else {
                    return nil
                }
                state.picture = state.picture ?? frame.memory
                return state.picture
            }
            receive(
                .frame(
                    CapturedFrame(
                        pixel: frame.pixel, size: frame.size, color: frame.color,
                        capturedAt: frame.capturedAt, sequence: frame.sequence, isKey: frame.isKey,
                        memory: picture ?? frame.memory, planes: frame.planes, isOwned: frame.isOwned)))
        }
    }
}
