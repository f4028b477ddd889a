internal import Encoding
internal import Interchange
internal import Media
internal import Timing

/// Which frame of a track whose frames keep their own capture times is shown at which tick: decided as a recording decides it, by
/// the session's own aligner. A value.
struct FrameSchedule: Sendable {
    /// A frame of the track.
    struct Frame {
        /// When it was captured, since T0.
        let time: MediaTime
        /// Whether it can be decoded without others.
        let isKey: Bool
        /// When its file shows it, since T0.
        let shown: MediaTime

        /// Describes a frame; its file shows it when it was captured, but for the one that a file begins to show.
        init(time: MediaTime, isKey: Bool, shown: MediaTime? = nil) {
            self.time = time
            self.isKey = isKey
            self.shown = shown ?? time
        }
    }

    /// When its file shows each tick's frame, since T0; `nil` for a slate.
    private let frames: [MediaTime?]
    /// When the first frame of each file was captured, since T0. A file after a split begins with the first key frame after it.
    private var begins: [String: MediaTime] = [:]
    /// Why files of the track cannot be read, as sentences; none of their frames is shown.
    private(set) var faults: [String] = []

    /// Reads the times of a track's frames, and aligns them.
    ///
    /// - Parameters:
    ///   - track: A track that is not on a grid.
    ///   - folder: Path of the session folder.
    ///   - rate: Rate of the rendered picture.
    ///   - count: Number of ticks from T0 on.
    init(_ track: SessionTrack, folder: String, rate: FrameRate, count: Int64) {
        var frames: [Frame] = []
        var begins: [String: MediaTime] = [:]
        var faults: [String] = []
        for part in track.parts {
            do throws(EncodingError) {
                let reader = try TrackReader(
                    path: folder + "/" + part.file, stream: part.stream, media: .video)
                let own = Self.captured(try reader.frameTimes(), from: part.from)
                begins[part.file] = own.first { $0.shown >= part.from }?.shown
                // What a file keeps beyond its end, up to the next one's key frame, is in order all the same.
                for frame in own where frames.last.map({ $0.time < frame.time }) ?? true {
                    frames.append(frame)
                }
            } catch {
                faults.append(error.description)
            }
        }
        self.init(frames, interval: (track.rate ?? rate).interval, rate: rate, count: count)
        (self.begins, self.faults) = (begins, faults)
    }

    /// When the frames of a file were captured. Frames before its time 0 are only decoded, and libavformat gives time 0 to the one that is
    /// shown then: it was captured between its neighbours.
    ///
    /// - Parameters:
    ///   - times: The times in the file, in order, and whether each frame is a key frame.
    ///   - start: Time 0 of the file, since T0.
    /// - Returns: The frames, in the same order.
    static func captured(_ times: [(time: MediaTime, isKey: Bool)], from start: MediaTime) -> [Frame] {
        times.indices.map { index in
            let (place, isKey) = times[index]
            var time = place
            if place == .zero, index > 0, index + 1 < times.count {
                let (before, after) = (times[index - 1].time.nanoseconds, times[index + 1].time.nanoseconds)
                time = min(.zero, MediaTime(nanoseconds: before + (after - before) / 2))
            }
            return Frame(
                time: MediaTime(nanoseconds: start.nanoseconds + time.nanoseconds), isKey: isKey,
                shown: MediaTime(nanoseconds: start.nanoseconds + place.nanoseconds))
        }
    }

    /// Aligns frames.
    ///
    /// - Parameters:
    ///   - captured: The frames, in order.
    ///   - interval: The camera's nominal interval.
    ///   - rate: Rate of the ticks.
    ///   - count: Number of ticks.
    init(_ captured: [Frame], interval: Nanoseconds, rate: FrameRate, count: Int64) {
        let start = ClockTime(nanoseconds: 0)
        let whole = Self.whole(captured, interval: interval)
        var aligner = TrackAligner<Int>(start: start, rate: rate, cameraInterval: interval)
        var frames: [MediaTime?] = []
        // A second after the last frame there are slates alone, whatever length a damaged manifest claims.
        let end = captured.last.map { last in
            rate.ticks(before: MediaTime(nanoseconds: last.time.nanoseconds))
                + rate.ticks(before: .init(nanoseconds: 2_000_000_000))
        }
        let count = min(count, end ?? 0)
        var added = 0
        var last: MediaTime?
        for tick in 0..<max(0, count) {
            let due = rate.time(ofTick: tick).nanoseconds + interval.count
            while added < captured.count, captured[added].time.nanoseconds <= due {
                aligner.add(added, capturedAt: ClockTime(nanoseconds: captured[added].time.nanoseconds))
                added += 1
            }
            switch aligner.choose(tick: tick) {
            case .show(let index): if whole[index] { last = captured[index].shown }
            case .repeatLast: break
            case .slate: last = nil
            }
            frames.append(last)
        }
        self.frames = frames
    }

    /// Whether each frame is what the camera saw: after a lost one the next that can be decoded alone is awaited, as
    /// `H264Decoder` does. A camera that delivers fewer frames has lost none.
    private static func whole(_ frames: [Frame], interval: Nanoseconds) -> [Bool] {
        var (isWhole, usual) = (true, interval.count)
        return frames.indices.map { index in
            if index > 0 {
                let gap = frames[index].time.nanoseconds - frames[index - 1].time.nanoseconds
                if gap * 2 > max(usual, interval.count) * 3 { isWhole = false }
                usual = gap
            }
            if frames[index].isKey { isWhole = true }
            return isWhole
        }
    }

    /// When the first frame of a file was captured, since T0; `nil` where it has none.
    func begin(of file: String) -> MediaTime? { begins[file] }

    /// When the file shows the frame of a tick, since T0; `nil` for a slate.
    func frame(at tick: Int64) -> MediaTime? {
        frames.indices.contains(Int(tick)) ? frames[Int(tick)] : nil
    }
}
