import MulticamEncoding
package import MulticamMedia

/// A microphone that plays the audio of a media file in real time.
///
/// The microphone delivers silence until the recording begins. From T0 on, the sample with file time p has
/// the capture time T0 + p. File times are relative to the beginning of the file's earliest stream, so the
/// offset between video and audio is preserved. Gaps in the file's audio are played as silence, as in a media
/// player. Audio that can't be decoded is reported as lost.
package final class FileMicrophone: DetailedMicrophoneSource {
    /// Description of the file as a device: its identity, selector, and audio format.
    package let device: CaptureDevice
    /// Sample rate in Hz and channel count of the file's audio stream.
    package let format: AudioFormat
    /// Duration of one slice (100 ms), plus 35 ms of tolerance for a late thread. If the program is limited to a
    /// quarter of a processor, its threads sometimes wait for 75 ms.
    package let deliveryDelay: Nanoseconds
    private let path: String
    private let thread: SourceThread

    /// Duration of the audio that is delivered at once. Shorter slices wake the thread more often; longer slices
    /// increase the alignment delay.
    private static let slice = Nanoseconds.milliseconds(100)

    /// Opens the file to read its audio format. No samples are read before `start`.
    ///
    /// - Parameters:
    ///   - role: The role in the profile, which is also the name of the thread.
    ///   - path: Path of the media file.
    /// - Throws: `VirtualDeviceError.device` if the file is missing, can't be read, or contains no audio.
    package init(role: String, path: String) throws(VirtualDeviceError) {
        let selector = VirtualSources.filePrefix + path
        let file = try SelectorFile(path, selector: selector, operation: "opening the file")
        format = try file.read { () throws(EncodingError) in
            guard let format = try MediaFileReader(path: path, media: .audio).audio else {
                throw EncodingError(
                    subject: path, operation: "reading", reason: "the file does not contain audio")
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

    /// Starts the thread that plays the file. Returns immediately; the audio arrives on that thread.
    ///
    /// - Parameters:
    ///   - clock: The session clock that times the samples.
    ///   - receive: Called on the microphone's thread for each event. `ended` is the last event, sent at the end of the
    ///     file or on an error.
    /// - Throws: If the file can no longer be read, no error is thrown, but the stream ends with `ended`.
    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
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

    /// Stops the thread and waits until it has ended. After this call, no more events are sent. This method must not be
    /// called from the microphone's own thread.
    package func stop() {
        thread.stop()
    }

    /// CPU time that the microphone's threads have used for reading and decoding.
    package var simulationTime: Nanoseconds { thread.processorTime }

    // MARK: Playback thread

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
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
            // Samples from T0 on are read from the file, even if T0 was set during the sleep.
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

    /// Plays the file to its end in slices. Each slice is delivered when its last sample is due.
    private func play(
        _ reader: MediaFileReader, from start: ClockTime, counting first: Int64, on clock: any SessionClock,
        until cancellation: Cancellation, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(EncodingError) {
        var playback = Playback(
            format: format, clock: clock, start: start, firstSample: first, cancellation: cancellation,
            receive: receive)
        // In many files, time stamps are rounded to milliseconds although the samples are contiguous.
        let rounding = playback.samples(in: reader.tick) + 1
        var times = FileTimestampValidator()
        while true {
            let part: (samples: [Float], time: Nanoseconds)?
            do throws(EncodingError) {
                part = try reader.nextAudio()
            } catch {
                guard playback.deliverRest() else { return }
                throw error
            }
            let damaged = reader.drainDamageCount() > 0
            guard let (samples, time) = part else {
                if !damaged { guard playback.fill(until: playback.samples(in: reader.end)) else { return } }
                break
            }
            if let problem = times.check(time) {
                guard playback.deliverRest() else { return }
                return receive(.ended(at: playback.end, cause: problem))
            }
            for jump in reader.drainJumps() {
                receive(.notice(at: start + time, "\(jump). The microphone continues without a gap."))
            }
            let hole = playback.samples(in: time) - playback.next
            if hole > rounding {
                if damaged {
                    guard playback.skip(hole) else { return }
                } else {
                    guard playback.fill(until: playback.next + hole) else { return }
                }
            }
            // Audio that a packet repeats from the previous packet is played only once.
            let excess = hole < -rounding ? min(-hole * Int64(format.channels), Int64(samples.count)) : 0
            guard playback.add(samples.dropFirst(Int(excess))) else { return }
            thread.recordProcessorTime()
        }
        guard playback.deliverRest() else { return }
        receive(.ended(at: playback.end, cause: "end of file"))
    }

    /// Delivers the samples of the file in slices when they are due.
    private struct Playback {
        private let format: AudioFormat
        private let clock: any SessionClock
        private let start: ClockTime
        private let firstSample: Int64
        private let cancellation: Cancellation
        private let receive: @Sendable (MicrophoneEvent) -> Void
        private let timebase: DeviceTimebase
        /// Number of samples per slice.
        private let length: Int64
        /// Samples of the incomplete slice, and the file position of the first sample.
        private var (waiting, place): ([Float], Int64) = ([], 0)

        /// `start` is T0, the time when playback of the file begins. `firstSample` is the device's sample
        /// number of the first sample at or after T0.
        init(
            format: AudioFormat, clock: any SessionClock, start: ClockTime, firstSample: Int64,
            cancellation: Cancellation, receive: @escaping @Sendable (MicrophoneEvent) -> Void
        ) {
            self.format = format
            self.clock = clock
            self.start = start
            self.firstSample = firstSample
            self.cancellation = cancellation
            self.receive = receive
            timebase = DeviceTimebase(rate: FrameRate(Int64(format.rate)))
            length = max(
                1, MediaTime(nanoseconds: FileMicrophone.slice.count).ticks(perSecond: Int64(format.rate)))
        }

        /// End time of the last delivered sample.
        var end: ClockTime { time(ofSample: place) }

        /// File position of the next sample to be added.
        var next: Int64 { place + Int64(waiting.count / format.channels) }

        /// Returns the number of samples in a time span.
        func samples(in time: Nanoseconds) -> Int64 {
            MediaTime(nanoseconds: time.count).ticks(perSecond: Int64(format.rate))
        }

        private func time(ofSample place: Int64) -> ClockTime {
            start + Nanoseconds(timebase.time(of: place).nanoseconds)
        }

        /// Adds samples and delivers complete slices. Returns `false` if the microphone must stop.
        mutating func add(_ samples: ArraySlice<Float>) -> Bool {
            waiting += samples
            while waiting.count >= Int(length) * format.channels {
                guard deliver(length) else { return false }
            }
            return true
        }

        /// Adds silence up to a file position. Returns `false` if the microphone must stop.
        mutating func fill(until place: Int64) -> Bool {
            while next < place {
                let count = Int(min(place - next, length)) * format.channels
                guard add([Float](repeating: 0, count: count)[...]) else { return false }
            }
            return true
        }

        /// Reports undecodable samples as lost. Returns `false` if the microphone must stop.
        mutating func skip(_ count: Int64) -> Bool {
            guard deliverRest() else { return false }
            receive(.lost(count: count, cause: .corrupt, capturedAt: end))
            place += count
            return true
        }

        /// Delivers the remaining samples. Returns `false` if the microphone must stop.
        mutating func deliverRest() -> Bool {
            let rest = Int64(waiting.count / format.channels)
            return rest == 0 || deliver(rest)
        }

        /// Delivers the given number of waiting samples. Returns `false` if the microphone must stop.
        private mutating func deliver(_ count: Int64) -> Bool {
            let samples = Array(waiting.prefix(Int(count) * format.channels))
            waiting.removeFirst(samples.count)
            let begin = place
            place += count
            guard clock.sleep(until: end, unless: cancellation) else { return false }
            receive(
                .audio(
                    CapturedAudio(
                        format: format, capturedAt: time(ofSample: begin), firstSample: firstSample + begin,
                        samples: samples)))
            return true
        }
    }
}
