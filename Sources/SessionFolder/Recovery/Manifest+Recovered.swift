public import Media
internal import Timing

extension Manifest {
    /// The manifest of a recording that did not come to its end, completed from its files and its events.
    ///
    /// - Parameters:
    ///   - tracks: Those of the recording.
    ///   - contents: What was found of each, in the same order.
    ///   - lost: Of tracks of which nothing was on the disk, what became of them.
    ///   - end: Where all of them end; `nil` where the recording had ended, and only files were made whole.
    ///   - events: What happened until then.
    ///   - version: Of the program that recovered it.
    /// - Returns: With the outcome `recovered`.
    public func recovered(
        tracks: [Track], contents: [RecoveredContent], lost: [RecoveredTrack] = [], end: MediaTime?,
        events: RecordedEvents, version: String
    ) -> Manifest {
        var manifest = self
        manifest.outcome = .recovered
        manifest.recovery = Recovery(multicam: version, tracks: contents.map(\.ending) + lost)
        guard let end else { return manifest }
        manifest.duration_ns = end.nanoseconds
        for index in manifest.devices.indices {
            manifest.devices[index].clock = events.clock(devices[index].clock, of: devices[index].role)
        }
        manifest.marks = events.marks.filter { $0.at_ns <= end.nanoseconds }
        manifest.governor = events.governor
        manifest.gaps = events.gaps(until: end)
        for (track, content) in zip(tracks, contents) where content.isThere {
            manifest.gaps += content.missing(until: end).map {
                Gap(track: track.name, from: $0.lowerBound, to: $0.upperBound, cause: LossCause.disk.rawValue)
            }
        }
        manifest.tracks = zip(tracks, contents).map { track, content in
            let camera = devices.first { $0.kind == "camera" && $0.role == track.role ?? track.name }
            return track.recovered(
                content, end, events, manifest.gaps, captureRate: camera.flatMap { FrameRate($0.format.rate) }
            )
        }
        return manifest
    }

    /// What a recovery noted that was interrupted; `nil` where none was, or what it noted cannot be.
    ///
    /// - Parameters:
    ///   - end: Where all tracks would end by their files. What was begun may have cut some, so that they tell an earlier end.
    ///   - reach: How far the longest of them reaches.
    /// - Returns: What it noted of each track.
    public func begunRecovery(near end: MediaTime, until reach: MediaTime) -> Recovery? {
        // The longest tick of a grid.
        let tick: Int64 = 1_000_000_000
        guard outcome == .recording, let recovery, duration_ns > 0,
            (end.nanoseconds - tick...reach.nanoseconds + tick).contains(duration_ns),
            recovery.tracks.allSatisfy({
                $0.cut_ns >= 0 && $0.filled_ns >= 0
                    && max($0.cut_ns, $0.filled_ns) <= reach.nanoseconds + 10 * tick
            })
        else { return nil }
        return recovery
    }

    /// The manifest of a recording whose recovery begins now: whoever goes on with it ends all tracks where this one does, and
    /// knows how far they reached.
    public func beginningRecovery(
        until end: MediaTime, endings: [RecoveredTrack], version: String
    ) -> Manifest {
        var manifest = self
        manifest.duration_ns = end.nanoseconds
        manifest.recovery = Recovery(multicam: version, tracks: endings)
        return manifest
    }
}

extension Manifest.File {
    /// A file that was made whole, or could not be, before its checksum is known.
    ///
    /// - Parameters:
    ///   - file: From the folder.
    ///   - bytes: Its size.
    ///   - fault: What is wrong with it, as a sentence; `nil` when nothing is.
    public init(recovered file: String, bytes: Int64, fault: String?) {
        self.init(file: file, bytes: bytes, verified: fault == nil, fault: fault)
    }

    /// Whether nobody has read all of it yet, though nothing is wrong with it: a recovery was interrupted.
    public var lacksChecksum: Bool { verified && xxh3_128 == nil }
}

