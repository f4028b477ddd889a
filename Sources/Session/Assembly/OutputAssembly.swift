internal import MulticamContainers
internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSessionFolder
internal import MulticamSystem
internal import MulticamTiming
internal import MulticamWriters

/// Creates the encoders, files, and tracks of a plan in two steps. The first step creates encoders and files, which
/// takes time and may fail. The second step runs when T0 is known, and creates the tracks that feed the encoders and
/// files.
struct OutputAssembly {
    let plan: SessionPlan
    let inputs: SessionInputs
    let disks: [RecordingDisk]
    let codecs: any CodecFactory
    let clock: any SessionClock
    let sinks: SessionSinks
    /// Hardware encoders already created by `makeHardwareEncoders`, by stream name.
    let prepared: [String: Carried<any VideoEncoding>]

    /// Creates the hardware encoders before the devices start to stream, since opening an encoder may take a
    /// second.
    ///
    /// - Returns: The encoders by stream name, which is `program` or a role.
    /// - Throws: `RecordingError` when a hardware encoder required by the profile fails to open, or when no
    ///   encoder is available.
    static func makeHardwareEncoders(
        of plan: SessionPlan, _ inputs: SessionInputs, _ codecs: any CodecFactory
    ) throws(RecordingError) -> [String: Carried<any VideoEncoding>] {
        var made: [String: Carried<any VideoEncoding>] = [:]
        for (owner, planned) in plan.encoders {
            guard let hardware = planned.hardware else { continue }
            var settings = planned
            if let input = inputs.cameras.first(where: { $0.role == owner }) {
                settings.color = input.source.color
            }
            do throws(EncodingError) {
                made[owner] = Carried(try codecs.makeVideoEncoder(settings, name: owner))
            } catch {
                guard settings.isHardwareRequired else { throw .encoding(error) }
                throw .device(
                    DeviceError(
                        device: hardware.name, operation: "encoding \(owner)",
                        reason: .other(
                            "\(error.reason.printable(limit: 1000)). "
                                + onCommandLine(
                                    "Test the encoder with `multicam calibrate --machine`, or set `encoder: auto` in the profile to fall back to x264.",
                                    otherwise: "Set `encoder: auto` in the profile to fall back to x264."))))
            }
        }
        return made
    }

    /// The encoders and files that are created before T0 is known.
    struct Prepared {
        fileprivate var resamplers: [Carried<any Resampling>] = []
        /// The resamplers of the voice sources.
        fileprivate var voiceResamplers: [Carried<any Resampling>] = []
        fileprivate var waves: [String: WaveWriter] = [:]
        /// The loudness meters of the microphones.
        fileprivate var meters: [Carried<any LoudnessMetering>] = []
        /// The loudness meter of the mix, or `nil` without a mix.
        fileprivate var mixMeter: Carried<any LoudnessMetering>?
        fileprivate var movies: [String: MovieWriter] = [:]
        fileprivate var streams: [PlannedStream] = []
        fileprivate var metadata: [String: [(disk: Int, file: MetadataFile)]] = [:]

        /// Closes the files of a recording that can't begin.
        func abandon() {
            for movie in movies.values { movie.abandon() }
            for wave in waves.values { wave.abandon() }
            for file in metadata.values.joined().map(\.file) {
                file.finish()
                file.join()
            }
        }
    }

    /// Creates encoders and files. When this method returns, the files on the recording's own disk exist.
    ///
    /// - Throws: `RecordingError` when an encoder, or a file on the recording's own disk, can't be created.
    ///   After an error, all threads have ended.
    func prepare() throws(RecordingError) -> Prepared {
        let files = plan.fileCount + plan.cameras.count { $0.metadataFile != nil }
        try Self.checkThreads(files: files * disks.count, encoders: plan.encoders.count)
        var prepared = Prepared()
        let now = clock.date(of: clock.now)
        do {
            for input in inputs.microphones {
                let format = AudioFormat(rate: input.source.format.rate, channels: input.channels)
                prepared.resamplers.append(
                    Carried(try codecs.makeResampler(from: format, name: input.role)))
                prepared.meters.append(
                    Carried(try codecs.makeLoudnessMeter(channels: input.channels, name: input.role)))
                guard let track = waveTrack(of: input.role) else { continue }
                prepared.waves[input.role] = try WaveWriter(
                    disks.filter { $0.includesFile(isProgram: false) }, relativePath: track.file,
                    channels: input.channels, startedAt: now)
            }
            for voice in inputs.voices {
                let format = AudioFormat(rate: voice.source.format.rate, channels: voice.channels)
                prepared.voiceResamplers.append(
                    Carried(try codecs.makeResampler(from: format, name: voice.role)))
            }
            prepared.streams = try planStreams()
            if plan.program?.mix.isEmpty == false {
                prepared.mixMeter = Carried(
                    try codecs.makeLoudnessMeter(channels: AudioGrid.mixChannels, name: "program"))
                try codecs.prepareSoundFilters(of: plan.mix)
            }
            for file in prepared.streams.map(\.file) where prepared.movies[file] == nil && !disks.isEmpty {
                let tracks = prepared.streams.filter { $0.file == file }.map(\.track)
                let isProgram = file == plan.program?.file
                prepared.movies[file] = try MovieWriter(
                    disks.filter { $0.includesFile(isProgram: isProgram) }, relativePath: file,
                    streams: tracks,
                    startedAt: now)
            }
            prepared.metadata = try makeMetadataFiles()
            return prepared
        } catch {
            prepared.abandon()
            throw Self.recordingError(error)
        }
    }

