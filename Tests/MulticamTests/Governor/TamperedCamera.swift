import Media

/// A camera wrapper that can change the formats requested from the camera and the events it reports.
final class TamperedCamera: CameraSource {
    private let camera: any CameraSource
    private let ask: @Sendable (VideoFormat?) -> VideoFormat?
    private let tell: @Sendable (CameraEvent) -> CameraEvent?

    /// - Parameters:
    ///   - camera: The wrapped camera.
    ///   - ask: Replaces a requested format.
    ///   - tell: Replaces an event; `nil` drops it.
    init(
        _ camera: any CameraSource, asking ask: @escaping @Sendable (VideoFormat?) -> VideoFormat? = { $0 },
        telling tell: @escaping @Sendable (CameraEvent) -> CameraEvent? = { $0 }
    ) {
        self.camera = camera
        self.ask = ask
        self.tell = tell
    }

    var device: CaptureDevice { camera.device }
    var format: VideoFormat { camera.format }
    var color: ColorDescription { camera.color }
    var deliveryDelay: Nanoseconds { camera.deliveryDelay }
    var simulationTime: Nanoseconds { camera.simulationTime }
    var isChangeable: Bool { camera.isChangeable }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        let tell = tell
        try camera.start(on: clock) { event in tell(event).map(receive) }
    }

    func recordingBegins(at start: ClockTime) { camera.recordingBegins(at: start) }
    func change(to format: VideoFormat?) { camera.change(to: ask(format)) }
    func stop() { camera.stop() }
}