extension Manifest.Track {
    /// A track of which only its file is known.
    public init(name: String, kind: String, file: String, stream: Int, codec: String, rate: Double?) {
        self.init(
            name: name, kind: kind, file: file, stream: stream, codec: codec, width: nil, height: nil,
            rate: rate,
            first_ns: 0, duration_ns: 0)
    }

    fileprivate func recovered(
        _ content: RecoveredContent, _ end: MediaTime, _ events: RecordedEvents, _ gaps: [Gap],
        captureRate: FrameRate?
    ) -> Self {
        var track = self
        track.duration_ns = max(0, (ended_ns ?? end.nanoseconds) - max(0, first_ns))
        if !content.isThere { track.failure = content.ending.text }
        if kind == "microphone" {
            let filled = min(
                content.written,
                Gap.length(of: gaps.filter { $0.track == name }).ticks(
                    perSecond: Int64(AudioFormat.sessionRate)))
            track.samples = Manifest.Samples(
                written: content.written, captured: content.written - filled, filled: filled)
        } else {
            var lost = events.lost(of: name, until: end)
            let missing = missingFrames(content, until: end)
            if missing > 0 { lost[LossCause.disk.rawValue, default: 0] += missing }
            track.encoder = encoder.map { events.encoder($0, of: name) }
            let repeated = repeatedCount(content, lost, gaps, captureRate: captureRate)
            track.frames = Manifest.Frames(
                written: Int(content.written), captured: Int(content.written - repeated), skipped: 0,
                repeated: Int(repeated), slate: 0, lost: lost)
        }
        if !content.parts.isEmpty {
            track.parts = content.parts.map(\.file)
            track.part_details = content.parts.map {
                Manifest.Part(file: $0.file, first_ns: $0.start.nanoseconds, width: nil, height: nil)
            }
        }
        return track
    }

    /// Frames that are not captured ones. Of copied JPEGs the file tells it. In an encoded track a frame stands in for each that was
    /// lost, and for each tick that a slower camera had no frame for.
    private func repeatedCount(
        _ content: RecoveredContent, _ lost: [String: Int], _ gaps: [Gap], captureRate: FrameRate?
    ) -> Int64 {
        let told = min(content.repeated, content.written)
        guard codec != "mjpeg", grid != false, let rate = rate.flatMap({ FrameRate($0) }) else { return told }
        let shown = content.written - told
        let share = captureRate.map { min(1, $0.perSecond / rate.perSecond) } ?? 1
        let captured = Int64(rounding: Double(shown) * share)
        // A camera that is faster than the track has another frame for the tick.
        guard captureRate.map({ $0 <= rate }) ?? true else { return content.written - captured }
        let missed = Int64(
            lost.filter { $0.key != LossCause.disk.rawValue }.values.reduce(0, +))
        let away = Gap.length(of: gaps.filter { $0.track == name && $0.cause != LossCause.disk.rawValue })
        let awayCount = Int64(rounding: Double(rate.ticks(before: away)) * share, .towardZero)
        return content.written - max(0, captured - max(missed, awayCount))
    }

    /// A copied stream's frames are on no grid: how many are missing cannot be told.
    private func missingFrames(_ content: RecoveredContent, until end: MediaTime) -> Int {
        guard grid != false, let rate = rate.flatMap({ FrameRate($0) }) else { return 0 }
        return content.missing(until: end).reduce(0) {
            $0 + Int(rate.ticks(before: $1.upperBound) - rate.ticks(before: $1.lowerBound))
        }
    }
}

extension Gap {
    /// How long gaps are together; where they overlap, once.
    fileprivate static func length(of gaps: [Gap]) -> MediaTime {
        var (length, reached) = (Int64(0), Int64.min)
        for gap in gaps.sorted(by: { $0.from < $1.from }) {
            length += max(0, gap.to.nanoseconds - max(gap.from.nanoseconds, reached))
            reached = max(reached, gap.to.nanoseconds)
        }
        return MediaTime(nanoseconds: length)
    }
}
