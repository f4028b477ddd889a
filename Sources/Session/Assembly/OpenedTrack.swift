internal import Containers
internal import Encoders
internal import FoundationEssentials
internal import Glibc
internal import Inputs
internal import Media
internal import Plan
internal import SessionFolder
internal import Writers

/// The file of a camera's own track that is to begin while the recording runs, and its encoder if it is encoded.
struct OpenedTrack: Sendable {
    let planned: PlannedCameraTrack
    let input: CameraInput
    private let writer: MovieWriter
    private let paths: [String]
    private let encoder: Carried<any VideoEncoding>?
    /// Makes another encoder when this one fails.
    private let another: VideoEncoderWorker.Making
    /// Size of the frames that the camera delivers now.
    private let size: FrameSize

    /// Makes the encoder and the file. Waits for the disk, so it is not for the timeline's thread.
    ///
    /// - Throws: `RecordingError` when the encoder or the file cannot be made.
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
            let parameters =
                encoder?.value.parameters
                ?? StreamParameters(
                    codec: .mjpeg, timeScale: planned.rate.frames, size: size, rate: planned.rate,
                    color: input.source.color)
            let disks = disks.filter { $0.takes(isProgram: false) }
            paths = disks.map { "\($0.folder.path)/\(planned.file)" }
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
            preconditionFailure("a track is made of files and encoders only: \(error)")
        }
        another = VideoEncoderWorker.making(settings, named: planned.name, by: codecs)
        self.planned = planned
        self.input = input
        self.size = size
    }

    /// Begins the track. To be called once.
    ///
    /// - Parameters:
    ///   - tick: The first tick that the track shows.
    ///   - start: T0.
    ///   - clock: The session clock.
    ///   - codecs: Makes slates.
    ///   - outputs: Takes the track beside the others.
    /// - Returns: The track, which decides its ticks.
    func begin(
        at tick: Int64, start: ClockTime, clock: any SessionClock, codecs: any CodecFactory,
        in outputs: SessionOutputs
    ) -> any CameraTrack {
        let time = planned.rate.time(ofTick: tick)
        writer.begin(startedAt: clock.date(of: start), from: time)
        let sink = TrackSink(writer: writer, stream: 0)
        let follower = GridFollower(input: input, track: planned.name, start: start, rate: planned.rate)
        let caption = SlateCaption(
            role: planned.role, device: input.source.device.name, rotation: planned.rotation)
        let track: any CameraTrack
        if let encoder {
            track = EncodedTrack(
                follower: follower, rate: planned.rate, place: planned.layer, caption: caption,
                encoder: VideoEncoderWorker(
                    name: "enc:\(planned.name)", encoder: encoder.value, another: another, to: sink,
                    waitsForRoom: !clock.isRealTime))
        } else {
            track = CopiedTrack(
                follower: follower, rate: planned.rate, size: size, caption: caption, sink: sink,
                codecs: codecs)
        }
        outputs.add(track, file: planned.file, writer: writer, from: time)
        return track
    }

    /// Removes the empty files, since the recording has ended.
    func abandon() {
        writer.abandon()
        for path in paths { unlink(path) }
    }
}
