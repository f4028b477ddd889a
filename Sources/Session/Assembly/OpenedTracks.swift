internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamSystem
internal import MulticamWriters

/// The file and encoder of a camera track that begins while the recording is running. A copied track doesn't have an
/// encoder.
struct OpenedTrack: Sendable {
    let planned: PlannedCameraTrack
    let input: CameraInput
    private let writer: MovieWriter
    private let fileLocations: [ContainedFile]
    private let encoder: Carried<any VideoEncoding>?
    /// Creates a replacement encoder if the current encoder fails.
    private let makeReplacementEncoder: VideoEncoderWorker.EncoderFactory
    /// Size of the camera's current frames.
    private let size: FrameSize

    /// Creates the encoder and the file. This method blocks on disk I/O, so don't call it on the timeline's
    /// thread.
    ///
    /// - Throws: `RecordingError` when the encoder or the file can't be created.
    init(
        _ planned: PlannedCameraTrack, of input: CameraInput, disks: [RecordingDisk],
        codecs: any CodecFactory, date: Date
    ) throws(RecordingError) {
        var settings = planned.settings
        settings.color = input.source.color
        let size = input.latestJPEG?.size ?? input.source.format.size
        do {
            let encoder: Carried<any VideoEncoding>? =
                planned.mode == .encode
                ? Carried(try codecs.makeVideoEncoder(settings, name: planned.name)) : nil
            var parameters =
                encoder?.value.parameters
                ?? StreamParameters(
                    codec: .mjpeg, timeScale: planned.rate.frames, size: size, rate: planned.rate,
                    color: input.source.color)
            parameters.pixelAspect = planned.pixelAspect
            let disks = disks.filter { $0.includesFile(isProgram: false) }
            fileLocations = disks.map { $0.folder.place(of: planned.file) }
            writer = try MovieWriter(
                disks, relativePath: planned.file,
                streams: [.video(parameters, rotation: planned.rotation, name: planned.name)], startedAt: date
            )
            self.encoder = encoder
        } catch let error as FileError {
            throw .file(error)
        } catch let error as EncodingError {
            throw .encoding(error)
        } catch {
            preconditionFailure("unexpected error when creating a track: \(error)")
        }
        makeReplacementEncoder = VideoEncoderWorker.makeEncoderFactory(
            settings, named: planned.name, by: codecs)
        self.planned = planned
        self.input = input
        self.size = size
    }

    /// Begins the track. Call this method only once.
    ///
    /// - Parameters:
    ///   - tick: Index of the track's first tick, on the track's grid.
    ///   - start: T0, the start time of the recording.
    ///   - clock: The session clock.
    ///   - codecs: The codec factory, which creates slates.
    ///   - outputs: Receives the new track.
    /// - Returns: The new track, which has been added to `outputs`.
    func begin(
        at tick: Int64, start: ClockTime, clock: any SessionClock, codecs: any CodecFactory,
        in outputs: SessionOutputs
    ) -> any CameraTrack {
        let time = planned.rate.time(ofTick: tick)
        writer.begin(startedAt: clock.date(of: start), from: time)
        let sink = TrackSink(writer: writer, stream: 0)
        let aligner = GridAligner(input: input, track: planned.name, start: start, rate: planned.rate)
        let caption = SlateCaption(
            role: planned.role, device: input.source.device.name, rotation: planned.rotation)
        let track: any CameraTrack
        if let encoder {
            track = EncodedTrack(
                aligner: aligner, rate: planned.rate, place: planned.layer, caption: caption,
                encoder: VideoEncoderWorker(
                    name: "enc:\(planned.name)", encoder: encoder.value, another: makeReplacementEncoder,
                    to: sink,
                    waitsForRoom: !clock.isRealTime))
        } else {
            track = CopiedTrack(
                aligner: aligner, rate: planned.rate, size: size, caption: caption, sink: sink,
                codecs: codecs)
        }
        outputs.add(track, file: planned.file, writer: writer, from: time)
        return track
    }

    /// Removes the track's empty files. Call this method if the recording ended before the track began.
    func abandon() {
        writer.abandon()
        for place in fileLocations { place.discard() }
    }
}

/// Creates the files and encoders of tracks that begin while the recording is running. Use this type only on
/// threads that may block on disk I/O.
struct TrackOpener: Sendable {
    let disks: [RecordingDisk]
    let codecs: any CodecFactory
    /// The date of T0.
    let date: Date

    /// Creates the encoder and the file of a camera's track.
    ///
    /// - Throws: `RecordingError` when threads, the encoder or the file can't be created. After an error, no
    ///   partially created resources remain.
    func open(
        _ planned: PlannedCameraTrack, of camera: CameraInput
    ) throws(RecordingError) -> OpenedTrack {
        try OutputAssembly.checkThreads(files: disks.count, encoders: planned.mode == .encode ? 1 : 0)
        return try OpenedTrack(planned, of: camera, disks: disks, codecs: codecs, date: date)
    }

