internal import Encoding
internal import Interchange
internal import Media
internal import Timing

/// Reads what one camera shows at each tick of a rendered picture, from the files of its track. Used by one thread alone.
///
/// Ticks may be asked for in any order; those that follow each other cost least. A file that cannot be read is a slate from there
/// on, and `fault` says why.
final class AngleReader {
    private let track: SessionTrack
    private let folder: String
    private let schedule: FrameSchedule?
    private let rate: FrameRate
    private var part: SessionPart?
    private var frames: RecordedFrames?
    /// Files that could not be read; nobody tries again.
    private var failed: Set<String> = []
    /// Why the rest of a part is missing, as a sentence; `nil` where nothing is.
    private(set) var fault: String?

    /// Age of the last frame from which a recording shows a slate in its place, as in `TrackAligner`.
    private static let slateAge = Nanoseconds.seconds(1)
    /// How far before a gap reading begins.
    private static let lead = Nanoseconds.milliseconds(250)

    /// Makes a reader that has opened no file yet.
    ///
    /// - Parameters:
    ///   - track: The camera's track.
    ///   - folder: Path of the session folder.
    ///   - schedule: Which frame of the track is shown at which tick; `nil` for a track on a grid.
    init(_ track: SessionTrack, folder: String, schedule: FrameSchedule?) {
        self.track = track
        self.folder = folder
        self.schedule = schedule
        rate = track.rate ?? FrameRate(30)
    }

    /// Reads the frame that the camera shows at an instant.
    ///
    /// - Parameters:
    ///   - time: The instant of a tick, since T0.
    ///   - tick: The tick of the rendered picture.
    /// - Returns: The frame; `nil` for a slate.
    func frame(at time: MediaTime, tick: Int64) -> CapturedFrame? {
        // Half a tick of the grid later a frame that is due is there, whatever a file's rounding.
        var wanted = rate.time(ofTick: rate.nearestTick(to: time))
        var until = MediaTime(nanoseconds: wanted.nanoseconds + rate.interval.count / 2)
        if let schedule {
            guard let due = schedule.frame(at: tick) else { return nil }
            (wanted, until) = (due, MediaTime(nanoseconds: due.nanoseconds + 1000))
        }
        // A file that cannot be read has no part in the schedule; the one before it may reach into its time.
        let readable = schedule.map { schedule in track.parts.filter { schedule.begin(of: $0.file) != nil } }
        let parts = readable ?? track.parts
        let begun = parts.last { begin(of: $0) <= until }
        guard let part = begun ?? (track.isOnGrid ? nil : parts.first), !failed.contains(part.file),
            !track.isOnGrid || time < part.to
        else { return nil }
        if track.isOnGrid {
            // The nearest tick of a slow camera may lie behind its last one.
            let last = rate.time(ofTick: max(0, rate.ticks(before: part.to) - 1))
            if wanted > last {
                (wanted, until) = (last, MediaTime(nanoseconds: last.nanoseconds + rate.interval.count / 2))
            }
        }
        do throws(EncodingError) {
            guard let found = try find(until, for: wanted, in: part) else { return nil }
            let end = origin(of: part).nanoseconds + found.time.nanoseconds + rate.interval.count
            if track.isOnGrid, wanted.nanoseconds - end > Self.slateAge.count {
                fault = fault ?? "\(part.file): it ends too early. A slate stands for the rest."
                return nil
            }
            let since = MediaTime(nanoseconds: origin(of: part).nanoseconds + found.since.nanoseconds)
            return schedule == nil && isSlate(since: since, at: wanted) ? nil : found.frame
        } catch {
            fault = fault ?? error.description
            failed.insert(part.file)
            return nil
        }
    }

    /// Finds the last frame of a part that begins at a time or earlier, for the tick of an instant.
    private func find(
        _ time: MediaTime, for instant: MediaTime, in part: SessionPart
    ) throws(EncodingError) -> RecordedFrames.Found? {
        if part != self.part {
            frames = try RecordedFrames(path: folder + "/" + part.file, stream: part.stream)
            self.part = part
        }
        let origin = origin(of: part).nanoseconds
        let place = MediaTime(nanoseconds: time.nanoseconds - origin)
        var start: MediaTime?
        // Whether a frame is a slate is seen from where it begins.
        if let gap = gap(at: instant), instant.nanoseconds - gap.from.nanoseconds < 2 * Self.slateAge.count {
            start = MediaTime(nanoseconds: gap.from.nanoseconds - Self.lead.count - origin)
        }
        let found = try frames?.frame(at: place, readFrom: start)
        return found.flatMap { $0.time <= place ? $0 : nil }
    }

    /// When the first frame of a part is shown.
    private func begin(of part: SessionPart) -> MediaTime {
        schedule?.begin(of: part.file) ?? origin(of: part)
    }

    /// Time 0 of a part's file: for frames on a grid the first tick in it.
    private func origin(of part: SessionPart) -> MediaTime {
        track.isOnGrid ? rate.time(ofTick: rate.ticks(before: part.from)) : part.from
    }

    private func gap(at time: MediaTime) -> Gap? { track.gaps.first { $0.from <= time && time < $0.to } }

    /// Whether the track's frame of an instant is the slate that stands for a camera that is away. The program draws its own.
    ///
    /// - Parameters:
    ///   - begin: Since when the frame is shown.
    ///   - time: The instant.
    /// - Returns: Whether the program draws a slate of its own in its place.
    private func isSlate(since begin: MediaTime, at time: MediaTime) -> Bool {
        guard track.kind == .camera, let gap = gap(at: time) else { return false }
        let away = time.nanoseconds - gap.from.nanoseconds
        let begun = begin.nanoseconds - gap.from.nanoseconds
        return gap.from <= .zero || away > Self.slateAge.count + 2 * rate.interval.count
            || begun * 2 >= Self.slateAge.count
    }
}

extension FrameRate {
    /// The tick that is nearest to a time, the earlier one of two.
    func nearestTick(to time: MediaTime) -> Int64 {
        // Times are rounded to nanoseconds, so what is as far from both may seem to be nearer to the later one.
        max(0, ticks(before: MediaTime(nanoseconds: time.nanoseconds - interval.count / 2 - 1000)))
    }
}
