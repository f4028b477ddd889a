import Encoding
public import Media

/// A camera that plays a media file at the file's own speed.
///
/// Until the recording begins it repeats its first frame, so that the session can get ready. From T0 on, the frame with
/// file time p has the capture time T0 + p. JPEG frames stay the file's bytes, and are delivered some at a time where nobody waits for each;
/// frames of any other codec are decoded.
public final class FileCamera: CameraSource {
    /// Identity, selector and the single format of this file.
    public let device: CaptureDevice
    /// Pixel format, size and frame rate of the file's video stream.
    public let format: VideoFormat
    /// Color description that the file states for its frames.
    public let color: ColorDescription
    /// Duration of one frame: a frame of the file is delivered when its interval ends.
    public let deliveryDelay: Nanoseconds
    private let path: String
    private let thread: SourceThread

    /// Opens the file to read its format; frames are not read before `start`.
    ///
    /// - Parameters:
    ///   - role: The role in the profile; names the thread.
    ///   - path: Path of the media file.
    /// - Throws: `VirtualDeviceError.device` when the file is missing, cannot be read or holds no video.
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

    /// Starts the thread that plays the file. Returns at once; frames follow on that thread.
    ///
    /// - Parameters:
    ///   - clock: The session clock that the frames are timed by.
    ///   - receive: Called on the camera's thread for each event. `ended` is the last one, at the end of the file or on
    ///     an error.
    /// - Throws: Nothing; a file that can no longer be read ends the stream with `ended`.
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

    /// Sets the instant T0 at which the file starts to play. Only the first call since `start` counts.
    public func recordingBegins(at start: ClockTime) {
        thread.recordingBegins(at: start)
    }

    /// Says how much later than at its end a frame may be delivered. It holds from the next frame on that is read.
    public func deliver(within leeway: Nanoseconds) {
        // What has to be decoded is large.
        thread.leeway = format.pixel == .mjpeg ? leeway : .zero
    }

    /// Stops the thread and waits for its end; no event follows. Must not be called from the camera's own thread.
    public func stop() {
        thread.stop()
    }

    /// Processor time that the camera's threads have used for reading and decoding.
    public var simulationTime: Nanoseconds { thread.processorTime }

    // MARK: On its thread

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @Sendable (CameraEvent) -> Void
    ) throws(EncodingError) {
        var frames = try FileFramesAhead(path: path)
        guard let first = try frames.next() else {
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
            // T0 became known during the sleep: frames from T0 on are the file's.
            if let recordingStart, time >= recordingStart { break }
            receive(.frame(dated(first, time, sequence)))
            sequence += 1
        }
        guard let recordingStart else { return }
        var times = FileTimes()
        var waiting: [CapturedFrame] = []
        var end = recordingStart
        /// Delivers the frames that wait when the last one is due; `false` when the camera is to stop.
        func deliver() -> Bool {
            guard !waiting.isEmpty else { return true }
            guard clock.sleep(until: end, unless: cancellation) else { return false }
            for frame in waiting { receive(.frame(frame)) }
            waiting.removeAll(keepingCapacity: true)
            thread.noteProcessorTime()
            return true
        }
        var next: CapturedFrame? = first
        while let frame = next {
            let place = frame.capturedAt - first.capturedAt
            if let problem = times.problem(at: place) {
                guard deliver() else { return }
                return receive(.ended(at: end, cause: problem))
            }
            let time = recordingStart + place
            let leeway = thread.leeway
            // Files round the times of their frames, some to milliseconds; a file may also jump back.
            if let earliest = waiting.first,
                time > earliest.capturedAt + leeway + .milliseconds(1) || time + interval < end
            {
                guard deliver() else { return }
            }
            waiting.append(dated(frame, time, sequence))
            sequence += 1
            end = time + interval
            if leeway == .zero { guard deliver() else { return } }
            do throws(EncodingError) {
                next = try frames.next()
            } catch {
                guard deliver() else { return }
                throw error
            }
        }
        guard deliver() else { return }
        receive(.ended(at: end, cause: "end of file"))
    }

    private func dated(_ frame: CapturedFrame, _ time: ClockTime, _ sequence: Int64) -> CapturedFrame {
        CapturedFrame(
            pixel: frame.pixel, size: frame.size, color: frame.color, capturedAt: time,
            sequence: sequence,
            isKey: frame.isKey, memory: frame.memory, planes: frame.planes, isOwned: true)
    }
}
