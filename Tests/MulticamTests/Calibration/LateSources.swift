import Media

/// A camera whose time stamps are late.
final class LateCamera: CameraSource {
    private let camera: any CameraSource
    private let latency: Nanoseconds

    init(_ camera: any CameraSource, by latency: Nanoseconds) {
        self.camera = camera
        self.latency = latency
    }

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
        let latency = latency
        try camera.start(on: clock) { event in
            guard case .picture(let picture) = event else { return receive(event) }
            receive(
                .picture(
                    CapturedPicture(
                        pixel: picture.pixel, size: picture.size, color: picture.color,
                        capturedAt: picture.capturedAt + latency, sequence: picture.sequence,
                        isKey: picture.isKey, memory: picture.memory, planes: picture.planes,
                        isOwned: picture.isOwned)))
        }
    }
}

/// A microphone whose time stamps are late.
final class LateMicrophone: MicrophoneSource {
    private let microphone: any MicrophoneSource
    private let latency: Nanoseconds

    init(_ microphone: any MicrophoneSource, by latency: Nanoseconds) {
        self.microphone = microphone
        self.latency = latency
    }

    var device: CaptureDevice { microphone.device }
    var format: SoundFormat { microphone.format }
    var deliveryDelay: Nanoseconds { microphone.deliveryDelay }
    var simulationTime: Nanoseconds { microphone.simulationTime }
    func recordingBegins(at start: ClockTime) { microphone.recordingBegins(at: start) }
    func stop() { microphone.stop() }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let latency = latency
        try microphone.start(on: clock) { event in
            guard case .sound(let sound) = event else { return receive(event) }
            receive(
                .sound(
                    CapturedSound(
                        format: sound.format, capturedAt: sound.capturedAt + latency,
                        firstSample: sound.firstSample, samples: sound.samples)))
        }
    }
}
