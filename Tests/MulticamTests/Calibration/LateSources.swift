import MulticamMedia

/// A camera with late timestamps.
final class LateCamera: DetailedCameraSource {
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
    func setRecordingStart(_ start: ClockTime) { camera.setRecordingStart(start) }
    func stop() { camera.stop() }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        let latency = latency
        try camera.start(on: clock) { event in
            guard case .frame(let frame) = event else { return receive(event) }
            receive(
                .frame(
                    CapturedFrame(
                        pixel: frame.pixel, size: frame.size, color: frame.color,
                        capturedAt: frame.capturedAt + latency, sequence: frame.sequence,
                        isKey: frame.isKey, memory: frame.memory, planes: frame.planes,
                        isOwned: frame.isOwned)))
        }
    }
}

/// A microphone with late timestamps.
final class LateMicrophone: DetailedMicrophoneSource {
    private let microphone: any MicrophoneSource
    private let latency: Nanoseconds

    init(_ microphone: any MicrophoneSource, by latency: Nanoseconds) {
        self.microphone = microphone
        self.latency = latency
    }

    var device: CaptureDevice { microphone.device }
    var format: AudioFormat { microphone.format }
    var deliveryDelay: Nanoseconds { microphone.deliveryDelay }
    var simulationTime: Nanoseconds { microphone.simulationTime }
    func setRecordingStart(_ start: ClockTime) { microphone.setRecordingStart(start) }
    func stop() { microphone.stop() }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let latency = latency
        try microphone.start(on: clock) { event in
            guard case .audio(let audio) = event else { return receive(event) }
            receive(
                .audio(
                    CapturedAudio(
                        format: audio.format, capturedAt: audio.capturedAt + latency,
                        firstSample: audio.firstSample, samples: audio.samples)))
        }
    }
}
