import Encoding
public import Media

/// A microphone that plays the audio of a media file at the file's own speed.
///
/// Until the recording begins it delivers silence. From T0 on, the sample with file time p has the capture time T0 + p.
public final class FileMicrophone: MicrophoneSource {
    /// Identity, selector and audio format of this file.
    public let device: CaptureDevice
    /// Sample rate in Hz and channel count of the file's audio stream.
    public let format: AudioFormat
    /// Duration of one slice, 100 ms, and 35 ms for a thread that comes late: where a program is given a quarter of a processor, threads wait
    /// for 75 ms at times.
    public let deliveryDelay: Nanoseconds
    private let path: String
    private let thread: SourceThread

    /// Duration of the audio that is delivered at once. Shorter slices wake the thread more often; longer ones make the alignment
    /// delay longer.
    private static let slice = Nanoseconds.milliseconds(100)

    /// Opens the file to read its audio format; samples are not read before `start`.
    ///
    /// - Parameters:
    ///   - role: The role in the profile; names the thread.
    ///   - path: Path of the media file.
    /// - Throws: `VirtualDeviceError.device` when the file is missing, cannot be read or holds no audio.
    public init(role: String, path: String) throws(VirtualDeviceError) {
        let selector = VirtualSources.filePrefix + path
        let file = try ReadableFile(path, asked: selector, operation: "opening the file")
        format = try file.read { () throws(EncodingError) in
            guard let format = try MediaFileReader(path: path, media: .audio).audio else {
                throw EncodingError(subject: path, operation: "reading", reason: "there is no audio in it")
            }
            return format
        }
        self.path = path
        deliveryDelay = Self.slice + .milliseconds(35)
        thread = SourceThread(name: "mic:\(role)")
        device = CaptureDevice(
            mediaType: .audio, deviceType: .file, identity: DeviceIdentity(name: selector),
            name: VirtualSources.fileName(path), node: path, selector: selector, audio: format)
    }

    /// Starts the thread that plays the file. Returns at once; audio follows on that thread.
    ///
    /// - Parameters:
    ///   - clock: The session clock that the samples are timed by.
    ///   - receive: Called on the microphone's thread for each event. `ended` is the last one, at the end of the file
    ///     or on an error.
    /// - Throws: Nothing; a file that can no longer be read ends the stream with `ended`.
    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
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

    /// Stops the thread and waits for its end; no event follows. Must not be called from the microphone's own thread.
    public func stop() {
        thread.stop()
    }

    /// Processor time that the microphone's threads have used for reading and decoding.
    public var simulationTime: Nanoseconds { thread.processorTime }

    // MARK: On its thread

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @Sendable (MicrophoneEvent) -> Void
    ) throws(EncodingError) {
        let reader = try MediaFileReader(path: path, media: .audio)
        let timebase = DeviceTimebase(
            rate: FrameRate(Int64(format.rate)), phase: Nanoseconds(clock.now.nanoseconds))
        let length = max(1, MediaTime(nanoseconds: Self.slice.count).ticks(perSecond: Int64(format.rate)))
        var count: Int64 = 0
        while true {
            let time = timebase.time(of: count)
            let end = thread.recordingStart.map {
                max(min(timebase.index(atOrAfter: $0), count + length), count)
            }
            guard clock.sleep(until: timebase.time(of: end ?? count + length), unless: cancellation) else {
                return
            }
            let start = thread.recordingStart
            // Samples from T0 on are the file's, even when T0 became known only during the sleep.
            let last =
                start.map { min(max(timebase.index(atOrAfter: $0), count), count + length) } ?? count + length
            if last > count {
                let silence = [Float](repeating: 0, count: Int(last - count) * format.channels)
                receive(
                    .audio(
                        CapturedAudio(format: format, capturedAt: time, firstSample: count, samples: silence))
                )
                count = last
            }
            guard let start, timebase.time(of: count) >= start else { continue }
            try play(
                reader, from: start, counting: count, on: clock, until: cancellation, delivering: receive)
            return
        }
    }

    /// Plays the file to its end in slices; each slice is delivered when its last sample is due.
    private func play(
        _ reader: MediaFileReader, from start: ClockTime, counting first: Int64, on clock: any SessionClock,
        until cancellation: Cancellation, delivering receive: @Sendable (MicrophoneEvent) -> Void
    ) throws(EncodingError) {
        let timebase = DeviceTimebase(rate: FrameRate(Int64(format.rate)))
        let length = max(1, MediaTime(nanoseconds: Self.slice.count).ticks(perSecond: Int64(format.rate)))
        // Samples that wait for their slice to be whole, and the place of the first of them in the file.
        var (waiting, place): ([Float], Int64) = ([], 0)
        var end = start
        /// Delivers so many of the samples that wait; `false` when the microphone is to stop.
        func deliver(_ count: Int64) -> Bool {
            let samples = Array(waiting.prefix(Int(count) * format.channels))
            waiting.removeFirst(samples.count)
            let begin = place
            place += count
            end = start + Nanoseconds(timebase.time(of: place).nanoseconds)
            guard clock.sleep(until: end, unless: cancellation) else { return false }
            receive(
                .audio(
                    CapturedAudio(
                        format: format, capturedAt: start + Nanoseconds(timebase.time(of: begin).nanoseconds),
                        firstSample: first + begin, samples: samples)))
            return true
        }
        /// Delivers what waits; `false` when the microphone is to stop.
        func deliverRest() -> Bool {
            let rest = Int64(waiting.count / format.channels)
            return rest == 0 || deliver(rest)
        }
        var times = FileTimes()
        while true {
            let part: (samples: [Float], time: Nanoseconds)?
            do throws(EncodingError) {
                part = try reader.nextAudio()
            } catch {
                guard deliverRest() else { return }
                throw error
            }
            guard let (samples, time) = part else { break }
            if let problem = times.problem(at: time) {
                guard deliverRest() else { return }
                return receive(.ended(at: end, cause: problem))
            }
            // Where the file leaves a gap, so does the microphone.
            let next = MediaTime(nanoseconds: time.count).ticks(perSecond: Int64(format.rate))
            let count = Int64(waiting.count / format.channels)
            if next != place + count {
                guard deliverRest() else { return }
                place = next
            }
            waiting += samples
            while waiting.count >= Int(length) * format.channels {
                guard deliver(length) else { return }
            }
            thread.noteProcessorTime()
        }
        guard deliverRest() else { return }
        receive(.ended(at: end, cause: "end of file"))
    }
}
