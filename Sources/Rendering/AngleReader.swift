internal import MulticamEncoding
internal import MulticamInterchange
internal import MulticamMedia
internal import MulticamTiming

/// Reads the frames of one camera from the files of its track, for each tick of a rendering. Not thread-safe.
///
/// Ticks may be requested in any order; sequential access is fastest. If a file can't be read, a slate
/// replaces the frames of this file, and `fault` states the reason.
final class AngleReader {
    private let track: SessionTrack
    private let folder: String
    private let schedule: FrameSchedule?
    private let rate: FrameRate
    private var part: SessionPart?
    private var frames: RecordedFrames?
    /// Paths of files that couldn't be read. These files aren't opened again.
    private var failed: Set<String> = []
    /// A sentence that states why frames of the track are missing; `nil` if no frames are missing.
    private(set) var fault: String?

    /// Age of the last frame above which a slate is shown instead, as in `TrackAligner`.
    private static let slateAge = Nanoseconds.seconds(1)
    /// How long before a gap reading starts.
    private static let lead = Nanoseconds.milliseconds(250)

    /// Creates a reader. Files are opened later, when they are needed.
    ///
    /// - Parameters:
    ///   - track: The camera track to read.
    ///   - folder: Path of the session folder.
    ///   - schedule: The schedule of frames for each tick; `nil` for a track on a frame grid.
    init(_ track: SessionTrack, folder: String, schedule: FrameSchedule?) {
        self.track = track
        self.folder = folder
        self.schedule = schedule
        rate = track.rate ?? FrameRate(30)
    }

    /// Returns the frame that the camera shows at a tick.
    ///
    /// - Parameters:
    ///   - time: The time of the tick, relative to T0.
    ///   - tick: The index of the tick in the rendering.
    /// - Returns: The frame; `nil` for a slate.
    func frame(at time: MediaTime, tick: Int64) -> CapturedFrame? {
        // Frame times in a file are rounded, so the search accepts frames up to half a frame interval after
        // the expected time.
        var wanted = rate.time(ofTick: rate.nearestTick(to: time))
        var until = MediaTime(nanoseconds: wanted.nanoseconds + rate.interval.count / 2)
        if let schedule {
            guard let due = schedule.frame(at: tick) else { return nil }
            (wanted, until) = (due, MediaTime(nanoseconds: due.nanoseconds + 1000))
        }
        // The schedule omits unreadable files. The file before an unreadable one may contain frames for part
        // of its time range.
        let readable = schedule.map { schedule in
            track.parts.filter { schedule.startTime(of: $0.file) != nil }
        }
        let parts = readable ?? track.parts
        let begun = parts.last { startTime(of: $0) <= until }
        guard let part = begun ?? (track.isOnGrid ? nil : parts.first), !failed.contains(part.file),
            !track.isOnGrid || time < part.to
        else { return nil }
        if track.isOnGrid {
            // At a low frame rate, the nearest tick may be after the last frame of the part.
            let last = rate.time(ofTick: max(0, rate.ticks(before: part.to) - 1))
            if wanted > last {
                (wanted, until) = (last, MediaTime(nanoseconds: last.nanoseconds + rate.interval.count / 2))
            }
        }
        do throws(EncodingError) {
            guard let found = try find(until, for: wanted, in: part) else { return nil }
            let end = origin(of: part).nanoseconds + found.time.nanoseconds + rate.interval.count
            if track.isOnGrid, wanted.nanoseconds - end > Self.slateAge.count {
                fault = fault ?? "\(part.file): the file ends too early. A slate replaces the rest."
                return nil
            }
            let since = MediaTime(nanoseconds: origin(of: part).nanoseconds + found.runStart.nanoseconds)
            return schedule == nil && isSlate(since: since, at: wanted) ? nil : found.frame
        } catch {
            fault = fault ?? error.description
            failed.insert(part.file)
            return nil
        }
    }

    /// Returns the last frame of a part whose time is at or before `time`, for the tick at `instant`.
    private func find(
        _ time: MediaTime, for instant: MediaTime, in part: SessionPart
    ) throws(EncodingError) -> RecordedFrames.TimedFrame? {
        if part != self.part {
            frames = try RecordedFrames(part.file, in: folder, stream: part.stream)
            self.part = part
        }
        let origin = origin(of: part).nanoseconds
        let place = MediaTime(nanoseconds: time.nanoseconds - origin)
        var start: MediaTime?
        // A frame counts as a slate depending on when it was first shown, so reading must start before the
        // gap.
        if let gap = gap(at: instant), instant.nanoseconds - gap.from.nanoseconds < 2 * Self.slateAge.count {
            start = MediaTime(nanoseconds: gap.from.nanoseconds - Self.lead.count - origin)
        }
        let found = try frames?.frame(at: place, readFrom: start)
        return found.flatMap { $0.time <= place ? $0 : nil }
    }

    /// Returns the time at which the first frame of a part is shown.
    private func startTime(of part: SessionPart) -> MediaTime {
        schedule?.startTime(of: part.file) ?? origin(of: part)
    }

    /// Returns the time in the recording that corresponds to time 0 of a part's file. For frames on a grid,
    /// this is the time of the first tick in the file.
    private func origin(of part: SessionPart) -> MediaTime {
        track.isOnGrid ? rate.time(ofTick: rate.ticks(before: part.from)) : part.from
    }

