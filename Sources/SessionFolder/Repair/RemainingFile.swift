internal import Containers
internal import Media

/// One media file that is to be made whole, opened and locked.
struct RemainingFile {
    enum Content {
        case movie(MovieRecovery)
        case audio(WaveRecovery)
    }

    /// What it holds side by side, in the ticks of each since the file's time 0.
    struct Stream {
        let name: String
        let codec: String
        /// `nil` of audio, and of frames that keep their own times.
        let rate: FrameRate?
        /// Whether it is H.264 whose frames keep their own capture times in place of a grid's.
        let hasOwnTimes: Bool
        let timeScale: Int64
        let end: Int64
        let count: Int64
        /// Of those, frames that are not shown, since they are before the file's time 0.
        let lead: Int64
        let dropped: Int
        /// Where frames of its grid are missing.
        let holes: [Range<Int64>]

        /// Whether it is sound: neither frames on a grid nor frames with their own times.
        var isAudio: Bool { rate == nil && !hasOwnTimes }
    }

    /// From the session folder, or as it was given.
    let name: String
    /// Where its time 0 is, since T0.
    var start: MediaTime
    let content: Content
    let streams: [Stream]

    /// - Throws: When it cannot be opened, or is no file of ours.
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

    /// Whether it holds a frame or a sample.
    var hasContent: Bool { streams.contains { $0.codec != "tmcd" && $0.count > 0 } }

    /// When its last stream ends, since T0.
    var end: MediaTime { streams.indices.map { end(ofStream: $0) }.max() ?? start }

    /// When a stream ends, since T0.
    func end(ofStream index: Int) -> MediaTime { time(of: streams[index].end, inStream: index) }

    /// Where frames of a stream's grid are missing between others, since T0.
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

    /// Makes it whole, up to a time since T0; `nil` for what it has.
    ///
    /// - Parameters:
    ///   - end: Since T0.
    ///   - rates: The grids of its streams, where somebody knows them.
    /// - Returns: How many frames each stream shows then; of audio, samples per channel.
    /// - Throws: "write", "truncate", "fdatasync".
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
                // A sound track's ticks are samples, of which a packet has many.
                stream.codec == "aac"
                    ? track.duration : Int64(track.sampleCount) - stream.lead
            }
        }
    }

    /// How many frames each stream shows as it is; of audio, samples per channel.
    var counts: [Int64] {
        streams.map { $0.codec == "aac" ? max(0, $0.end) : $0.count - $0.lead }
    }

    /// In the ticks of a stream since the file's time 0. Frames on a grid end at its first tick at or after the time, but where the
    /// file's time scale is finer than the grid.
    private func tick(of end: MediaTime, inStream index: Int, rate: FrameRate?) -> Int64? {
        let scale = streams[index].timeScale
        guard let rate, scale == rate.frames else {
            return end.ticks(perSecond: scale) - start.ticks(perSecond: scale)
        }
        return (rate.ticks(before: end) - rate.ticks(before: start)) * rate.seconds
    }

    /// Frames that are the one before again.
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
