import MulticamEncoding
package import MulticamMedia

/// A camera that plays a media file in real time.
///
/// The camera repeats the first frame until the recording begins, so that the session has time to start. From
/// T0 on, the frame with file time p has the capture time T0 + p. File times are relative to the beginning of
/// the file's earliest stream, so the offset between video and audio is preserved. If the file contains no
/// frame for longer than one frame interval, the camera repeats the last frame, as a media player does. JPEG
/// frames are passed through unchanged and are delivered in batches if no consumer is latency-sensitive.
/// Frames of any other codec are decoded.
package final class FileCamera: DetailedCameraSource {
    /// Description of the file as a device: its identity, selector, and only format.
    package let device: CaptureDevice
    /// Pixel format, size and frame rate of the file's video stream.
    package let format: VideoFormat
    /// Color description from the file.
    package let color: ColorDescription
    /// Duration of one frame, because each frame is delivered at the end of its interval.
    package let deliveryDelay: Nanoseconds
    private let path: String
    private let thread: SourceThread

    /// Opens the file to read its format. No frames are read before `start`.
    ///
    /// - Parameters:
    ///   - role: The role in the profile, which is also the name of the thread.
    ///   - path: Path of the media file.
    /// - Throws: `VirtualDeviceError.device` if the file is missing, can't be read, or contains no video.
    package init(role: String, path: String) throws(VirtualDeviceError) {
        let selector = VirtualSources.filePrefix + path
        let file = try SelectorFile(path, selector: selector, operation: "opening the file")
        let facts = try file.read { () throws(EncodingError) in
            guard let facts = try MediaFileReader(path: path, media: .video).video else {
                throw EncodingError(
                    subject: path, operation: "reading", reason: "the file does not contain frames")
            }
            return facts
        }
        self.path = path
        // The minimum rate is 1 frame per second. Frames of slower files are repeated.
        let rate = max(facts.rate, FrameRate(1))
        format = VideoFormat(pixel: facts.pixel, size: facts.size, rate: rate)
        color = facts.color
        deliveryDelay = rate.interval
        thread = SourceThread(name: "cam:\(role)")
        var device = CaptureDevice(
            mediaType: .video, deviceType: .file, mounting: facts.rotation,
            identity: DeviceIdentity(name: selector), name: VirtualSources.fileName(path), node: path,
            selector: selector,
            formats: [OfferedFormat(pixel: facts.pixel, size: facts.size, rates: .listed([rate]))])
        device.pixelAspect = facts.pixelAspect
        self.device = device
    }

    /// Starts the thread that plays the file. Returns immediately; the frames arrive on that thread.
    ///
    /// - Parameters:
    ///   - clock: The session clock that times the frames.
    ///   - receive: Called on the camera's thread for each event. `ended` is the last event, sent at the end of the
    ///     file or on an error.
    /// - Throws: If the file can no longer be read, no error is thrown, but the stream ends with `ended`.
    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        try thread.start(on: clock) { cancellation in
            do throws(EncodingError) {
                try self.run(on: clock, until: cancellation, delivering: receive)
            } catch {
                receive(.ended(at: clock.now, cause: error.description))
            }
        }
    }

    /// Sets T0, the playback start time. Only the first call after `start` has an effect.
    package func setRecordingStart(_ start: ClockTime) {
        thread.setRecordingStart(start)
    }

    /// Sets the maximum delay between the end of a frame's interval and the delivery of the frame. The new
    /// value takes effect with the next frame that is read.
    package func setDeliveryLeeway(_ leeway: Nanoseconds) {
        // Decoded frames are large, so they aren't batched.
        thread.leeway = format.pixel == .mjpeg ? leeway : .zero
    }

    /// Stops the thread and waits until it has ended. After this call, no more events are sent. This method must not be
    /// called from the camera's own thread.
    package func stop() {
        thread.stop()
    }

    /// CPU time that the camera's threads have used for reading and decoding.
    package var simulationTime: Nanoseconds { thread.processorTime }

    // MARK: Playback thread

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(EncodingError) {
        var frames = try FrameReadAheadBuffer(path: path)
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
            // T0 was set during the sleep. Frames from T0 on are read from the file.
            if let recordingStart, time >= recordingStart { break }
            receive(.frame(dated(first.frame, time, sequence)))
            sequence += 1
        }
        guard let recordingStart else { return }
        var playback = Playback(
            camera: self, clock: clock, start: recordingStart, sequence: sequence, end: recordingStart,
            cancellation: cancellation, receive: receive)
        // The first frame is repeated until its own start time, because another stream of the file may begin
        // earlier.
        guard playback.repeatFrame(first.frame, after: nil, until: first.place) else { return }
        var times = FileTimestampValidator()
        var (last, next): (FrameReadAheadBuffer.Entry, FrameReadAheadBuffer.Entry?) = (first, first)
        while let read = next {
            if let problem = times.check(read.place) {
                guard playback.deliver() else { return }
                return receive(.ended(at: playback.end, cause: problem))
            }
            for jump in read.jumps {
                receive(
                    .notice(
                        at: recordingStart + read.place, "\(jump). The camera continues without a gap."))
            }
            if read.damaged > 0 {
                playback.reportLoss(read.damaged, at: last.place + interval)
            } else {
                guard playback.repeatFrame(last.frame, after: last.place, until: read.place) else { return }
            }
            guard playback.add(read.frame, at: read.place) else { return }
            last = read
            do throws(EncodingError) {
                next = try frames.next()
            } catch {
                guard playback.deliver() else { return }
                throw error
            }
        }
        let damaged = frames.trailingDamageCount()
        if damaged > 0 {
            playback.reportLoss(damaged, at: last.place + interval)
        } else {
            guard playback.repeatFrame(last.frame, after: last.place, until: frames.end) else { return }
        }
        guard playback.deliver() else { return }
        receive(.ended(at: playback.end, cause: "end of file"))
    }

    /// Delivers each frame of the file at its playback time.
    private struct Playback {
        let camera: FileCamera
        let clock: any SessionClock
        /// T0, which is the time when playback of the file begins.
        let start: ClockTime
        var sequence: Int64
        /// End of the last frame's interval.
        var end: ClockTime
        let cancellation: Cancellation
        let receive: @Sendable (CameraEvent) -> Void
        private var waiting: [CapturedFrame] = []

        init(
            camera: FileCamera, clock: any SessionClock, start: ClockTime, sequence: Int64, end: ClockTime,
            cancellation: Cancellation, receive: @escaping @Sendable (CameraEvent) -> Void
        ) {
            self.camera = camera
            self.clock = clock
            self.start = start
            self.sequence = sequence
            self.end = end
            self.cancellation = cancellation
            self.receive = receive
        }

        private var interval: Nanoseconds { camera.format.rate.interval }

        /// Delivers the waiting frames when the last one is due. Returns `false` if the camera must stop.
        mutating func deliver() -> Bool {
            guard !waiting.isEmpty else { return true }
            guard clock.sleep(until: end, unless: cancellation) else { return false }
            for frame in waiting { receive(.frame(frame)) }
            waiting.removeAll(keepingCapacity: true)
            camera.thread.recordProcessorTime()
            return true
        }

        /// Adds a frame and delivers the frames that are due. Returns `false` if the camera must stop.
        mutating func add(_ frame: CapturedFrame, at place: Nanoseconds) -> Bool {
            let time = start + place
            let leeway = camera.thread.leeway
            // Time stamps in files are rounded, some to milliseconds. Time stamps can also jump backward.
            if let earliest = waiting.first,
                time > earliest.capturedAt + leeway + .milliseconds(1) || time + interval < end
            {
                guard deliver() else { return false }
            }
            waiting.append(camera.dated(frame, time, sequence))
            sequence += 1
            end = time + interval
            return leeway > .zero || deliver()
        }

        /// Repeats a frame until a given file time.
        ///
        /// - Parameters:
        ///   - frame: The frame to repeat.
        ///   - place: Start of the frame in file time. The value is `nil` for the first frame, which is also
        ///     repeated before its start.
        ///   - next: Start of the next frame in file time.
        /// - Returns: `false` if the camera must stop.
        mutating func repeatFrame(_ frame: CapturedFrame, after place: Nanoseconds?, until next: Nanoseconds)
            -> Bool
        {
            // Frame times are rounded and vary slightly in some files.
            let last = next - interval / 2
            var time = place.map { $0 + interval } ?? Nanoseconds(next.count % interval.count)
            while time < last {
                guard add(frame, at: time) else { return false }
                time = time + interval
            }
            return true
        }

        /// Reports frames that couldn't be decoded.
        func reportLoss(_ count: Int, at place: Nanoseconds) {
            receive(.lost(count: count, cause: .corrupt, capturedAt: start + place))
        }
    }

    private func dated(_ frame: CapturedFrame, _ time: ClockTime, _ sequence: Int64) -> CapturedFrame {
        CapturedFrame(
            pixel: frame.pixel, size: frame.size, color: frame.color, capturedAt: time,
            sequence: sequence,
            isKey: frame.isKey, memory: frame.memory, planes: frame.planes, isOwned: true)
    }
}