    /// Checks whether the system can currently create the threads for files and encoders. Codec libraries may
    /// hang if they can't create one of their threads, and such a failure can't be reported later.
    static func checkThreads(files: Int, encoders: Int) throws(RecordingError) {
        do throws(ThreadError) {
            try MediaThread.checkAvailability(
                of: files * threadsPerFile + encoders * threadsPerEncoder + otherThreads, for: "recording")
        } catch {
            throw .thread(error)
        }
    }

    /// One thread writes the file; the other thread syncs the file to disk.
    private static let threadsPerFile = 2
    /// The worker thread, two x264 threads, and the x264 lookahead thread.
    private static let threadsPerEncoder = 4
    /// Threads that measure loudness, monitor system pressure, and end the recording.
    private static let otherThreads = 4

    /// Creates the tracks. This method is fast enough to run just before T0.
    ///
    /// - Parameters:
    ///   - prepared: The encoders and files, of which this call takes ownership.
    ///   - start: T0, the start time of the recording.
    /// - Returns: The outputs that the timeline supplies with data.
    func makeOutputs(_ prepared: Prepared, start: ClockTime) -> SessionOutputs {
        let date = clock.date(of: start)
        for wave in prepared.waves.values { wave.begin(startedAt: date) }
        for movie in prepared.movies.values { movie.begin(startedAt: date) }
        let microphones = makeMicrophones(prepared, start: start)
        let outputs = assemble(prepared, microphones: microphones, start: start)
        if let meter = prepared.mixMeter {
            outputs.mixLoudness = LoudnessStream(
                outputs.meter(waitsForRoom: !clock.isRealTime), meter, channels: AudioGrid.mixChannels)
        }
        beginMicrophones(outputs, prepared)
        outputs.synchronized = makeSynchronizedLanes(microphones, start: start)
        outputs.metadata = makeMetadataTracks(prepared.metadata, start: start)
        return outputs
    }

    /// Starts measuring the loudness of all microphones, and begins the planned microphone tracks.
    private func beginMicrophones(_ outputs: SessionOutputs, _ prepared: Prepared) {
        for (microphone, meter) in zip(outputs.microphones, prepared.meters) {
            let loudness = LoudnessStream(
                outputs.meter(waitsForRoom: !clock.isRealTime), meter, channels: microphone.channels)
            guard let planned = plan.microphoneTracks.first(where: { $0.role == microphone.role }) else {
                microphone.measure(with: loudness)
                continue
            }
            microphone.add(
                MicrophoneTrack(
                    planned, channels: microphone.channels, file: prepared.waves[microphone.role],
                    encoder: outputs.audioEncoders[planned.name], loudness: loudness))
        }
    }

    private static func recordingError(_ error: any Error) -> RecordingError {
        switch error {
        case let error as FileError: .file(error)
        case let error as EncodingError: .encoding(error)
        default: preconditionFailure("unexpected error when creating the outputs: \(error)")
        }
    }

    /// One stream of a planned file, with its encoder.
    fileprivate final class PlannedStream {
        /// The source of a stream, with the data that the stream's track requires.
        enum Content {
            case copied(CameraInput, PlannedCameraTrack)
            case encoded(CameraInput, PlannedCameraTrack, Carried<any VideoEncoding>)
            case program(PlannedProgram, Carried<any VideoEncoding>)
            case mixedAudio(AudioEncoder)
            case microphone(name: String, AudioEncoder)
        }

        let file: String
        let track: MovieTrack
        let content: Content

        init(file: String, track: MovieTrack, content: Content) {
            self.file = file
            self.track = track
            self.content = content
        }
    }

