public import Media
internal import Timing

extension Manifest {
    /// Completes the manifest of an interrupted recording from its files and events.
    ///
    /// - Parameters:
    ///   - tracks: Tracks of the recording.
    ///   - contents: What was found of each track, in the same order.
    ///   - lost: Endings of tracks of which nothing was on the disk.
    ///   - end: End of all tracks, since T0; `nil` where the recording had ended and only files were made whole.
    ///   - events: Events of the recording until the crash.
    ///   - version: Version of the program that recovers it.
    /// - Returns: A manifest with the outcome `recovered`.
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
            // Events tell of a role's last device; the clocks of those before it were known when it was exchanged.
            let role = devices[index].role
            guard devices.lastIndex(where: { $0.role == role }) == index else { continue }
            manifest.devices[index].clock = events.clock(devices[index].clock, of: role)
        }
        manifest.marks = events.marks.filter { $0.at_ns <= end.nanoseconds }
        let changes = events.changes.filter { $0.at_ns < end.nanoseconds }
        manifest.changes = changes.isEmpty ? self.changes : changes
        manifest.arrangements = arrangements.map { known in
            Self.arrangements(known, and: events.arrangements.filter { $0.at_ns < end.nanoseconds })
        }
        manifest.governor = events.governor
        manifest.publications = publications.map { events.publications(since: $0, until: end) }
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

    /// Joins the arrangements that a manifest has with those that events tell. Of one instant the last holds.
    private static func arrangements(_ known: [Arrangement], and told: [Arrangement]) -> [Arrangement] {
        let last = Dictionary((known + told).map { ($0.at_ns, $0) }, uniquingKeysWith: { $1 })
        return last.values.sorted { $0.at_ns < $1.at_ns }
    }

    /// The notes of an earlier recovery that was interrupted; `nil` where there was none, or where its notes are implausible.
    ///
    /// - Parameters:
    ///   - end: Common end of all tracks by their files, since T0. It may be earlier than the noted one, since the earlier
    ///     recovery may have cut some tracks.
    ///   - reach: End of the longest track, since T0.
    /// - Returns: What the earlier recovery noted of each track.
    public func begunRecovery(near end: MediaTime, until reach: MediaTime) -> Recovery? {
        // The longest tick that a grid may have, in nanoseconds.
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

    /// The manifest to write before a recovery changes files. If the recovery is interrupted, the next one ends all tracks at
    /// the same time and knows how far they reached.
    ///
    /// - Parameters:
    ///   - end: Common end of all tracks, since T0.
    ///   - endings: What becomes of the end of each track.
    ///   - version: Version of the program that recovers the recording.
    /// - Returns: This manifest with the end and the endings noted, and its outcome unchanged.
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
    /// Creates the entry of a file after a recovery, without a checksum.
    ///
    /// - Parameters:
    ///   - file: Path of the file, relative to the session folder.
    ///   - bytes: Size of the file in bytes.
    ///   - fault: What is wrong with the file, as a sentence; `nil` when nothing is.
    public init(recovered file: String, bytes: Int64, fault: String?) {
        self.init(file: file, bytes: bytes, verified: fault == nil, fault: fault)
    }

    /// Whether the file has no fault and no checksum: a recovery was interrupted before it read the file.
    public var lacksChecksum: Bool { verified && xxh3_128 == nil }
}

extension Manifest.Track {
    /// Creates a track of which only the file is known. `rate` is in frames per second, `nil` for audio.
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

    /// Number of frames that are not captured ones. Files of copied JPEGs tell it. In an encoded track a frame stands in for
    /// each lost frame, and for each tick that a slower camera had no frame for.
    private func repeatedCount(
        _ content: RecoveredContent, _ lost: [String: Int], _ gaps: [Gap], captureRate: FrameRate?
    ) -> Int64 {
        let told = min(content.repeated, content.written)
        guard codec != "mjpeg", grid != false, let rate = rate.flatMap({ FrameRate($0) }) else { return told }
        let shown = content.written - told
        let share = captureRate.map { min(1, $0.perSecond / rate.perSecond) } ?? 1
        let captured = Int64(rounding: Double(shown) * share)
        // A camera that is faster than the track has another frame for a tick whose frame was lost.
        guard captureRate.map({ $0 <= rate }) ?? true else { return content.written - captured }
        let missed = Int64(
            lost.filter { $0.key != LossCause.disk.rawValue }.values.reduce(0, +))
        let away = Gap.length(of: gaps.filter { $0.track == name && $0.cause != LossCause.disk.rawValue })
        let awayCount = Int64(rounding: Double(rate.ticks(before: away)) * share, .towardZero)
        return content.written - max(0, captured - max(missed, awayCount))
    }

    /// Number of frames that are missing up to `end`; 0 for a copied stream, whose frames are on no grid.
    private func missingFrames(_ content: RecoveredContent, until end: MediaTime) -> Int {
        guard grid != false, let rate = rate.flatMap({ FrameRate($0) }) else { return 0 }
        return content.missing(until: end).reduce(0) {
            $0 + Int(rate.ticks(before: $1.upperBound) - rate.ticks(before: $1.lowerBound))
        }
    }
}

extension Gap {
    /// Total length of some gaps; overlapping stretches count once.
    fileprivate static func length(of gaps: [Gap]) -> MediaTime {
        var (length, reached) = (Int64(0), Int64.min)
        for gap in gaps.sorted(by: { $0.from < $1.from }) {
            length += max(0, gap.to.nanoseconds - max(gap.from.nanoseconds, reached))
            reached = max(reached, gap.to.nanoseconds)
        }
        return MediaTime(nanoseconds: length)
    }
}
