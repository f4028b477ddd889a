internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamPlan
internal import MulticamWriters

/// All outputs of a running session. Use this type only on the timeline's thread.
final class SessionOutputs {
    let disks: [RecordingDisk]
    var writers: [String: MovieWriter]
    /// The feeds of all microphones, including microphones without a track.
    private(set) var microphones: [MicrophoneFeed]
    var cameraTracks: [any CameraTrack] = []
    var program: ProgramTrack?
    var mixEncoder: AudioEncoderWorker?
    /// Audio encoders of the microphone tracks stored as streams of a movie, by track name.
    var audioEncoders: [String: AudioEncoderWorker] = [:]
    /// The thread that measures loudness, if there is audio.
    var meter: LoudnessWorker?
    /// The stream that measures the loudness of the mix.
    var mixLoudness: LoudnessStream?
    /// The mix of the program at T0.
    var mix = ProgramMix()
    var synchronized: [SynchronizedWorker] = []
    var metadata: [MetadataTrack] = []
    /// File and stream of each track in a movie, by track name.
    var places: [String: (file: String, stream: Int)] = [:]
    /// Start times of camera tracks that begin after T0, by name.
    var startTimes: [String: MediaTime] = [:]
    /// End times of camera tracks that end before the recording does, by name.
    var endTimes: [String: MediaTime] = [:]
    /// End times of tracks with a permanently failed encoder, by name.
    var failedEndTimes: [String: MediaTime] = [:]

    init(disks: [RecordingDisk], writers: [String: MovieWriter], microphones: [MicrophoneFeed]) {
        self.disks = disks
        self.writers = writers
        self.microphones = microphones
    }

    /// Adds a track that begins while the recording is running.
    func add(_ track: any CameraTrack, file: String, writer: MovieWriter, from time: MediaTime) {
        cameraTracks.append(track)
        writers[file] = writer
        places[track.name] = (file, 0)
        startTimes[track.name] = time
    }

    /// Adds the feed of a new microphone.
    func add(_ microphone: MicrophoneFeed) { microphones.append(microphone) }

    /// Returns the thread that measures loudness. The thread is created on the first call.
    func meter(waitsForRoom: Bool) -> LoudnessWorker {
        let worker = meter ?? LoudnessWorker(waitsForRoom: waitsForRoom)
        meter = worker
        return worker
    }

    /// The tracks of all microphones, including ended ones.
    var microphoneTracks: [MicrophoneTrack] { microphones.flatMap(\.tracks) }

    /// The WAVE files of the microphones.
    var waves: [WaveWriter] { microphoneTracks.compactMap(\.file) }

    /// Whether a camera's or microphone's track has begun and hasn't ended yet.
    func isOpen(track name: String) -> Bool {
        let isCameras = cameraTracks.contains { $0.name == name }
        return isCameras
            ? endTimes[name] == nil && failedEndTimes[name] == nil
            : microphoneTracks.contains { $0.name == name && $0.end == nil }
    }

    /// Whether a file ends, or has ended, before the end of the recording because its track was stopped.
    func isEnding(file: String) -> Bool { endTimes.keys.contains { places[$0]?.file == file } }

    /// Returns the movie files on one disk, by path relative to the session folder.
    func movies(onDisk index: Int) -> [(path: String, file: MovieFileWriter)] {
        writers.keys.sorted().compactMap { path in writers[path]?.writer(onDisk: index).map { (path, $0) } }
    }

    /// Returns the WAVE files on one disk, by path relative to the session folder.
    func waves(onDisk index: Int) -> [(path: String, file: WaveFileWriter)] {
        waves.compactMap { wave in wave.writer(onDisk: index).map { (wave.relativePath, $0) } }
    }

    /// The audio encoders, with the names of their tracks.
    var namedAudioEncoders: [(name: String, worker: AudioEncoderWorker)] {
        let microphones = audioEncoders.keys.sorted().compactMap { name in
            audioEncoders[name].map { (name: name, worker: $0) }
        }
        return [mixEncoder.map { (name: "program", worker: $0) }].compactMap(\.self) + microphones
    }

    /// The video encoders, with the names of their streams: `program` or a track's name.
    var namedEncoders: [(name: String, worker: VideoEncoderWorker)] {
        let tracks = cameraTracks.compactMap { track in
            (track as? EncodedTrack).map { (name: $0.name, worker: $0.encoder) }
        }
        return tracks + [program.map { (name: "program", worker: $0.encoder) }].compactMap(\.self)
    }