    private func input(_ role: String) -> CameraInput {
        guard let input = inputs.cameras.first(where: { $0.role == role }) else {
            preconditionFailure("the plan uses the camera `\(role)`, which is not an input of the session")
        }
        return input
    }

    private func waveTrack(of role: String) -> PlannedMicrophoneTrack? {
        plan.microphoneTracks.first { $0.role == role && $0.isWave }
    }

    private func makeMicrophones(_ prepared: Prepared, start: ClockTime) -> [MicrophoneFeed] {
        let voices = zip(inputs.voices, prepared.voiceResamplers).map { input, resampler in
            MicrophoneFeed(input: input, resampler: resampler.value, start: start)
        }
        return zip(inputs.microphones, prepared.resamplers).map { input, resampler in
            let microphone = MicrophoneFeed(
                input: input, resampler: resampler.value, start: start,
                taps: sinks.taps)
            microphone.voice = voices.first { $0.role == input.role }
            return microphone
        }
    }

    private func planStreams() throws -> [PlannedStream] {
        var streams: [PlannedStream] = []
        if let program = plan.program {
            let encoder = try makeVideoEncoder(program.settings, SessionPlan.programOwner)
            let parameters = encoder.value.parameters
            streams.append(
                PlannedStream(
                    file: program.file, track: .video(parameters, rotation: .none, name: "program"),
                    content: .program(program, encoder)))
            if !program.mix.isEmpty {
                let audio = try makeAudioEncoder(
                    channels: AudioGrid.mixChannels, bitrate: program.audioBitrate, name: "program")
                let parameters = audio.first.value.parameters
                streams.append(
                    PlannedStream(
                        file: program.file, track: .audio(parameters, name: "program"),
                        content: .mixedAudio(audio)))
            }
        }
        for track in plan.cameraTracks { streams.append(try makeStream(of: track)) }
        for microphone in inputs.microphones {
            let planned = plan.microphoneTracks.first {
                $0.role == microphone.role && !$0.isWave
            }
            guard let planned else { continue }
            let audio = try makeAudioEncoder(
                channels: microphone.channels, bitrate: 192_000, name: microphone.role)
            let parameters = audio.first.value.parameters
            streams.append(
                PlannedStream(
                    file: planned.file, track: .audio(parameters, name: microphone.role),
                    content: .microphone(name: planned.name, audio)))
        }
        return streams
    }

    private func makeStream(of track: PlannedCameraTrack) throws -> PlannedStream {
        let input = input(track.role)
        let file = track.file
        guard track.mode == .encode else {
            var parameters = try copiedParameters(of: input, track: track)
            parameters.pixelAspect = track.pixelAspect
            return PlannedStream(
                file: file, track: .video(parameters, rotation: track.rotation, name: track.role),
                content: .copied(input, track))
        }
        var settings = track.settings
        settings.color = input.source.color
        let encoder = try makeVideoEncoder(settings, track.role)
        var parameters = encoder.value.parameters
        parameters.pixelAspect = track.pixelAspect
        return PlannedStream(
            file: file, track: .video(parameters, rotation: track.rotation, name: track.role),
            content: .encoded(input, track, encoder))
    }

    private func makeVideoEncoder(
        _ settings: VideoEncodingSettings, _ owner: String
    ) throws(EncodingError) -> Carried<any VideoEncoding> {
        if let made = prepared[owner] { return made }
        return Carried(try codecs.makeVideoEncoder(settings, name: owner))
    }

    private func copiedParameters(
        of input: CameraInput, track: PlannedCameraTrack
    ) throws(EncodingError) -> StreamParameters {
        let format = input.source.format
        guard format.pixel == .h264 else {
            return StreamParameters(
                codec: .mjpeg, timeScale: track.rate.frames, size: format.size, rate: track.rate,
                color: input.source.color)
        }
        guard let key = input.latestKey else {
            throw EncodingError(
                subject: track.role, operation: "copying the stream",
                reason: "the camera sent no key frame; reconnect it, or set `format: mjpeg`")
        }
        let setup = withExtendedLifetime(key) { Array(key.memory.bytes) }
        return StreamParameters(
            codec: .h264, timeScale: StreamParameters.captureTimeScale, setup: setup, size: format.size,
            rate: track.rate,
            color: input.source.color)
    }

