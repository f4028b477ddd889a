internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// One file of a movie. A split movie has several files.
///
/// The times of packets are relative to T0. The file stores them relative to its own start. Use an instance on only one
/// thread at a time.
final class MovieSegment {
    /// The movie file on disk.
    let file: MovieFile
    private let relativePath: String
    /// Start of the file, relative to T0.
    private(set) var start: MediaTime
    private let streams: [MovieTrack]
    /// End of each stream's last packet, relative to the start of the file, in ticks of the time scale that
    /// the stream has in the file.
    private var reach: [Int64]
    /// The ledger of each stream, in the order of the streams in the file.
    private var ledgers: [PacketLedger]
    /// Whether a write has failed. After a write failure, each stream ends with the stream's last packet.
    private var hasFailed = false

    /// Creates the movie file.
    ///
    /// - Parameters:
    ///   - folder: The session folder.
    ///   - relativePath: Path of the file relative to the session folder.
    ///   - streams: Descriptions of the streams of packets.
    ///   - timecode: Time code of T0, for which a MOV file gets an additional track; `nil` for no such track.
    ///   - createdAt: The date of `start`.
    ///   - start: Start of the file, relative to T0.
    ///   - disk: Hooks that are called while the file is written.
    /// - Throws: `FileError` if the file cannot be created.
    init(
        in folder: SessionFolder, relativePath: String, streams: [MovieTrack], timecode: Timecode?,
        createdAt: Date, start: MediaTime, disk: FileWriteHooks
    ) throws(FileError) {
        self.relativePath = relativePath
        let place = try folder.file(relativePath)
        self.streams = streams
        self.start = start
        reach = Array(repeating: 0, count: streams.count)
        ledgers = Array(repeating: PacketLedger(), count: streams.count)
        let kind = MovieKind(path: relativePath)
        var tracks = streams.map(\.inFile)
        if kind == .mov, let timecode {
            let elapsed = timecode.rate.ticks(before: start)
            tracks.append(.timecode(timecode.advanced(by: elapsed), name: "time of day"))
        }
        file = try MovieFile(place, kind: kind, tracks: tracks, createdAt: createdAt, disk: disk)
    }

    /// Returns the start of this file relative to T0, in ticks of the stream's own time scale. If the frames
    /// are on a grid, the result is the first tick at or after the split.
    func origin(ofStream index: Int) -> Int64 { streams[index].ticks(at: start) }

    /// Writes a packet of a stream.
    ///
    /// - Parameters:
    ///   - packet: The packet. Its timestamps are in ticks of the stream's own time scale, relative to T0.
    ///   - stream: Index of the packet's stream in the file, starting at 0.
    ///   - samples: The fates of those samples of the packet that this file plays; `nil` if this file plays
    ///     all samples. The other samples are played from another file.
    /// - Throws: `FileError` if the file cannot be written.
    func append(
        _ packet: EncodedPacket, stream: Int, samples: AudioFateRun? = nil
    ) throws(FileError) {
        let origin = origin(ofStream: stream)
        let factor = streams[stream].ticksInFile
        reach[stream] = max(reach[stream], (packet.presentation + packet.duration - origin) * factor)
        ledgers[stream].append(
            packet, samples: samples ?? packet.samples, written: file.writtenSampleCount(ofTrack: stream))
        guard origin != 0 || factor > 1 else {
            try file.append(packet, to: stream)
            return
        }
        let shifted = EncodedPacket(
            bytes: packet.bytes, presentation: (packet.presentation - origin) * factor,
            decode: (packet.decode - origin) * factor, duration: packet.duration * factor,
            isKey: packet.isKey)
        try file.append(shifted, to: stream)
    }

    /// Counts samples of an audio stream that have no packet. The file plays silence instead of these samples.
    func appendSilence(_ fates: AudioFateRun, stream: Int) { ledgers[stream].appendSilence(fates) }

    /// Sets the start of the file. Call this method before the first packet is written.
    ///
    /// - Parameters:
    ///   - start: Start of the file, relative to T0.
    ///   - timecode: Time code of T0, which is ignored unless the file is a MOV file.
    ///   - createdAt: The date of T0.
    func begin(at start: MediaTime, timecode: Timecode?, createdAt: Date) {
        self.start = start
        file.setStartMetadata(
            createdAt: createdAt.addingTimeInterval(Nanoseconds(start.nanoseconds).inSeconds),
            timecode: file.kind == .mov
                ? timecode.map { $0.advanced(by: $0.rate.ticks(before: start)) } : nil)
    }