    private func gap(at time: MediaTime) -> Gap? { track.gaps.first { $0.from <= time && time < $0.to } }

    /// Whether a frame of the track is the slate of a disconnected camera. The rendering draws its own slate
    /// instead.
    ///
    /// - Parameters:
    ///   - begin: Time at which the frame was first shown.
    ///   - time: The time to check.
    /// - Returns: Whether the rendering replaces the frame with its own slate.
    private func isSlate(since begin: MediaTime, at time: MediaTime) -> Bool {
        guard track.kind == .camera, let gap = gap(at: time) else { return false }
        let away = time.nanoseconds - gap.from.nanoseconds
        let begun = begin.nanoseconds - gap.from.nanoseconds
        return gap.from <= .zero || away > Self.slateAge.count + 2 * rate.interval.count
            || begun * 2 >= Self.slateAge.count
    }
}

extension FrameRate {
    /// Returns the tick nearest to a time. If two ticks are equally near, returns the earlier tick.
    func nearestTick(to time: MediaTime) -> Int64 {
        // Times are rounded to nanoseconds, so a time in the middle between two ticks may appear to be nearer
        // to the later tick.
        max(0, ticks(before: MediaTime(nanoseconds: time.nanoseconds - interval.count / 2 - 1000)))
    }
}

/// The frames to show at each tick, for a track with a variable frame rate. The frames are selected with the
/// same aligner as in a recording.
struct FrameSchedule: Sendable {
    /// A frame of the track.
    struct Frame {
        /// Capture time, relative to T0.
        let time: MediaTime
        /// Whether the frame can be decoded independently.
        let isKey: Bool
        /// Presentation time of the frame in the file, relative to T0.
        let shown: MediaTime

        /// Creates a frame. The presentation time equals the capture time, except for the first visible frame of a
        /// file.
        init(time: MediaTime, isKey: Bool, shown: MediaTime? = nil) {
            self.time = time
            self.isKey = isKey
            self.shown = shown ?? time
        }
    }

    /// For each tick, the presentation time of the frame in its file, relative to T0; `nil` for a slate.
    private let frames: [MediaTime?]
    /// Capture time of the first frame in each file, relative to T0. After a split, a file starts with its
    /// first key frame.
    private var begins: [String: MediaTime] = [:]
    /// Sentences that state why files of the track can't be read. The frames of these files aren't shown.
    private(set) var faults: [String] = []

    /// Creates a schedule by reading the frame times of a track and aligning them to ticks.
    ///
    /// - Parameters:
    ///   - track: A track with a variable frame rate, which isn't on a frame grid.
    ///   - folder: Path of the session folder.
    ///   - rate: Frame rate of the rendering.
    ///   - count: Number of ticks, starting at T0.
    init(_ track: SessionTrack, folder: String, rate: FrameRate, count: Int64) {
        var frames: [Frame] = []
        var begins: [String: MediaTime] = [:]
        var faults: [String] = []
        for part in track.parts {
            do throws(EncodingError) {
                let reader = try TrackReader(
                    part.file, in: folder, stream: part.stream, media: .video)
                let own = Self.captured(try reader.frameTimes(), from: part.from)
                begins[part.file] = own.first { $0.shown >= part.from }?.shown
                // A file may contain frames after its nominal end, up to the key frame of the next file.
                // Frames that are already listed are therefore skipped.
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

    /// Returns the capture times of the frames in a file. Frames before time 0 of the file are decoded but
    /// not shown. libavformat reports time 0 for the frame that is visible at time 0, so the capture time of
    /// this frame is estimated from the frames before and after it.
    ///
    /// - Parameters:
    ///   - times: The presentation times in the file, in order, and whether each frame is a key frame.
    ///   - start: Time 0 of the file, relative to T0.
    /// - Returns: The frames with their capture times, in the same order.
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

    /// Creates a schedule by aligning frames to ticks.
    ///
    /// - Parameters:
    ///   - captured: The frames, in order.
    ///   - interval: The camera's nominal frame interval.
    ///   - rate: Rate of the ticks.
    ///   - count: Number of ticks.
    init(_ captured: [Frame], interval: Nanoseconds, rate: FrameRate, count: Int64) {
        let start = ClockTime(nanoseconds: 0)
        let whole = Self.whole(captured, interval: interval)
        var aligner = TrackAligner<Int>(start: start, rate: rate, cameraInterval: interval)
        var frames: [MediaTime?] = []
        // More than one second after the last frame, only slates are shown, even if a damaged manifest states
        // a longer duration.
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

    /// Returns, for each frame, whether it can be decoded correctly. After a lost frame, decoding resumes at
    /// the next key frame, as in `H264Decoder`. A lower frame rate of the camera isn't considered a loss.
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

    /// Returns the capture time of the first frame in a file, relative to T0; `nil` if the file doesn't
    /// contain frames.
    func startTime(of file: String) -> MediaTime? { begins[file] }

    /// Returns the presentation time of the frame for a tick in its file, relative to T0; `nil` for a slate.
    func frame(at tick: Int64) -> MediaTime? {
        frames.indices.contains(Int(tick)) ? frames[Int(tick)] : nil
    }
}
