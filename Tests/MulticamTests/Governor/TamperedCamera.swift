import MulticamMedia

/// A camera wrapper that can change the formats requested from the camera and the events it reports.
final class TamperedCamera: DetailedCameraSource {
    private let camera: any CameraSource
    private let mapRequest: @Sendable (VideoFormat?) -> VideoFormat?
    private let mapEvent: @Sendable (CameraEvent) -> CameraEvent?

    /// - Parameters:
    ///   - camera: The wrapped camera.
    ///   - mapRequest: Replaces a requested format.
    ///   - mapEvent: Replaces an event; `nil` drops it.
    init(
        _ camera: any CameraSource,
        mappingRequests mapRequest: @escaping @Sendable (VideoFormat?) -> VideoFormat? = { $0 },
        mappingEvents mapEvent: @escaping @Sendable (CameraEvent) -> CameraEvent? = { $0 }
    ) {
        self.camera = camera
        self.mapRequest = mapRequest
        self.mapEvent = mapEvent
    }

    var device: CaptureDevice { camera.device }
    var format: VideoFormat { camera.format }
    var color: ColorDescription { camera.color }
    var deliveryDelay: Nanoseconds { camera.deliveryDelay }
    var simulationTime: Nanoseconds { camera.simulationTime }
    var canChangeFormat: Bool { camera.canChangeFormat }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        let tell = mapEvent
        try camera.start(on: clock) { event in tell(event).map(receive) }
    }

    func setRecordingStart(_ start: ClockTime) { camera.setRecordingStart(start) }
    func changeFormat(to format: VideoFormat?) { camera.changeFormat(to: mapRequest(format)) }
    func stop() { camera.stop() }
}
