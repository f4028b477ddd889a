internal import Containers
internal import Media

/// One media file that is to be made whole, opened and locked.
struct RemainingFile {
    /// Content of the file, by its format.
    enum Content {
        case movie(MovieRecovery)
        case audio(WaveRecovery)
    }

    /// One stream of the file. Its times count in ticks of its time scale from the file's time 0.
    struct Stream {
        let name: String
        let codec: String
        /// Frame rate of the stream's grid; `nil` for audio, and for frames that keep their own times.
        let rate: FrameRate?
        /// Whether the stream is H.264 whose frames keep their own capture times instead of those of a grid.
        let hasOwnTimes: Bool
        let timeScale: Int64
        let end: Int64
        let count: Int64
        /// Number of frames that are decoded but not shown, since they are before the file's time 0.
        let lead: Int64
        let dropped: Int
        /// Stretches of the stream's grid without frames.
        let holes: [Range<Int64>]

        /// Whether the stream is audio: it has neither a grid nor frames with their own times.
        var isAudio: Bool { rate == nil && !hasOwnTimes }
    }

    /// Name relative to the session folder, or the path as it was given.
    let name: String
    /// Time 0 of the file, since T0.
    var start: MediaTime
    let content: Content
    let streams: [Stream]

    /// Opens, locks and reads the file.
    ///
    /// - Throws: `FileError` when the file cannot be opened, or was not recorded by multicam.
    init(path: String, name: String, start: MediaTime) throws(FileError) {
        self.name = name
        self.start = start
        if name.hasSuffix(".wav") {
            let remains = try WaveRecovery(path: path)
            content = .audio(remains)
            let stem = name.split(separator: "/").last.map { String($0.dropLast(4)) } ?? name
            streams = [
                Stream(
                    name: stem, codec: "pcm_s24le", rate: nil, hasOwnTimes: false,
                    timeScale: Int64(remains.format.rate),
                    end: remains.sampleCount, count: remains.sampleCount, lead: 0, dropped: 0, holes: [])
            ]
        } else {
            let remains = try MovieRecovery(path: path)
            content = .movie(remains)
            streams = remains.tracks.map { Stream($0) }
        }
    }

    var isPlain: Bool {
        switch content {
        case .movie(let movie): movie.isPlain
        case .audio(let wave): wave.isPlain
        }
    }

    /// Whether the file holds a frame or a sample.
    var hasContent: Bool { streams.contains { $0.codec != "tmcd" && $0.count > 0 } }

    /// End of the file's longest stream, since T0.
    var end: MediaTime { streams.indices.map { end(ofStream: $0) }.max() ?? start }

    /// End of a stream, since T0.
    func end(ofStream index: Int) -> MediaTime { time(of: streams[index].end, inStream: index) }

    /// Stretches of a stream's grid without frames between others, since T0.
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

    /// Makes the file whole.
    ///
    /// - Parameters:
    ///   - end: Time at which its streams are to end, since T0; `nil` for the end that each has.
    ///   - rates: Frame rates of its streams by index, where they are known.
    /// - Returns: Number of frames that each stream shows then; for audio, samples per channel.
    /// - Throws: `FileError` "write", "truncate" or "fdatasync".
    func makeWhole(until end: MediaTime?, rates: [Int: FrameRate]) throws(FileError) -> [Int64] {
        switch content {
        case .audio(let wave):
            let count = end.map {
                $0.ticks(perSecond: Int64(wave.format.rate)) - start.ticks(perSecond: Int64(wave.format.rate))
            }
            return [try wave.makeWhole(sampleCount: count.map { max(0, $0) })]
        case .movie(let movie):
            let ends = streams.indices.map { index -> Int64? in
                guard let end, streams[index].codec != "tmcd" else { return nil }
                let rate = streams[index].hasOwnTimes ? nil : rates[index] ?? streams[index].rate
                return self.tick(of: end, inStream: index, rate: rate)
            }
            let summary = try movie.makeWhole(ends: ends)
            return zip(streams, summary.tracks).map { stream, track in
                // Ticks of an audio track are samples, of which a packet has many.
                stream.codec == "aac"
                    ? track.duration : Int64(track.sampleCount) - stream.lead
            }
        }
    }

    /// Number of frames that each stream shows as it is; for audio, samples per channel.
    var counts: [Int64] {
        streams.map { $0.codec == "aac" ? max(0, $0.end) : $0.count - $0.lead }
    }

    /// A time since T0 in ticks of a stream from the file's time 0. Frames on a grid end at the grid's first tick at or after
    /// the time, unless the file's time scale is finer than the grid.
    private func tick(of end: MediaTime, inStream index: Int, rate: FrameRate?) -> Int64? {
        let scale = streams[index].timeScale
        guard let rate, scale == rate.frames else {
            return end.ticks(perSecond: scale) - start.ticks(perSecond: scale)
        }
        return (rate.ticks(before: end) - rate.ticks(before: start)) * rate.seconds
    }

    /// Number of frames in a stream that repeat the one before; 0 for audio.
    func repeatedCount(ofStream index: Int) throws(FileError) -> Int {
        switch content {
        case .movie(let movie): try movie.repeatedCount(ofTrack: index)
        case .audio: 0
        }
    }
}

extension RemainingFile.Stream {
    fileprivate init(_ track: MovieRecovery.Track) {
        switch track.description {
        case .video(let parameters, _, let name):
            (self.name, codec, timeScale) = (name, parameters.codec.rawValue, parameters.timeScale)
        case .audio(let parameters, let name):
            (self.name, codec, timeScale) = (name, parameters.codec.rawValue, parameters.timeScale)
        case .timecode(let timecode, let name):
            (self.name, codec, timeScale) = (name, "tmcd", timecode.rate.frames)
        }
        rate = track.rate
        end = track.end
        count = Int64(track.sampleCount)
        hasOwnTimes = track.description.hasOwnTimes
        lead = rate == nil && !hasOwnTimes ? 0 : Int64(track.leadCount)
        dropped = track.droppedCount
        holes = track.holes
    }
}
