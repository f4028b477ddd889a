package import MulticamMedia

/// A camera that delivers no events.
package struct StandingCamera: DetailedCameraSource {
    package let device: CaptureDevice
    package let format: VideoFormat
    package let color = ColorDescription(matrix: .bt601, range: .full)
    package let deliveryDelay = Nanoseconds.zero
    private let onStop: @Sendable () -> Void

    /// - Parameters:
    ///   - format: The format of the camera.
    ///   - name: The camera's name, which is also its selector.
    ///   - onStop: Called when the camera is stopped.
    package init(_ format: VideoFormat, name: String = "camera", onStop: @escaping @Sendable () -> Void = {})
    {
        self.format = format
        self.onStop = onStop
        device = CaptureDevice(
            mediaType: .video, deviceType: .external, identity: DeviceIdentity(name: name), name: name,
            node: "/dev/\(name)", selector: name, formats: [])
    }

    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) {}
    package func stop() { onStop() }
}
