import MulticamMedia

/// A camera with a function that can change or drop frames before the session receives them.
final class DisturbedCamera: DetailedCameraSource {
    typealias Change =
        @Sendable (CapturedFrame, _ secondsOfRecording: Double?) -> (sequence: Int64, stamp: ClockTime)?

    private let camera: any CameraSource
    private let start = ConditionLock<ClockTime?>(nil)
    private let change: Change

    /// - Parameters:
    ///   - camera: The underlying camera.
    ///   - change: Returns the sequence number and timestamp for a frame, or `nil` to drop it. The argument
    ///     in seconds is the time from the start of the recording to the frame's capture; it is `nil` before
    ///     the start is known.
    init(_ camera: any CameraSource, change: @escaping Change) {
        self.camera = camera
        self.change = change
    }

    var device: CaptureDevice { camera.device }
    var format: VideoFormat { camera.format }
    var color: ColorDescription { camera.color }
    var deliveryDelay: Nanoseconds { camera.deliveryDelay }
    var simulationTime: Nanoseconds { camera.simulationTime }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        let (begin, change) = (start, change)
        try camera.start(on: clock) { event in
            guard case .frame(let frame) = event else { return receive(event) }
            let seconds = begin.withLock { $0 }.map { (frame.capturedAt - $0).inSeconds }
            guard let (sequence, stamp) = change(frame, seconds) else { return }
            receive(
                .frame(
                    CapturedFrame(
                        pixel: frame.pixel, size: frame.size, color: frame.color, capturedAt: stamp,
                        sequence: sequence, isKey: frame.isKey, memory: frame.memory,
                        planes: frame.planes, isOwned: true)))
        }
    }

    func setRecordingStart(_ start: ClockTime) {
        self.start.withLock { $0 = start }
        camera.setRecordingStart(start)
    }

    func stop() { camera.stop() }
}

/// A microphone with a function that can change or drop audio before the session receives it.
final class DisturbedMicrophone: DetailedMicrophoneSource {
    typealias Change =
        @Sendable (CapturedAudio, _ secondsOfRecording: Double?) -> (firstSample: Int64, stamp: ClockTime)?

    private let microphone: any MicrophoneSource
    private let start = ConditionLock<ClockTime?>(nil)
    private let change: Change

    /// Creates a disturbed microphone. The parameters correspond to those of `DisturbedCamera`.
    init(_ microphone: any MicrophoneSource, change: @escaping Change) {
        self.microphone = microphone
        self.change = change
    }

    var device: CaptureDevice { microphone.device }
    var format: AudioFormat { microphone.format }
    var deliveryDelay: Nanoseconds { microphone.deliveryDelay }
    var simulationTime: Nanoseconds { microphone.simulationTime }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let (begin, change) = (start, change)
        try microphone.start(on: clock) { event in
            guard case .audio(let audio) = event else { return receive(event) }
            let seconds = begin.withLock { $0 }.map { (audio.capturedAt - $0).inSeconds }
            guard let (first, stamp) = change(audio, seconds) else { return }
            receive(
                .audio(
                    CapturedAudio(
                        format: audio.format, capturedAt: stamp, firstSample: first, samples: audio.samples)))
        }
    }

    func setRecordingStart(_ start: ClockTime) {
        self.start.withLock { $0 = start }
        microphone.setRecordingStart(start)
    }

    func stop() { microphone.stop() }
}