    /// Creates the resources for a microphone: a file if the microphone has a track, and a resampler if the
    /// microphone is new.
    ///
    /// - Throws: `RecordingError` if threads, converters, or the file can't be created. After an error, no
    ///   partially created resources remain.
    func open(
        _ planned: PlannedMicrophoneTrack?, of input: MicrophoneInput, isNew: Bool
    ) throws(RecordingError) -> OpenedAudio {
        try OutputAssembly.checkThreads(files: planned == nil ? 0 : disks.count, encoders: 0)
        return try OpenedAudio(
            planned, of: input, isNew: isNew, disks: disks, codecs: codecs, date: date)
    }
}

/// The file of a microphone track that begins while the recording is running, and the resampler if the microphone is
/// new.
struct OpenedAudio: Sendable {
    /// Plan of the microphone's track, or `nil` if the microphone is only mixed into the program.
    let planned: PlannedMicrophoneTrack?
    let input: MicrophoneInput
    private let resampler: Carried<any Resampling>?
    private let meter: Carried<any LoudnessMetering>
    private let file: WaveWriter?
    private let fileLocations: [ContainedFile]

    /// Creates the file, resampler and loudness meter. This method blocks on disk I/O, so don't call it on
    /// the timeline's thread.
    ///
    /// - Throws: `RecordingError` when the file, the resampler or the meter can't be created.
    init(
        _ planned: PlannedMicrophoneTrack?, of input: MicrophoneInput, isNew: Bool, disks: [RecordingDisk],
        codecs: any CodecFactory, date: Date
    ) throws(RecordingError) {
        self.planned = planned
        self.input = input
        do {
            let format = AudioFormat(rate: input.source.format.rate, channels: input.channels)
            resampler = isNew ? Carried(try codecs.makeResampler(from: format, name: input.role)) : nil
            meter = Carried(try codecs.makeLoudnessMeter(channels: input.channels, name: input.role))
            let disks = disks.filter { $0.includesFile(isProgram: false) }
            fileLocations = planned.map { planned in disks.map { $0.folder.place(of: planned.file) } } ?? []
            file = try planned.map {
                try WaveWriter(disks, relativePath: $0.file, channels: input.channels, startedAt: date)
            }
        } catch let error as FileError {
            throw .file(error)
        } catch let error as EncodingError {
            throw .encoding(error)
        } catch {
            preconditionFailure("unexpected error when creating a microphone track: \(error)")
        }
    }

    /// Creates the feed of a new microphone, initially without a track. Call this method only once.
    ///
    /// - Parameters:
    ///   - start: T0, the start time of the recording.
    ///   - first: Index of the first sample that will be requested from the feed.
    ///   - firstAudible: Index of the first sample that contains the microphone's audio.
    ///   - taps: The registry of the caller's taps.
    /// - Returns: The feed of the new microphone.
    func makeFeed(start: ClockTime, first: Int64, firstAudible: Int64, taps: TapRegistry) -> MicrophoneFeed {
        guard let resampler else { preconditionFailure("the microphone is already part of the session") }
        return MicrophoneFeed(
            input: input, resampler: resampler.value, start: start, first: first, firstAudible: firstAudible,
            taps: taps)
    }

    /// Creates the stream that measures the microphone's loudness after this call. Call this method only
    /// once.
    func makeLoudnessStream(in outputs: SessionOutputs, clock: any SessionClock, channels: Int)
        -> LoudnessStream
    {
        LoudnessStream(outputs.meter(waitsForRoom: !clock.isRealTime), meter, channels: channels)
    }

    /// Begins the microphone's track. Call this method only once.
    ///
    /// - Parameters:
    ///   - planned: The track's plan.
    ///   - microphone: The feed that supplies the track's audio.
    ///   - first: Index of the track's first sample.
    ///   - date: Date of the first sample.
    ///   - loudness: The stream that measures the track's loudness.
    func begin(
        _ planned: PlannedMicrophoneTrack, of microphone: MicrophoneFeed, at first: Int64, date: Date,
        loudness: LoudnessStream
    ) {
        file?.begin(startedAt: date, from: first)
        microphone.add(
            MicrophoneTrack(
                planned, channels: microphone.channels, first: first, file: file, encoder: nil,
                loudness: loudness))
    }

    /// Removes the track's empty files. Call this method if the recording ended before the track began.
    func abandon() {
        file?.abandon()
        for place in fileLocations { place.discard() }
    }
}