    /// Returns how much captured data isn't in the files yet. A crash would lose this data. A copied stream has no data
    /// to write while its camera doesn't deliver frames.
    ///
    /// - Parameters:
    ///   - now: The current time on the session's clock.
    ///   - start: T0 on the session's clock.
    /// - Returns: The duration of the data, or `nil` while no file is being written.
    func writeLag(at now: ClockTime, since start: ClockTime) -> Nanoseconds? {
        let time = MediaTime(now, since: start)
        func lag(from end: MediaTime, to time: MediaTime) -> Nanoseconds {
            Nanoseconds(max(0, time.nanoseconds - end.nanoseconds))
        }
        let movies = writers.compactMap { path, writer -> Nanoseconds? in
            let tracks = cameraTracks.filter { places[$0.name]?.file == path }
            let isIdle = tracks.contains { $0 is CopiedStreamTrack && $0.input.isAway }
            guard !isIdle, !isEnding(file: path), let end = writer.writer(onDisk: 0)?.writtenEnd else {
                return nil
            }
            let isCopied = !tracks.isEmpty && tracks.allSatisfy { $0 is CopiedStreamTrack }
            let arrival = isCopied ? tracks.compactMap(\.input.lastArrival).max() : nil
            return lag(from: end, to: min(time, arrival.map { MediaTime($0, since: start) } ?? time))
        }
        let waves = microphoneTracks.filter { !$0.hasEnded }.compactMap {
            $0.file?.writer(onDisk: 0)?.writtenEnd.map { lag(from: $0, to: time) }
        }
        return (movies + waves).max()
    }

    /// Current lag of each video encoder that hasn't failed.
    var encoderAges: [QueueAge] {
        // The queue of a failed encoder doesn't indicate how fast the computer is.
        namedEncoders.filter(\.worker.isWorking).map { name, worker in
            QueueAge(
                .encoder(room: worker.queueCapacity), name: name, intervals: Double(worker.queueLength),
                backlog: worker.backlog)
        }
    }

    /// The video encoders of all streams.
    var encoderWorkers: [VideoEncoderWorker] {
        namedEncoders.map(\.worker)
    }
}

/// The caller's taps and synchronized outputs.
struct SessionSinks: Sendable {
    /// The taps, which may be attached and detached while the session is running.
    let taps = TapRegistry()
    /// Outputs that deliver the data of several devices together. The list of synchronized outputs can't be
    /// changed while the session is running.
    let synchronized: [SynchronizedOutput]

    /// Starts the threads that call the handlers. These threads end after `finish` is called.
    ///
    /// - Parameters:
    ///   - codecs: Decodes frames that are requested as pixels.
    ///   - isRealTime: Whether the session clock runs in real time. If `false`, the timeline waits for the
    ///   handlers of audio taps.
    /// - Returns: The threads of the synchronized outputs.
    func start(with codecs: any CodecFactory, isRealTime: Bool) -> [MediaThread] {
        taps.start(with: codecs, waitsForSound: !isRealTime)
        return synchronized.map { $0.start(with: codecs) }
    }

    /// Maximum time to wait for the caller's handlers at the end of a session.
    private static let handlerTimeLimit = Nanoseconds.seconds(10)

    /// Ends all taps and synchronized outputs, and waits for their handlers, with a real-time clock at most 10 s. After
    /// this call, data is only delivered to handlers that are named in a warning.
    ///
    /// - Parameters:
    ///   - threads: The threads returned by `start`.
    ///   - isRealTime: Whether the session clock runs in real time. In simulated time, handlers may need longer than the
    ///     recording.
    /// - Returns: A warning for each role whose handler hasn't returned.
    func finish(_ threads: [MediaThread], isRealTime: Bool) -> [String] {
        let limit = isRealTime ? Self.handlerTimeLimit : .seconds(100_000)
        let deadline = MonotonicClock().now + limit
        for output in synchronized { output.finish() }
        let taps = taps.finish(until: deadline).map { "a tap on `\($0)`" }
        let outputs = zip(synchronized, threads).compactMap { output, thread in
            thread.join(until: deadline)
                ? nil : "the synchronized output of `\(output.roles.joined(separator: "`, `"))`"
        }
        return (taps + outputs).map {
            "the handler of \($0) has not returned within 10 s. The session ends without waiting for it."
        }
    }

    /// Whether a synchronized output requires a camera's frames as pixels.
    func convertsAtTicks(_ role: String) -> Bool {
        synchronized.contains { $0.format != .asCaptured && $0.roles.contains(role) }
    }
}
