internal import Encoders
internal import Media
internal import Monitoring
internal import Writers

// Collaborators: it holds one of each kind of output, and does nothing with them.
/// Everything that a running session writes to. Timeline's thread only.
final class SessionOutputs {
    let disks: [RecordingDisk]
    var writers: [String: MovieWriter]
    /// All microphones, recorded or not.
    private(set) var microphones: [MicrophoneFeed]
    var cameraTracks: [any CameraTrack] = []
    var program: ProgramTrack?
    var mixEncoder: AudioEncoderWorker?
    /// Audio encoders of the microphones that are streams of a movie, by the names of their tracks.
    var audioEncoders: [String: AudioEncoderWorker] = [:]
    /// The thread that measures loudness, where there is audio.
    var meter: LoudnessWorker?
    /// The stream that measures the loudness of the mix.
    var mixLoudness: LoudnessStream?
    /// Linear gain of each microphone in the program, by role; a microphone without one is not mixed.
    var mix: [String: Float] = [:]
    var synchronized: [SynchronizedWorker] = []
    var metadata: [MetadataTrack] = []
    /// File and stream of each track in a movie, by the track's name.
    var places: [String: (file: String, stream: Int)] = [:]
    /// When the camera tracks begin that did not begin at T0, by their names.
    var begins: [String: MediaTime] = [:]
    /// When the camera tracks end that were ended before the recording, by their names.
    var ends: [String: MediaTime] = [:]
    /// When the tracks end whose encoder failed for good, by their names.
    var failedEnds: [String: MediaTime] = [:]

    init(disks: [RecordingDisk], writers: [String: MovieWriter], microphones: [MicrophoneFeed]) {
        self.disks = disks
        self.writers = writers
        self.microphones = microphones
    }

    /// Adds a track that begins while the recording runs.
    func add(_ track: any CameraTrack, file: String, writer: MovieWriter, from time: MediaTime) {
        cameraTracks.append(track)
        writers[file] = writer
        places[track.name] = (file, 0)
        begins[track.name] = time
    }

    /// Adds a microphone that was taken in.
    func add(_ microphone: MicrophoneFeed) { microphones.append(microphone) }

    /// The thread that measures loudness; made at the first call.
    func meter(waitsForRoom: Bool) -> LoudnessWorker {
        let worker = meter ?? LoudnessWorker(waitsForRoom: waitsForRoom)
        meter = worker
        return worker
    }

    /// The tracks of all microphones, with those that have ended.
    var microphoneTracks: [MicrophoneTrack] { microphones.flatMap(\.tracks) }

    /// The wave files of the microphones.
    var waves: [WaveWriter] { microphoneTracks.compactMap(\.file) }

    /// Whether a camera's or microphone's track has begun and has no end yet.
    func isOpen(track name: String) -> Bool {
        let isCameras = cameraTracks.contains { $0.name == name }
        return isCameras
            ? ends[name] == nil && failedEnds[name] == nil
            : microphoneTracks.contains { $0.name == name && $0.end == nil }
    }

    /// Whether a file ends, or has ended, before the recording, because its track was ended.
    func isEnding(file: String) -> Bool { ends.keys.contains { places[$0]?.file == file } }

    /// The movie files on one disk, by their paths in its folder.
    func movies(onDisk index: Int) -> [(path: String, file: MovieFileWriter)] {
        writers.keys.sorted().compactMap { path in writers[path]?.file(index).map { (path, $0) } }
    }

    /// The wave files on one disk, by their paths in its folder.
    func waves(onDisk index: Int) -> [(path: String, file: WaveFileWriter)] {
        waves.compactMap { wave in wave.file(index).map { (wave.relativePath, $0) } }
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

    /// How far behind the working video encoders are now.
    var encoderAges: [QueueAge] {
        // The queue of a failed encoder does not show how fast the computer is.
        namedEncoders.filter(\.worker.isWorking).map { name, worker in
            QueueAge(
                .encoder(room: worker.room), name: name, intervals: Double(worker.queueLength),
                backlog: worker.backlog)
        }
    }

    /// The video encoders.
    var encoderWorkers: [VideoEncoderWorker] {
        namedEncoders.map(\.worker)
    }
}
