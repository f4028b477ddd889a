internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamSystem

/// A media file to be recovered, opened and locked.
struct RemainingFile {
    /// Content of the file, depending on its format.
    enum Content {
        case movie(MovieRecovery)
        case audio(WaveRecovery)
    }

    /// One stream of the file. Times are in ticks of the stream's time scale, relative to the file's time 0.
    struct Stream {
        let name: String
        let codec: String
        /// Frame rate of the stream's grid; `nil` for audio and for streams with variable frame rate.
        let rate: FrameRate?
        /// Whether the stream is H.264 with variable frame rate: frames keep their own capture times.
        let hasOwnTimes: Bool
        /// Size and rotation of the stored frames; `nil` for audio.
        var picture: (size: FrameSize, rotation: Rotation)?
        /// Number of audio channels; `nil` for video.
        var channels: Int?
        let timeScale: Int64
        let end: Int64
        let count: Int64
        /// Number of frames before the file's time 0, which are decoded but not shown.
        let lead: Int64
        let dropped: Int
        /// Ranges of the stream's grid that have no frames.
        let holes: [Range<Int64>]

        /// Whether the stream is audio: it has neither a grid nor frames with their own times.
        var isAudio: Bool { rate == nil && !hasOwnTimes }
    }

    /// Path relative to the session folder, or the path passed by the caller.
    let name: String
    /// Position of the file's time 0, relative to T0.
    var start: MediaTime
    let content: Content
    let streams: [Stream]

    /// Opens, locks and reads the file.
    ///
    /// - Throws: `FileError` if the file cannot be opened or was not recorded by multicam.
    init(_ place: ContainedFile, name: String, start: MediaTime) throws(FileError) {
        self.name = name
        self.start = start
        if name.hasSuffix(".wav") {
            let remains = try WaveRecovery(place)
            content = .audio(remains)
            let stem = name.split(separator: "/").last.map { String($0.dropLast(4)) } ?? name
            streams = [
                Stream(
                    name: stem, codec: "pcm_s24le", rate: nil, hasOwnTimes: false,
                    channels: remains.format.channels, timeScale: Int64(remains.format.rate),
                    end: remains.sampleCount, count: remains.sampleCount, lead: 0, dropped: 0, holes: [])
            ]
        } else {
            let remains = try MovieRecovery(place)
            content = .movie(remains)
            streams = remains.tracks.map { Stream($0) }
        }
    }

    /// Wall-clock time of the file's time 0, with a resolution of one second; `nil` for audio.
    var createdAt: Date? {
        switch content {
        case .movie(let movie): movie.createdAt
        case .audio: nil
        }
    }

    var isPlain: Bool {
        switch content {
        case .movie(let movie): movie.isPlain
        case .audio(let wave): wave.isPlain
        }
    }

    /// Whether the file contains at least one frame or sample.
    var hasContent: Bool { streams.contains { $0.codec != "tmcd" && $0.count > 0 } }

    /// End of the file's longest stream, relative to T0.
    var end: MediaTime { streams.indices.map { end(ofStream: $0) }.max() ?? start }

    /// End of a stream, relative to T0.
    func end(ofStream index: Int) -> MediaTime { time(of: streams[index].end, inStream: index) }

    /// Returns the gaps between frames on a stream's grid, relative to T0.
    func holes(inStream index: Int) -> [Range<MediaTime>] {
        streams[index].holes.map {
            time(of: $0.lowerBound, inStream: index)..<time(of: $0.upperBound, inStream: index)
        }
    }

    private func time(of tick: Int64, inStream index: Int) -> MediaTime {
        MediaTime(
            nanoseconds: start.nanoseconds
                + FrameRate(streams[index].timeScale).time(ofTick: max(0, tick)).nanoseconds)
    }

    /// Recovers the file in place.
    ///
    /// - Parameters:
    ///   - end: Common end of the file's streams, relative to T0; `nil` if each stream keeps its own end.
    ///   - rates: Known frame rates of the file's streams, by stream index.
    /// - Returns: Number of frames that each stream shows after the recovery; for audio, samples per channel.
    /// - Throws: `FileError` with the operation "writing", "truncating the file", or "fdatasync".
    func complete(until end: MediaTime?, rates: [Int: FrameRate]) throws(FileError) -> [Int64] {
        switch content {
        case .audio(let wave):
            let count = end.map {
                $0.ticks(perSecond: Int64(wave.format.rate)) - start.ticks(perSecond: Int64(wave.format.rate))
            }
            return [try wave.repair(sampleCount: count.map { max(0, $0) })]
        case .movie(let movie):
            let ends = streams.indices.map { index -> Int64? in
                guard let end, streams[index].codec != "tmcd" else { return nil }
                let rate = streams[index].hasOwnTimes ? nil : rates[index] ?? streams[index].rate
                return self.tick(of: end, inStream: index, rate: rate)
            }
            let summary = try movie.repair(ends: ends)
            return zip(streams, summary.tracks).map { stream, track in
                // The ticks of an audio track are samples, and one packet contains many samples.
                stream.codec == "aac"
                    ? track.duration : Int64(track.sampleCount) - stream.lead
            }
        }
    }

    /// Current number of frames that each stream shows; for audio, samples per channel.
    var counts: [Int64] {
        streams.map { $0.codec == "aac" ? max(0, $0.end) : $0.count - $0.lead }
    }

    /// Converts a time relative to T0 to ticks of a stream, relative to the file's time 0. A stream on a
    /// frame grid ends at the first grid tick at or after the time, unless the file's time scale is finer
    /// than the grid.
    private func tick(of end: MediaTime, inStream index: Int, rate: FrameRate?) -> Int64? {
        let scale = streams[index].timeScale
        guard let rate, scale == rate.frames else {
            return end.ticks(perSecond: scale) - start.ticks(perSecond: scale)
        }
        return (rate.ticks(before: end) - rate.ticks(before: start)) * rate.seconds
    }

    /// Returns the number of duplicated frames in a stream; 0 for audio.
    func duplicatedCount(ofStream index: Int) throws(FileError) -> Int {
        switch content {
        case .movie(let movie): try movie.duplicatedCount(ofTrack: index)
        case .audio: 0
        }
    }
}

extension RemainingFile.Stream {
    fileprivate init(_ track: MovieRecovery.Track) {
        switch track.description {
        case .video(let parameters, let rotation, let name):
            (self.name, codec, timeScale) = (name, parameters.codec.rawValue, parameters.timeScale)
            picture = parameters.size.map { ($0, rotation) }
        case .audio(let parameters, let name):
            (self.name, codec, timeScale) = (name, parameters.codec.rawValue, parameters.timeScale)
            channels = parameters.audio?.channels
        case .timecode(let timecode, let name):
            (self.name, codec, timeScale) = (name, "tmcd", timecode.rate.frames)
        }
        rate = track.rate
        end = track.end
        count = Int64(track.sampleCount)
        hasOwnTimes = track.description.hasCaptureTimes
        lead = rate == nil && !hasOwnTimes ? 0 : Int64(track.leadCount)
        dropped = track.droppedCount
        holes = track.holes
    }
}