    private func assemble(
        _ prepared: Prepared, microphones: [MicrophoneFeed], start: ClockTime
    ) -> SessionOutputs {
        let (streams, writers) = (prepared.streams, prepared.movies)
        let outputs = SessionOutputs(disks: disks, writers: writers, microphones: microphones)
        for (index, stream) in streams.enumerated() {
            let place = streams[..<index].filter { $0.file == stream.file }.count
            let listener = makePacketListener(of: stream, since: start)
            let cover = makeCover(of: stream)
            let sink =
                writers[stream.file].map { writer in
                    TrackSink(
                        writer: writer, stream: place, listener: listener,
                        ending: cover.map { makeCoverWriter(of: writer, with: $0) })
                }
                ?? TrackSink(named: stream.track.trackName) { listener?($0) }
            switch stream.content {
            case .copied(let input, let track):
                outputs.cameraTracks.append(makeCopiedTrack(input, track, sink, start: start))
            case .encoded(let input, let track, let encoder):
                var settings = track.settings
                settings.color = input.source.color
                let worker = makeEncoderWorker("enc:\(track.role)", encoder, settings, of: track.role, sink)
                outputs.cameraTracks.append(
                    EncodedTrack(
                        aligner: makeAligner(input, track.role, track.rate, start), rate: track.rate,
                        place: track.layer, caption: makeCaption(of: input, track), encoder: worker))
            case .program(let program, let encoder):
                let aligners = inputs.cameras.filter(\.hasPixels).map {
                    makeAligner($0, "program", program.settings.rate, start)
                }
                outputs.program = ProgramTrack(
                    rate: program.settings.rate, aligners: aligners,
                    layers: program.layers(since: start),
                    encoder: makeEncoderWorker(
                        "program", encoder, program.settings, of: SessionPlan.programOwner, sink,
                        watching: Self.makeFrameObserver(
                            for: sinks.taps, cover: cover, since: start, rate: program.settings.rate)))
            case .mixedAudio(let encoder):
                outputs.mixEncoder = encoder.makeWorker(to: sink)
            case .microphone(let name, let encoder):
                outputs.audioEncoders[name] = encoder.makeWorker(to: sink)
            }
            outputs.places[stream.track.trackName] = (stream.file, place)
        }
        outputs.mix = plan.mix
        return outputs
    }

    /// The first audio encoder of a stream, and a function that creates an identical one.
    fileprivate struct AudioEncoder {
        let first: Carried<any AudioEncoding>
        let make: RestartingAudioEncoder.EncoderFactory

        func makeWorker(to sink: TrackSink) -> AudioEncoderWorker {
            AudioEncoderWorker(encoder: first.value, making: make, to: sink)
        }
    }

    private func makeAudioEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> AudioEncoder {
        let codecs = codecs
        let make: RestartingAudioEncoder.EncoderFactory = { () throws(EncodingError) in
            Carried(try codecs.makeAudioEncoder(channels: channels, bitrate: bitrate, name: name))
        }
        return AudioEncoder(first: try make(), make: make)
    }

    private func makeCopiedTrack(
        _ input: CameraInput, _ track: PlannedCameraTrack, _ sink: TrackSink, start: ClockTime
    ) -> any CameraTrack {
        if input.source.format.pixel == .h264 {
            return CopiedStreamTrack(
                input: input, name: track.role, start: start, rate: track.rate, sink: sink)
        }
        return CopiedTrack(
            aligner: makeAligner(input, track.role, track.rate, start), rate: track.rate,
            size: input.source.format.size, caption: makeCaption(of: input, track), sink: sink,
            codecs: codecs)
    }

    private func makeCaption(of input: CameraInput, _ track: PlannedCameraTrack) -> SlateCaption {
        SlateCaption(role: track.role, device: input.source.device.name, rotation: track.rotation)
    }

    private func makeAligner(
        _ input: CameraInput, _ track: String, _ rate: FrameRate, _ start: ClockTime
    ) -> GridAligner {
        GridAligner(input: input, track: track, start: start, rate: rate)
    }

    /// Returns a function that delivers the program's composed frames to the taps that request them.
    ///
    /// - Parameters:
    ///   - taps: The session's taps.
    ///   - cover: The cover image builder, which also receives some of the frames. The value is `nil` if the recording
    ///   has no cover image.
    ///   - start: Time of tick 0.
    ///   - rate: Rate of the program's grid.
    /// - Returns: The function, which the encoder's worker calls for composed frames.
    static func makeFrameObserver(
        for taps: TapRegistry, cover: ProgramCover? = nil, since start: ClockTime, rate: FrameRate
    ) -> VideoEncoderWorker.FrameObserver {
        { encoder, tick in
            let isForTaps = taps.wantsProgramFrames
            let isForCover = cover?.needsFrame(at: tick) ?? false
            guard isForTaps || isForCover else { return }
            let time = start + Nanoseconds(rate.time(ofTick: tick).nanoseconds)
            guard let frame = encoder.composedFrame(at: time, sequence: tick) else { return }
            if isForCover { cover?.store(frame, at: tick) }
            if isForTaps { taps.forward(frame, of: TapRegistry.program) }
        }
    }

