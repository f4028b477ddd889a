internal import Encoders
internal import Media
internal import Monitoring
internal import Writers

/// Everything that a running session writes to. Timeline's thread only.
// Collaborators: it holds one of each kind of output, and does nothing with them.
final class SessionOutputs {
    let disks: [RecordingDisk]
    var writers: [String: MovieWriter]
    /// All, recorded or not.
    private(set) var microphones: [MicrophoneFeed]
    var cameraTracks: [any CameraTrack] = []
    var program: ProgramTrack?
    var mixEncoder: AudioEncoderWorker?
    /// Of microphones that are streams of a movie, by their tracks' names.
    var audioEncoders: [String: AudioEncoderWorker] = [:]
    /// The thread that measures audio, where there is any, and the mix on its way there.
    var meter: LoudnessWorker?
    var mixLoudness: LoudnessStream?
    /// How loud each microphone is in the program, linear, by role; the others are not heard there.
    var mix: [String: Float] = [:]
    var synchronized: [SynchronizedWorker] = []
    var metadata: [MetadataTrack] = []
    /// File and stream of each track in a movie, by the track's name.
    var places: [String: (file: String, stream: Int)] = [:]
    /// Of cameras' tracks that did not begin at T0, and of those that were ended, when that is or will be: by their names.
    var begins: [String: MediaTime] = [:]
    var ends: [String: MediaTime] = [:]
    /// Of tracks whose encoder failed for good, where they end, by their names.
    var failedEnds: [String: MediaTime] = [:]

    init(disks: [RecordingDisk], writers: [String: MovieWriter], microphones: [MicrophoneFeed]) {
        self.disks = disks
        self.writers = writers
        self.microphones = microphones
    }

    /// Puts a track that begins while the recording runs beside the others.
    func add(_ track: any CameraTrack, file: String, writer: MovieWriter, from time: MediaTime) {
        cameraTracks.append(track)
        writers[file] = writer
        places[track.name] = (file, 0)
        begins[track.name] = time
    }

    /// Puts a microphone that was taken in beside the others.
    func add(_ microphone: MicrophoneFeed) { microphones.append(microphone) }

    /// The thread that measures audio, made where there was nothing to measure.
    func meter(waitsForRoom: Bool) -> LoudnessWorker {
        let lane = meter ?? LoudnessWorker(waitsForRoom: waitsForRoom)
        meter = lane
        return lane
    }

    /// Of all microphones, with those that have ended.
    var microphoneTracks: [MicrophoneTrack] { microphones.flatMap(\.tracks) }

    /// The files of microphones.
    var waves: [WaveWriter] { microphoneTracks.compactMap(\.file) }

    /// Whether a file ends, or has ended, before the recording: one of a track that was ended has no other.
    func isEnding(file: String) -> Bool { ends.keys.contains { places[$0]?.file == file } }

    /// The movies' files on one disk, by their paths in its folder.
    func movies(onDisk index: Int) -> [(path: String, file: MovieFileWriter)] {
        writers.keys.sorted().compactMap { path in writers[path]?.file(index).map { (path, $0) } }
    }

    /// Likewise of microphones.
    func waves(onDisk index: Int) -> [(path: String, file: WaveFileWriter)] {
        waves.compactMap { wave in wave.file(index).map { (wave.relativePath, $0) } }
    }

    /// The encoders of audio by the names of their tracks.
    var namedAudioEncoders: [(name: String, lane: AudioEncoderWorker)] {
        let microphones = audioEncoders.keys.sorted().compactMap { name in
            audioEncoders[name].map { (name: name, lane: $0) }
        }
        return [mixEncoder.map { (name: "program", lane: $0) }].compactMap(\.self) + microphones
    }

    /// The encoders of frames by what they encode.
    var namedEncoders: [(name: String, lane: VideoEncoderWorker)] {
        let tracks = cameraTracks.compactMap { track in
            (track as? EncodedTrack).map { (name: $0.name, lane: $0.encoder) }
        }
        return tracks + [program.map { (name: "program", lane: $0.encoder) }].compactMap(\.self)
    }

    /// How far behind they are now.
    var encoderAges: [QueueAge] {
        // Where an encoder has failed, the length of its queue says nothing of how fast the computer is.
        namedEncoders.filter(\.lane.isWorking).map { name, lane in
            QueueAge(
                .encoder(room: lane.room), name: name, intervals: Double(lane.queueLength),
                backlog: lane.backlog)
        }
    }

    /// All threads that compose and encode frames.
    var encoderLanes: [VideoEncoderWorker] {
        namedEncoders.map(\.lane)
    }
}