    /// Sets the metadata that is written when the file is finalized.
    ///
    /// - Parameter notes: The metadata of the complete movie, with times relative to T0. A chapter that started before
    ///   the file becomes the file's first chapter.
    func setMetadata(_ notes: MovieMetadata) {
        var own = notes
        own.chapters = notes.chapters.map { chapter in
            let time = chapter.start.nanoseconds - start.nanoseconds
            return MovieMetadata.Chapter(start: MediaTime(nanoseconds: time), title: chapter.title)
        }
        file.metadata = own
    }

    /// Writes all pending packets of the movie's last file to disk, so that a crash before `close` doesn't lose any of
    /// them.
    ///
    /// - Parameter end: End of all streams, relative to T0. If the value is `nil`, each stream ends with its last
    ///   packet.
    /// - Throws: `FileError` if the file cannot be written.
    func writeRest(until end: MediaTime?) throws(FileError) {
        do throws(FileError) {
            try file.writeRest(ends: ends(at: end, isContinued: false))
        } catch {
            hasFailed = true
            throw error
        }
    }

    /// Finalizes the file so that all streams end at `end`, and verifies it.
    ///
    /// - Parameters:
    ///   - end: End of all streams, relative to T0. If the value is `nil`, each stream ends with its last packet.
    ///   - isContinued: Whether another file follows. If the next file's first key frame of a video stream is
    ///     later than `end`, the stream's frames up to that key frame stay in this file.
    /// - Returns: The outcome of finalizing the file.
    func close(at end: MediaTime?, isContinued: Bool) -> PartFinalizer.Outcome {
        var outcome = PartFinalizer.Outcome(sampleCounts: [])
        do throws(FileError) {
            outcome.closed = try finish(at: end, isContinued: isContinued)
        } catch {
            outcome.failure = error
        }
        outcome.sampleCounts = sampleCounts
        outcome.ledgers = ledgers(isFinished: outcome.failure == nil && !hasFailed)
        return outcome
    }

    /// Current number of packets of each stream in the file.
    var sampleCounts: [Int] { streams.indices.map { file.writtenSampleCount(ofTrack: $0) } }

    /// Returns the ledger of each stream.
    ///
    /// - Parameter isFinished: Whether the file was finished, so that all streams last until the end of the file.
    /// - Returns: The ledgers. Packets that are still pending count as dropped.
    func ledgers(isFinished: Bool) -> [StreamLedger] {
        streams.indices.map {
            ledgers[$0].closed(written: file.writtenSampleCount(ofTrack: $0), isFinished: isFinished)
        }
    }

    private func finish(at end: MediaTime?, isContinued: Bool) throws(FileError) -> ClosedFile {
        let summary = try file.finish(ends: ends(at: end, isContinued: isContinued))
        return ClosedFile(
            relativePath: relativePath, byteCount: summary.byteCount, checksum: summary.checksum,
            fault: FileVerification.fault(expecting: summary, in: file.reader))
    }

    /// Returns the end of each stream, relative to the start of the file, in ticks of the time scale that the
    /// stream has in the file. The value is `nil` if the stream ends with its last packet.
    private func ends(at end: MediaTime?, isContinued: Bool) -> [Int64?] {
        streams.indices.map { index in
            guard let end else { return nil }
            let stream = streams[index]
            let ticks = stream.endTicks(at: end) - origin(ofStream: index) * stream.ticksInFile
            return isContinued && !streams[index].isAudio ? max(ticks, reach[index]) : ticks
        }
    }
}

extension MovieTrack {
    /// Format and time scale of the track's packets.
    var parameters: StreamParameters {
        switch self {
        case .video(let parameters, _, _), .audio(let parameters, _): parameters
        case .timecode: preconditionFailure("packets can't be appended to a timecode track")
        }
    }

    /// Whether the track holds audio.
    var isAudio: Bool {
        if case .audio = self { true } else { false }
    }

    /// Whether some of the track's packets can be decoded only after other packets, as in H.264.
    var needsKeys: Bool { !isAudio && parameters.codec == .h264 }

    /// Converts a time relative to T0 to ticks of the track's time scale. If the track is on a grid, the
    /// result is the first tick at or after the time; otherwise the result is the nearest tick.
    func ticks(at time: MediaTime) -> Int64 {
        if let rate = parameters.grid { return rate.ticks(before: time) * rate.seconds }
        return time.ticks(perSecond: parameters.timeScale)
    }

    /// Converts ticks of the track's time scale to a time relative to T0.
    func time(ofTicks ticks: Int64) -> MediaTime {
        if let rate = parameters.grid { return rate.time(ofTick: ticks / rate.seconds) }
        return FrameRate(parameters.timeScale).time(ofTick: ticks)
    }

