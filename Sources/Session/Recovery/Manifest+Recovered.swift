public import Media

extension Manifest {
    /// The manifest of a recording that did not come to its end, completed from its files and its events.
    ///
    /// - Parameters:
    ///   - tracks: Those of the recording.
    ///   - contents: What was found of each, in the same order.
    ///   - end: Where all of them end; `nil` where the recording had ended, and only files were made whole.
    ///   - events: What happened until then.
    ///   - version: Of the program that recovered it.
    /// - Returns: With the outcome `recovered`.
    public func recovered(
        tracks: [Track], contents: [RecoveredContent], end: MediaTime?, events: RecordedEvents,
        version: String
    ) -> Manifest {
        var manifest = self
        manifest.outcome = .recovered
        manifest.recovery = Recovery(multicam: version, tracks: contents.map(\.ending))
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
        manifest.tracks = zip(tracks, contents).map { $0.recovered($1, end, events, manifest.gaps) }
        return manifest
    }

    /// What a recovery noted that was interrupted; `nil` where none was, or what it noted cannot be.
    public var begunRecovery: Recovery? {
        // No recording is longer than three years: sums of such numbers fit.
        let plausible = Int64(0)...100_000_000_000_000_000
        guard outcome == .recording, let recovery, duration_ns > 0, plausible.contains(duration_ns),
            recovery.tracks.allSatisfy({
                plausible.contains($0.cut_ns) && plausible.contains($0.filled_ns)
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
        _ content: RecoveredContent, _ end: MediaTime, _ events: RecordedEvents, _ gaps: [Gap]
    ) -> Self {
        var track = self
        track.duration_ns = max(0, (ended_ns ?? end.nanoseconds) - max(0, first_ns))
        if !content.isThere { track.failure = content.ending.text }
        if kind == "microphone" {
            let filled = min(
                content.written,
                Gap.length(of: gaps.filter { $0.track == name }).ticks(
                    perSecond: Int64(SoundFormat.sessionRate)))
            track.samples = Manifest.Samples(
                written: content.written, captured: content.written - filled, filled: filled)
        } else {
            var lost = events.lost(of: name, until: end)
            let missing = missingPictures(content, until: end)
            if missing > 0 { lost[LossCause.disk.rawValue, default: 0] += missing }
            track.encoder = encoder.map { events.encoder($0, of: name) }
            // Whether a picture of an encoded track is the one before again cannot be told any more: it counts as captured.
            let repeated = min(content.repeated, content.written)
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
    /// A copied stream's pictures are on no grid: how many are missing cannot be told.
    private func missingPictures(_ content: RecoveredContent, until end: MediaTime) -> Int {
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
