internal import Encoding
internal import Interchange
internal import Media
internal import Timing

/// Reads what one camera shows at each tick of a rendered picture, from the files of its track. Used by one thread alone.
///
/// Ticks may be asked for in any order; those that follow each other cost least. A file that cannot be read is a slate from there
/// on, and `fault` says why.
final class AngleReader {
    /// A frame and when it begins to be shown, since T0.
    private struct Shown {
        let frame: CapturedFrame
        let from: MediaTime
    }

    private let track: SessionTrack
    private let folder: String
    private let schedule: FrameSchedule?
    private let rate: FrameRate
    private var part: SessionPart?
    private var reader: TrackReader?
    private var shown: Shown?
    /// The frame that was read and is not shown yet.
    private var next: Shown?
    /// Files that could not be read; nobody tries again.
    private var failed: Set<String> = []
    /// Why the rest of a part is missing, as a sentence; `nil` where nothing is.
    private(set) var fault: String?

    /// Reading on is cheaper than seeking within this time.
    private static let nearby = Nanoseconds.seconds(1)
    /// Age of the last frame from which a recording shows a slate in its place, as in `TrackAligner`.
    private static let slateAge = Nanoseconds.seconds(1)
    /// How far before an instant reading begins, since key frames are decoded before they are shown.
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
        let begun = track.parts.last { begin(of: $0) <= until }
        guard let part = begun ?? (track.isOnGrid ? nil : track.parts.first), !failed.contains(part.file),
            !track.isOnGrid || wanted < part.to
        else { return nil }
        do throws(EncodingError) {
            try move(to: wanted, in: part)
            while let next, next.from <= until {
                shown = next
                self.next = try read(in: part)
            }
        } catch {
            fault = fault ?? error.description
            failed.insert(part.file)
            return nil
        }
        guard let shown, schedule != nil || !isSlate(shown, at: wanted) else { return nil }
        return shown.frame
    }

    /// Places the reader so that reading on comes to the frame of an instant.
    private func move(to time: MediaTime, in part: SessionPart) throws(EncodingError) {
        if part == self.part, hasRead(time) { return }
        (shown, next) = (nil, nil)
        if part != self.part {
            self.part = part
            reader = try TrackReader(
                path: folder + "/" + part.file, stream: part.stream, media: .video, isMeasured: false)
        }
        var start = time.nanoseconds - Self.lead.count
        // Whether a frame is a slate is seen from where it begins.
        if let gap = gap(at: time), time.nanoseconds - gap.from.nanoseconds < 2 * Self.slateAge.count {
            start = min(start, gap.from.nanoseconds - Self.lead.count)
        }
        try reader?.seek(to: MediaTime(nanoseconds: max(0, start - origin(of: part).nanoseconds)))
        next = try read(in: part)
    }

    /// Whether reading on comes to the frame of an instant soon, or it has been read.
    private func hasRead(_ time: MediaTime) -> Bool {
        let half = rate.interval.count / 2
        guard let place = (shown ?? next)?.from, time.nanoseconds >= place.nanoseconds - half else {
            return false
        }
        // Behind the last frame of a file there is nothing to seek for.
        return next.map { time.nanoseconds <= $0.from.nanoseconds + Self.nearby.count } ?? true
    }

    private func read(in part: SessionPart) throws(EncodingError) -> Shown? {
        guard let (frame, time) = try reader?.nextFrame() else { return nil }
        let from = MediaTime(nanoseconds: origin(of: part).nanoseconds + time.nanoseconds)
        // A JPEG that goes on has been shown since it began.
        if let last = next ?? shown, last.frame === frame { return Shown(frame: frame, from: last.from) }
        return Shown(frame: frame, from: from)
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
    private func isSlate(_ shown: Shown, at time: MediaTime) -> Bool {
        guard track.kind == .camera, let gap = gap(at: time) else { return false }
        let away = time.nanoseconds - gap.from.nanoseconds
        let begun = shown.from.nanoseconds - gap.from.nanoseconds
        return gap.from <= .zero || away > Self.slateAge.count + 2 * rate.interval.count
            || begun * 2 >= Self.slateAge.count
    }
}

extension FrameRate {
    /// The tick that is nearest to a time, the earlier one of two.
    func nearestTick(to time: MediaTime) -> Int64 {
        max(0, ticks(before: MediaTime(nanoseconds: time.nanoseconds - interval.count / 2)))
    }
}
