import Media

/// A camera that delivers no events.
struct StandingCamera: CameraSource {
    let device: CaptureDevice
    let format: VideoFormat
    let color = ColorDescription(matrix: .bt601, range: .full)
    let deliveryDelay = Nanoseconds.zero

    init(_ format: VideoFormat, name: String = "camera") {
        self.format = format
        device = CaptureDevice(
            mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: name), name: name,
            node: "/dev/\(name)", selector: name, formats: [])
    }

    func start(on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void) {}
    func stop() {}
}
