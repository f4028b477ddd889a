internal import Containers
internal import Foundation
internal import Media

extension MovieTrack {
    /// What its packets are.
    var parameters: StreamParameters {
        switch self {
        case .video(let parameters, _, _), .audio(let parameters, _): parameters
        case .timecode: preconditionFailure("a timecode track has no packets")
        }
    }

    var isAudio: Bool {
        if case .audio = self { true } else { false }
    }

    /// Whether its packets need each other to be decoded.
    var needsKeys: Bool { !isAudio && parameters.codec == .h264 }

    /// A time since T0 in its own ticks. Of frames on a grid it is the first tick at or after it, else the nearest.
    func ticks(at time: MediaTime) -> Int64 {
        if let rate = parameters.grid { return rate.ticks(before: time) * rate.seconds }
        return time.ticks(perSecond: parameters.timeScale)
    }

    /// When one of its own ticks is, since T0.
    func time(ofTicks ticks: Int64) -> MediaTime {
        if let rate = parameters.grid { return rate.time(ofTick: ticks / rate.seconds) }
        return FrameRate(parameters.timeScale).time(ofTick: ticks)
    }

    /// How many ticks of its file one of its own ticks is. Frames that come seldom are so placed in a finer time scale: the last one
    /// ends with the recording, not at the tick that would have followed.
    var ticksInFile: Int64 {
        guard let rate = parameters.grid, rate < Self.finelyPlacedRate else { return 1 }
        return (Self.leastTimeScale + timeScale - 1) / timeScale
    }

    /// Frames at lower rates last so long that the last one is cut.
    private static let finelyPlacedRate = FrameRate(10, per: 1)
    /// Of their files, in ticks per second.
    private static let leastTimeScale: Int64 = 1000

    /// A time since T0 at which the track ends, in ticks of its file.
    func endTicks(at time: MediaTime) -> Int64 {
        ticksInFile == 1 ? ticks(at: time) : time.ticks(perSecond: timeScale * ticksInFile)
    }

    /// The same track in the time scale of its file.
    var inFile: MovieTrack {
        guard ticksInFile > 1, case .video(let known, let rotation, let name) = self else { return self }
        let parameters = StreamParameters(
            codec: known.codec, timeScale: known.timeScale * ticksInFile, setup: known.setup,
            size: known.size,
            rate: known.rate, color: known.color)
        return .video(parameters, rotation: rotation, name: name)
    }

    package var trackName: String {
        switch self {
        case .video(_, _, let name), .audio(_, let name), .timecode(_, let name): name
        }
    }

    /// The same track in a file that continues this one.
    ///
    /// - Parameters:
    ///   - priming: Ticks of audio before the new file's first instant that its first packets hold.
    ///   - changed: What frames are from there on; `nil` where they stay what they are.
    /// - Returns: Of audio, the track with that priming.
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
    /// The time code of the first of them that shows frames at a rate, of the wall clock in the local time zone; none where that is less
    /// than a frame a second, which no label of a time code would count.
    func timecode(at date: Date) -> Timecode? {
        for case .video(let parameters, _, _) in self {
            guard let rate = parameters.rate, rate >= FrameRate(1, per: 1) else { continue }
            return Timecode(at: LocalTime(date, in: .current), rate: rate)
        }
        return nil
    }
}

extension MovieKind {
    /// The dialect that a path's ending promises.
    init(path: String) {
        self = path.hasSuffix(".mp4") ? .mp4 : .mov
    }
}

extension WaveFile {
    /// A track's file at the session's rate, with the time of day of its first sample.
    convenience init(
        path: String, channels: Int, startedAt: Date, disk: DiskConduct
    ) throws(FileError) {
        try self.init(
            path: path, format: AudioFormat(rate: AudioFormat.sessionRate, channels: channels),
            broadcast: Self.broadcast(path: path, startedAt: startedAt), disk: disk)
    }

    /// Takes the date of its first sample, of which there is none yet.
    func begin(startedAt: Date) throws(FileError) {
        try begin(Self.broadcast(path: path, startedAt: startedAt))
    }

    private static func broadcast(path: String, startedAt: Date) -> WaveBroadcast {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return WaveBroadcast(
            description: name, reference: name, start: LocalTime(startedAt, in: .current))
    }
}
