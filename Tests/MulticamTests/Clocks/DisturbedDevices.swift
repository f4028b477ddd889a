import Media

/// A camera whose events another function may change or swallow before the session sees them.
final class DisturbedCamera: CameraSource {
    typealias Change =
        @Sendable (CapturedPicture, _ secondsOfRecording: Double?) -> (sequence: Int64, stamp: ClockTime)?

    private let camera: any CameraSource
    private let start = Monitor<ClockTime?>(nil)
    private let change: Change

    /// - Parameters:
    ///   - camera: Delivers.
    ///   - change: The count and the stamp that a picture gets; `nil` swallows it. The seconds count from the recording's
    ///     begin to the picture's capture; they are `nil` before that is known.
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
            guard case .picture(let picture) = event else { return receive(event) }
            let seconds = begin.withLock { $0 }.map { (picture.capturedAt - $0).inSeconds }
            guard let (sequence, stamp) = change(picture, seconds) else { return }
            receive(
                .picture(
                    CapturedPicture(
                        pixel: picture.pixel, size: picture.size, color: picture.color, capturedAt: stamp,
                        sequence: sequence, isKey: picture.isKey, memory: picture.memory,
                        planes: picture.planes, isOwned: true)))
        }
    }

    func recordingBegins(at start: ClockTime) {
        self.start.withLock { $0 = start }
        camera.recordingBegins(at: start)
    }

    func stop() { camera.stop() }
}

/// Likewise a microphone.
final class DisturbedMicrophone: MicrophoneSource {
    typealias Change =
        @Sendable (CapturedSound, _ secondsOfRecording: Double?) -> (firstSample: Int64, stamp: ClockTime)?

    private let microphone: any MicrophoneSource
    private let start = Monitor<ClockTime?>(nil)
    private let change: Change

    /// As `DisturbedCamera` has them.
    init(_ microphone: any MicrophoneSource, change: @escaping Change) {
        self.microphone = microphone
        self.change = change
    }

    var device: CaptureDevice { microphone.device }
    var format: SoundFormat { microphone.format }
    var deliveryDelay: Nanoseconds { microphone.deliveryDelay }
    var simulationTime: Nanoseconds { microphone.simulationTime }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let (begin, change) = (start, change)
        try microphone.start(on: clock) { event in
            guard case .sound(let sound) = event else { return receive(event) }
            let seconds = begin.withLock { $0 }.map { (sound.capturedAt - $0).inSeconds }
            guard let (first, stamp) = change(sound, seconds) else { return }
            receive(
                .sound(
                    CapturedSound(
                        format: sound.format, capturedAt: stamp, firstSample: first, samples: sound.samples)))
        }
    }

    func recordingBegins(at start: ClockTime) {
        self.start.withLock { $0 = start }
        microphone.recordingBegins(at: start)
    }

    func stop() { microphone.stop() }
}