    /// Number of ticks of the file's time scale per tick of the track's own time scale, at least 1.
    ///
    /// Tracks with a rate below ten frames per second use a finer time scale in the file, so that the last
    /// frame can end with the recording instead of at the next tick.
    var ticksInFile: Int64 {
        guard let rate = parameters.grid, rate < Self.fineTimeScaleRate else { return 1 }
        return (Self.minTimeScale + timeScale - 1) / timeScale
    }

    /// Frame rate below which a track uses a finer time scale in the file, so that its last frame can be shortened: ten
    /// frames per second.
    private static let fineTimeScaleRate = FrameRate(10, per: 1)
    /// Minimum time scale in the file for tracks below `fineTimeScaleRate`, in ticks per second.
    private static let minTimeScale: Int64 = 1000

    /// Converts the end of the track, given as a time relative to T0, to ticks of the track's time scale in
    /// the file.
    func endTicks(at time: MediaTime) -> Int64 {
        ticksInFile == 1 ? ticks(at: time) : time.ticks(perSecond: timeScale * ticksInFile)
    }

    /// This track with the time scale that it has in the file, as described in `ticksInFile`.
    var inFile: MovieTrack {
        guard ticksInFile > 1, case .video(let known, let rotation, let name) = self else { return self }
        var parameters = StreamParameters(
            codec: known.codec, timeScale: known.timeScale * ticksInFile, setup: known.setup,
            size: known.size,
            rate: known.rate, color: known.color)
        parameters.pixelAspect = known.pixelAspect
        return .video(parameters, rotation: rotation, name: name)
    }

    /// Human-readable name of the track.
    package var trackName: String {
        switch self {
        case .video(_, _, let name), .audio(_, let name), .timecode(_, let name): name
        }
    }

    /// Returns this track's description for the file that continues the current one.
    ///
    /// - Parameters:
    ///   - priming: Duration, in ticks, of the audio in the new file's first packets that precedes the start
    ///     of the file; ignored for video.
    ///   - changed: Parameters of the frames in the new file; `nil` if the parameters stay the same. The
    ///     value is ignored for audio.
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
    /// Returns the time code of the first video track with a rate of at least one frame per second.
    ///
    /// The time code counts the local time of day at the frame rate of this track. Time code labels can't
    /// represent rates below one frame per second.
    ///
    /// - Parameter date: The date that the time code label represents.
    /// - Returns: The time code, or `nil` if no video track has a rate of at least one frame per second.
    func timecode(at date: Date) -> Timecode? {
        for case .video(let parameters, _, _) in self {
            guard let rate = parameters.rate, rate >= FrameRate(1, per: 1) else { continue }
            return Timecode(at: LocalTime(date), rate: rate)
        }
        return nil
    }
}

extension MovieKind {
    /// Selects the file type by the extension of a path: MP4 for `.mp4`, and MOV for all other extensions.
    init(path: String) {
        self = path.hasSuffix(".mp4") ? .mp4 : .mov
    }
}

extension WaveFile {
    /// Creates the WAV file of a microphone track at the session's sample rate.
    ///
    /// - Parameters:
    ///   - place: The file to create.
    ///   - channels: Number of audio channels.
    ///   - startedAt: The date of T0, stored as local time of day.
    ///   - first: Index of the file's first sample, counted from T0.
    ///   - disk: Hooks that are called while the file is written.
    /// - Throws: `FileError` if the file cannot be created.
    convenience init(
        _ place: ContainedFile, channels: Int, startedAt: Date, from first: Int64, disk: FileWriteHooks
    ) throws(FileError) {
        try self.init(
            place, format: AudioFormat(rate: AudioFormat.sessionRate, channels: channels),
            broadcast: Self.broadcast(path: place.path, startedAt: startedAt, from: first), disk: disk)
    }

    /// Sets the date of the first sample. Call this method before the first sample is written.
    ///
    /// - Throws: `FileError` if the file header cannot be written.
    func begin(startedAt: Date, from first: Int64) throws(FileError) {
        try setStartMetadata(Self.broadcast(path: path, startedAt: startedAt, from: first))
    }

    /// The local time continues from T0, like timecode, so a daylight saving time change during the recording doesn't
    /// affect files that begin after it.
    private static func broadcast(path: String, startedAt: Date, from first: Int64) -> BroadcastExtension {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let elapsed = FrameRate(Int64(AudioFormat.sessionRate)).time(ofTick: first)
        let start = LocalTime(
            startedAt.addingTimeInterval(Nanoseconds(elapsed.nanoseconds).inSeconds),
            secondsFromGMT: LocalTime.secondsFromGMT(at: startedAt))
        return BroadcastExtension(description: name, reference: name, start: start)
    }
}