extension FrameReadAheadBuffer.Entry {
    /// Start of the frame in file time.
    fileprivate var place: Nanoseconds { frame.capturedAt - ClockTime(nanoseconds: 0) }
}

/// A read-ahead buffer for a file's frames. Reading each frame separately when it is due would double the
/// cost of reading.
///
/// The buffer is used by only one thread.
struct FrameReadAheadBuffer {
    /// A frame, and the problems found in the file before that frame.
    struct Entry {
        let frame: CapturedFrame
        /// Number of undecodable frames before this frame.
        let damaged: Int
        /// Descriptions of the time stamp jumps before this frame.
        let jumps: [String]
    }

    private let reader: MediaFileReader
    /// Maximum number of frames read per batch.
    private let batchSize: Int
    /// Frames that have been read, in reverse order, so that the next frame is the last element.
    private var frames: [Entry] = []
    /// Error of the last read operation, which is thrown after the frames before it have been returned.
    private var failure: EncodingError?

    /// Number of JPEGs read per batch. A batch covers about a quarter of a second, and takes about 1 MB at
    /// 1080p.
    private static let jpegBatchSize = 8

    /// Opens the video stream of a file.
    ///
    /// - Throws: `EncodingError` if `MediaFileReader` can't open the file.
    init(path: String) throws(EncodingError) {
        reader = try MediaFileReader(path: path, media: .video)
        // Decoded frames are large and take time to decode, so they aren't read ahead.
        batchSize = reader.video?.pixel == .mjpeg ? Self.jpegBatchSize : 1
    }

    /// Returns the next frame, or `nil` at the end of the file.
    ///
    /// - Throws: `EncodingError` if the file can't be read at this position.
    mutating func next() throws(EncodingError) -> Entry? {
        if frames.isEmpty { read() }
        if let frame = frames.popLast() { return frame }
        if let failure { throw failure }
        return nil
    }

    /// Returns the number of undecodable frames at the end of the file. The value is valid after `next` has returned
    /// `nil`.
    func trailingDamageCount() -> Int { reader.drainDamageCount() }

    /// Length of the file. The value is valid after `next` has returned `nil`.
    var end: Nanoseconds { reader.end }

    private mutating func read() {
        guard failure == nil else { return }
        do throws(EncodingError) {
            while frames.count < batchSize, let frame = try reader.nextFrame() {
                frames.append(
                    Entry(frame: frame, damaged: reader.drainDamageCount(), jumps: reader.drainJumps()))
            }
        } catch {
            failure = error
        }
        frames.reverse()
    }
}