    /// Returns a function that adds the cover image to the program's file at the end of its stream.
    private func makeCoverWriter(of writer: MovieWriter, with cover: ProgramCover) -> @Sendable () -> Void {
        { [codecs = codecs] in
            if let jpeg = cover.makeJPEG(by: codecs) { writer.setCover(jpeg) }
        }
    }

    /// Returns the cover image builder of the program if the recording has a title. Returns `nil` if the
    /// recording has no title, or if the stream isn't the program.
    private func makeCover(of stream: PlannedStream) -> ProgramCover? {
        guard case .program(let program, _) = stream.content, plan.editing?.title != nil else { return nil }
        return ProgramCover(rate: program.settings.rate)
    }

    /// Returns a function that delivers the program's packets to the taps that request them; `nil` for other streams.
    private func makePacketListener(
        of stream: PlannedStream, since start: ClockTime
    ) -> (@Sendable (EncodedPacket) -> Void)? {
        let parameters: StreamParameters
        switch stream.content {
        case .program(_, let encoder): parameters = encoder.value.parameters
        case .mixedAudio(let encoder): parameters = encoder.first.value.parameters
        case .copied, .encoded, .microphone: return nil
        }
        return { [taps = sinks.taps] packet in
            taps.forward(packet, parameters: parameters, since: start)
        }
    }

    private func makeEncoderWorker(
        _ name: String, _ encoder: Carried<any VideoEncoding>, _ settings: VideoEncodingSettings,
        of owner: String, _ sink: TrackSink, watching: VideoEncoderWorker.FrameObserver? = nil
    ) -> VideoEncoderWorker {
        VideoEncoderWorker(
            name: name, encoder: encoder.value,
            another: VideoEncoderWorker.makeEncoderFactory(settings, named: owner, by: codecs), to: sink,
            watching: watching, waitsForRoom: !clock.isRealTime)
    }
}

extension OutputAssembly {
    /// Creates the worker of each synchronized output.
    func makeSynchronizedLanes(_ microphones: [MicrophoneFeed], start: ClockTime) -> [SynchronizedWorker] {
        sinks.synchronized.map { output in
            SynchronizedWorker(output, inputs: inputs.cameras, microphones: microphones, start: start)
        }
    }

    /// Creates the metadata files of each camera, by role, one in each folder. Metadata files in the backup
    /// are created asynchronously, on their own threads.
    func makeMetadataFiles() throws(FileError) -> [String: [(disk: Int, file: MetadataFile)]] {
        var files: [String: [(disk: Int, file: MetadataFile)]] = [:]
        do throws(FileError) {
            for camera in plan.cameras {
                guard let name = camera.metadataFile else { continue }
                for disk in disks where disk.includesFile(isProgram: false) {
                    let file =
                        disk.isBackup
                        ? disk.laterMetadataFile(named: name, of: camera.role)
                        : try disk.metadataFile(named: name, of: camera.role)
                    files[camera.role, default: []].append((disk.index, file))
                }
            }
        } catch {
            for place in files.values.joined() {
                place.file.finish()
                place.file.join()
            }
            throw error
        }
        return files
    }

    /// Creates a metadata track for each camera, since a metadata tap may be attached to any camera later.
    func makeMetadataTracks(
        _ files: [String: [(disk: Int, file: MetadataFile)]], start: ClockTime
    ) -> [MetadataTrack] {
        inputs.cameras.map { input in
            MetadataTrack(input: input, start: start, taps: sinks.taps, files: files[input.role] ?? [])
        }
    }
}

extension RecordingDisk {
    /// Creates a camera's metadata file in the disk's folder.
    ///
    /// - Throws: `FileError` when the file can't be created.
    func metadataFile(named name: String, of role: String) throws(FileError) -> MetadataFile {
        MetadataFile(try LineFile(creating: try folder.file(name)), role: role, waitsForRoom: waitsForRoom)
    }

    /// Creates a camera's metadata file asynchronously, on the file's own thread. A failure affects only this
    /// file.
    func laterMetadataFile(named name: String, of role: String) -> MetadataFile {
        let folder = folder
        return MetadataFile(role: role, waitsForRoom: waitsForRoom) { () throws(FileError) in
            try LineFile(creating: try folder.file(name))
        }
    }
}
