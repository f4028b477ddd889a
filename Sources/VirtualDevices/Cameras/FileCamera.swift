import Encoding
public import Media

/// A media file played at its own speed as a camera.
///
/// Until the recording begins it shows its first frame again and again, so that the session can get ready. From T0 on
/// the frame with the file's time p was captured at T0 + p. JPEGs stay the file's bytes, anything else is decoded.
public final class FileCamera: CameraSource {
    public let device: CaptureDevice
    public let format: VideoFormat
    public let color: ColorDescription
    public let deliveryDelay: Nanoseconds
    private let path: String
    private let thread: SourceThread

    /// - Throws: When the file is not there, cannot be read or holds no frames.
    public init(role: String, path: String) throws(VirtualDeviceError) {
        let selector = VirtualSources.filePrefix + path
        let file = try ReadableFile(path, asked: selector, operation: "opening the file")
        let facts = try file.read { () throws(EncodingError) in
            guard let facts = try MediaFileReader(path: path, media: .video).video else {
                throw EncodingError(
                    subject: path, operation: "reading", reason: "there are no frames in it")
            }
            return facts
        }
        self.path = path
        format = VideoFormat(pixel: facts.pixel, size: facts.size, rate: facts.rate)
        color = facts.color
        deliveryDelay = facts.rate.interval
        thread = SourceThread(name: "cam:\(role)")
        device = CaptureDevice(
            mediaType: .video, deviceType: .file, identity: DeviceIdentity(name: selector),
            name: VirtualSources.fileName(path), node: path, selector: selector,
            formats: [OfferedFormat(pixel: facts.pixel, size: facts.size, rates: .listed([facts.rate]))])
    }

    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        thread.start(on: clock) { cancellation in
            do throws(EncodingError) {
                try self.run(on: clock, until: cancellation, delivering: receive)
            } catch {
                receive(.ended(at: clock.now, cause: error.description))
            }
        }
    }

    public func recordingBegins(at start: ClockTime) {
        thread.recordingBegins(at: start)
    }

    public func stop() {
        thread.stop()
    }

    public var simulationTime: Nanoseconds { thread.processorTime }

    // MARK: On its thread

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @Sendable (CameraEvent) -> Void
    ) throws(EncodingError) {
        let reader = try MediaFileReader(path: path, media: .video)
        guard let first = try reader.nextFrame() else {
            receive(.ended(at: clock.now, cause: "end of file"))
            return
        }
        let interval = format.rate.interval
        var sequence: Int64 = 0
        let warmUp = DeviceTimebase(rate: format.rate, phase: Nanoseconds(clock.now.nanoseconds))
        var recordingStart = thread.recordingStart
        while recordingStart.map({ warmUp.time(of: sequence) < $0 }) ?? true {
            let time = warmUp.time(of: sequence)
            guard clock.sleep(until: time + interval, unless: cancellation) else { return }
            recordingStart = thread.recordingStart
            // Told meanwhile: what follows T0 is the file's.
            if let recordingStart, time >= recordingStart { break }
            receive(.frame(dated(first, time, sequence)))
            sequence += 1
        }
        guard let recordingStart else { return }
        var next: CapturedFrame? = first
        var end = recordingStart
        var times = FileTimes()
        while let frame = next {
            let place = frame.capturedAt - first.capturedAt
            if let problem = times.problem(at: place) { return receive(.ended(at: end, cause: problem)) }
            let time = recordingStart + place
            end = time + interval
            guard clock.sleep(until: end, unless: cancellation) else { return }
            receive(.frame(dated(frame, time, sequence)))
            sequence += 1
            next = try reader.nextFrame()
            thread.noteProcessorTime()
        }
        receive(.ended(at: end, cause: "end of file"))
    }

    private func dated(_ frame: CapturedFrame, _ time: ClockTime, _ sequence: Int64) -> CapturedFrame {
        CapturedFrame(
            pixel: frame.pixel, size: frame.size, color: frame.color, capturedAt: time,
            sequence: sequence,
            isKey: frame.isKey, memory: frame.memory, planes: frame.planes, isOwned: true)
    }
}
