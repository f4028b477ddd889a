internal import Containers
internal import FoundationEssentials
internal import Media

extension MovieTrack {
    /// Format and time scale of the track's packets.
    var parameters: StreamParameters {
        switch self {
        case .video(let parameters, _, _), .audio(let parameters, _): parameters
        case .timecode: preconditionFailure("a timecode track has no packets")
        }
    }

    /// Whether the track holds audio.
    var isAudio: Bool {
        if case .audio = self { true } else { false }
    }

    /// Whether the track's packets need each other to be decoded, as those of H.264 do.
    var needsKeys: Bool { !isAudio && parameters.codec == .h264 }

    /// Converts a time since T0 to ticks of the track's time scale: the first grid tick at or after it, or the nearest tick when
    /// the track is not on a grid.
    func ticks(at time: MediaTime) -> Int64 {
        if let rate = parameters.grid { return rate.ticks(before: time) * rate.seconds }
        return time.ticks(perSecond: parameters.timeScale)
    }

    /// Converts ticks of the track's time scale to a time since T0.
    func time(ofTicks ticks: Int64) -> MediaTime {
        if let rate = parameters.grid { return rate.time(ofTick: ticks / rate.seconds) }
        return FrameRate(parameters.timeScale).time(ofTick: ticks)
    }

    /// Number of ticks in the file's time scale for each tick of the track's own time scale, at least 1.
    ///
    /// Tracks below ten frames per second get a finer time scale in the file, so that their last frame ends with the recording
    /// and not at the tick that would have followed.
    var ticksInFile: Int64 {
        guard let rate = parameters.grid, rate < Self.finelyPlacedRate else { return 1 }
        return (Self.leastTimeScale + timeScale - 1) / timeScale
    }

    /// Tracks at lower rates have a finer time scale in the file, so that their last frame can be cut: ten frames per second.
    private static let finelyPlacedRate = FrameRate(10, per: 1)
    /// Smallest time scale of such tracks in the file, in ticks per second.
    private static let leastTimeScale: Int64 = 1000

    /// Converts the end of the track, a time since T0, to ticks of the track's time scale in the file.
    func endTicks(at time: MediaTime) -> Int64 {
        ticksInFile == 1 ? ticks(at: time) : time.ticks(perSecond: timeScale * ticksInFile)
    }

    /// This track with the time scale that it has in the file: see `ticksInFile`.
    var inFile: MovieTrack {
        guard ticksInFile > 1, case .video(let known, let rotation, let name) = self else { return self }
        let parameters = StreamParameters(
            codec: known.codec, timeScale: known.timeScale * ticksInFile, setup: known.setup,
            size: known.size,
            rate: known.rate, color: known.color)
        return .video(parameters, rotation: rotation, name: name)
    }

    /// Name of the track, for people.
    package var trackName: String {
        switch self {
        case .video(_, _, let name), .audio(_, let name), .timecode(_, let name): name
        }
    }

    /// Returns this track's description for the file that continues the present one.
    ///
    /// - Parameters:
    ///   - priming: Ticks of audio that the new file's first packets hold before the file's start; unused for frames.
    ///   - changed: Parameters of the frames in the new file, or `nil` when they stay the same; unused for audio.
    /// - Returns: The track in the new file.
    func continued(priming: Int64, as changed: StreamParameters?) -> MovieTrack {
        if case .video(let known, let rotation, let name) = self {
            return .video(changed ?? known, rotation: rotation, name: name)
        }
        guard case .audio(let known, let name) = self else { return self }
        let parameters = StreamParameters(
            codec: known.codec, timeScale: known.timeScale, setup: known.setup, audio: known.audio,
            priming: priming)
        return .audio(parameters, name: name)
    }
}

extension [MovieTrack] {
    /// Makes the time code of the first video track with a rate of at least one frame per second.
    ///
    /// It counts the time of day in the local time zone at that rate. Lower rates are below the resolution of time code labels.
    ///
    /// - Parameter date: The date that the time code labels.
    /// - Returns: The time code, or `nil` when there is no such track.
    func timecode(at date: Date) -> Timecode? {
        for case .video(let parameters, _, _) in self {
            guard let rate = parameters.rate, rate >= FrameRate(1, per: 1) else { continue }
            return Timecode(at: LocalTime(date), rate: rate)
        }
        return nil
    }
}

extension MovieKind {
    /// Creates the kind for a path by its extension: MP4 for `.mp4`, MOV for all others.
    init(path: String) {
        self = path.hasSuffix(".mp4") ? .mp4 : .mov
    }
}

extension WaveFile {
    /// Creates the wave file of a microphone's track at the session's sample rate.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - channels: Number of channels.
    ///   - startedAt: The date of the first sample, stored as its local time of day.
    ///   - disk: Hooks into the writing of the file.
    /// - Throws: `FileError` when the file cannot be created.
    convenience init(
        path: String, channels: Int, startedAt: Date, disk: DiskConduct
    ) throws(FileError) {
        try self.init(
            path: path, format: AudioFormat(rate: AudioFormat.sessionRate, channels: channels),
            broadcast: Self.broadcast(path: path, startedAt: startedAt), disk: disk)
    }

    /// Sets the date of the first sample. To be called before the first sample is written.
    ///
    /// - Throws: `FileError` when the file's head cannot be written.
    func begin(startedAt: Date) throws(FileError) {
        try begin(Self.broadcast(path: path, startedAt: startedAt))
    }

    private static func broadcast(path: String, startedAt: Date) -> WaveBroadcast {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return WaveBroadcast(
            description: name, reference: name, start: LocalTime(startedAt))
    }
}
