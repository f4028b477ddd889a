internal import FoundationEssentials
package import MulticamMedia
internal import MulticamTiming

extension Manifest {
    /// The result of recovering an interrupted recording.
    package struct Recovery: Sendable, Equatable, Codable {
        /// Version of multicam that recovered the recording.
        package var multicam: String
        /// The end of each track after the recovery.
        package var tracks: [RecoveredTrack]
    }

    /// The end of a track after a recovery: the trimmed and padded lengths.
    package struct RecoveredTrack: Sendable, Equatable, Codable {
        /// Name of the track.
        package var track: String
        /// Length in nanoseconds of the part of the track after the common end. This part stays in the file
        /// but isn't played.
        package var cut_ns: Int64
        /// Length in nanoseconds that is missing before the common end and is padded with the last frame or with
        /// silence.
        package var padded_ns: Int64
        /// The losses, as a human-readable sentence.
        package var text: String

        /// Creates the entry of a track. Lengths are in nanoseconds; `text` is a human-readable sentence.
        package init(track: String, cut_ns: Int64, padded_ns: Int64, text: String) {
            self.track = track
            self.cut_ns = cut_ns
            self.padded_ns = padded_ns
            self.text = text
        }
    }
}

extension Manifest {
    /// Completes the manifest of an interrupted recording from its files and events.
    ///
    /// - Parameters:
    ///   - tracks: Tracks of the recording.
    ///   - contents: Content found for each track, in the same order.
    ///   - lost: Entries for the ends of tracks without content on disk.
    ///   - end: End of all tracks, relative to T0; `nil` if the recording had already ended and only files
    ///     were recovered.
    ///   - events: Events of the recording until the crash.
    ///   - version: Version of the program that performs the recovery.
    /// - Returns: A manifest with the outcome `recovered`.
    package func recovered(
        tracks: [Track], contents: [RecoveredContent], lost: [RecoveredTrack] = [], end: MediaTime?,
        events: RecordedEvents, version: String
    ) -> Manifest {
        var manifest = self
        manifest.outcome = .recovered
        manifest.recovery = Recovery(multicam: version, tracks: contents.map(\.ending) + lost)
        guard let end else { return manifest }
        manifest.duration_ns = end.nanoseconds
        for index in manifest.devices.indices {
            // Events describe only the last device of a role. The clock states of earlier devices were stored
            // when those devices were replaced.
            let role = devices[index].role
            guard devices.lastIndex(where: { $0.role == role }) == index else { continue }
            manifest.devices[index].clock = events.clock(devices[index].clock, of: role)
        }
        manifest.markers = events.markers.filter { $0.at_ns <= end.nanoseconds }
        let changes = events.changes.filter { $0.at_ns < end.nanoseconds }
        manifest.changes = changes.isEmpty ? self.changes : changes
        manifest.arrangements = arrangements.map { known in
            Self.arrangements(known, and: events.arrangements.filter { $0.at_ns < end.nanoseconds })
        }
        if arrangements != nil {
            let framings = Self.framings(
                framings ?? [], and: events.framings.filter { $0.at_ns < end.nanoseconds })
            manifest.framings = framings.isEmpty ? nil : framings
        }
        manifest.governor = events.governor
        manifest.live_outputs = live_outputs.map { events.liveOutputs(since: $0, until: end) }
        manifest.gaps = events.gaps(until: end).compactMap { gap in
            gap.ending(by: tracks.first { $0.name == gap.track }?.end(by: end) ?? end)
        }
        for (track, content) in zip(tracks, contents) where content.isThere {
            manifest.gaps += content.missing(until: track.end(by: end)).map {
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

    /// Merges the arrangements of the manifest with those of the events. If several arrangements have the
    /// same time, the last one applies.
    private static func arrangements(_ known: [Arrangement], and logged: [Arrangement]) -> [Arrangement] {
        let last = Dictionary((known + logged).map { ($0.at_ns, $0) }, uniquingKeysWith: { $1 })
        return last.values.sorted { $0.at_ns < $1.at_ns }
    }

    /// Merges the motions of the manifest with those of the events, like the arrangements.
    private static func framings(_ known: [Framing], and logged: [Framing]) -> [Framing] {
        struct Key: Hashable {
            let at: Int64
            let role: String
        }
        let last = Dictionary(
            (known + logged).map { (Key(at: $0.at_ns, role: $0.role), $0) }, uniquingKeysWith: { $1 })
        return last.values.sorted { ($0.at_ns, $0.role) < ($1.at_ns, $1.role) }
    }

    /// Returns the recovery entry that an interrupted recovery left in the manifest; `nil` if it is missing
    /// or implausible.
    ///
    /// - Parameters:
    ///   - end: Common end of all tracks according to their files, relative to T0. This end may be earlier than the
    ///     stored end, because the interrupted recovery may have trimmed some tracks.
    ///   - reach: End of the longest track, relative to T0.
    /// - Returns: The stored recovery entry.
    package func unfinishedRecovery(near end: MediaTime, until reach: MediaTime) -> Recovery? {
        // Maximum duration of a grid tick, in nanoseconds.
        let tick: Int64 = 1_000_000_000
        guard outcome == .recording, let recovery, duration_ns > 0,
            (end.nanoseconds - tick...reach.nanoseconds + tick).contains(duration_ns),
            recovery.tracks.allSatisfy({
                $0.cut_ns >= 0 && $0.padded_ns >= 0
                    && max($0.cut_ns, $0.padded_ns) <= reach.nanoseconds + 10 * tick
            })
        else { return nil }
        return recovery
    }

    /// Returns the manifest to write before a recovery modifies files. If the recovery is interrupted, the next
    /// recovery can then use the same common end and the original track lengths.
    ///
    /// - Parameters:
    ///   - end: Common end of all tracks, relative to T0.
    ///   - endings: The planned change to the end of each track.
    ///   - version: Version of the program that performs the recovery.
    /// - Returns: This manifest with the common end and the planned track ends added. The outcome is
    ///   unchanged.
    package func beginningRecovery(
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
    ///   - fault: Description of the file's fault, as a sentence; `nil` if the file is intact.
    package init(recovered file: String, bytes: Int64, fault: String?) {
        self.init(file: file, bytes: bytes, verified: fault == nil, fault: fault)
    }

    /// Whether the file has neither a fault nor a checksum, because a recovery was interrupted before it read the file.
    package var lacksChecksum: Bool { verified && xxh3_128 == nil }
}

extension Manifest.Track {
    /// Creates a track from the properties of its file. `rate` is in frames per second; `nil` for audio.
    package init(name: String, kind: String, file: String, stream: Int, codec: String, rate: Double?) {
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
            let silence = min(
                content.written,
                Gap.length(of: gaps.filter { $0.track == name }).ticks(
                    perSecond: Int64(AudioFormat.sessionRate)))
            track.samples = Manifest.Samples(
                written: content.written, captured: content.written - silence, silence: silence)
        } else {
            var lost = events.lost(of: name, until: self.end(by: end))
            let missing = missingFrames(content, until: self.end(by: end))
            if missing > 0 { lost[LossCause.disk.rawValue, default: 0] += missing }
            track.encoder = encoder.map { events.encoder($0, of: name) }
            let duplicated = duplicatedCount(content, lost, gaps, captureRate: captureRate)
            track.frames = Manifest.Frames(
                written: Int(content.written), captured: Int(content.written - duplicated), decimated: 0,
                duplicated: Int(duplicated), slate: 0, lost: lost)
        }
        if !content.parts.isEmpty {
            track.parts = content.parts.map(\.file)
            track.part_details = content.parts.map {
                Manifest.Part(file: $0.file, first_ns: $0.start.nanoseconds, width: nil, height: nil)
            }
        }
        return track
    }

    /// Returns the number of frames in a track that weren't captured. For copied JPEGs, the file contains
    /// this number. In an encoded track, a duplicated frame replaces each lost frame and fills each tick that
    /// lacks a new frame because the camera is slower than the track.
    private func duplicatedCount(
        _ content: RecoveredContent, _ lost: [String: Int], _ gaps: [Gap], captureRate: FrameRate?
    ) -> Int64 {
        let duplicated = min(content.duplicated, content.written)
        guard codec != "mjpeg", variable_rate != true, let rate = rate.flatMap({ FrameRate($0) }) else {
            return duplicated
        }
        let shown = content.written - duplicated
        let share = captureRate.map { min(1, $0.perSecond / rate.perSecond) } ?? 1
        let captured = Int64(rounding: Double(shown) * share)
        // If the camera is faster than the track, another frame is available for the tick of a lost frame.
        guard captureRate.map({ $0 <= rate }) ?? true else { return content.written - captured }
        let missed = Int64(
            lost.filter { $0.key != LossCause.disk.rawValue }.values.reduce(0, +))
        let away = Gap.length(of: gaps.filter { $0.track == name && $0.cause != LossCause.disk.rawValue })
        let awayCount = Int64(rounding: Double(rate.ticks(before: away)) * share, .towardZero)
        return content.written - max(0, captured - max(missed, awayCount))
    }

    /// End of the track in a recording that ends at `end`, relative to T0. A track ends earlier than `end` if it was
    /// stopped before the crash.
    fileprivate func end(by end: MediaTime) -> MediaTime {
        ended_ns.map { min(MediaTime(nanoseconds: max(0, $0)), end) } ?? end
    }

    /// Returns the number of frames missing before `end`; 0 for a copied stream, because its frames aren't aligned to a
    /// grid.
    private func missingFrames(_ content: RecoveredContent, until end: MediaTime) -> Int {
        guard variable_rate != true, let rate = rate.flatMap({ FrameRate($0) }) else { return 0 }
        return content.missing(until: end).reduce(0) {
            $0 + Int(rate.ticks(before: $1.upperBound) - rate.ticks(before: $1.lowerBound))
        }
    }
}

extension Gap {
    /// Returns the part of the gap before `end`; `nil` if the gap doesn't begin before `end`.
    fileprivate func ending(by end: MediaTime) -> Gap? {
        from < end ? Gap(track: track, from: from, to: min(to, end), cause: cause) : nil
    }

    /// Returns the total length of the gaps. Overlapping ranges count once.
    fileprivate static func length(of gaps: [Gap]) -> MediaTime {
        var (length, reached) = (Int64(0), Int64.min)
        for gap in gaps.sorted(by: { $0.from < $1.from }) {
            length += max(0, gap.to.nanoseconds - max(gap.from.nanoseconds, reached))
            reached = max(reached, gap.to.nanoseconds)
        }
        return MediaTime(nanoseconds: length)
    }
}

extension Manifest {
    /// Tolerance for the end of a track, in nanoseconds. A track with an intact file was stopped early if it
    /// ends before the recording by more than this tolerance.
    private static let longestRounding: Int64 = 100_000_000

    /// Recreates a lost manifest from the files and events of a recording. The profile, the devices and the recording
    /// computer are unknown.
    ///
    /// - Parameters:
    ///   - chains: The media files, at least one of which is readable.
    ///   - tracks: The tracks in those files.
    ///   - events: Events of the recording.
    init(rebuiltFrom chains: [FileChain], tracks: [Track], _ events: RecordedEvents) {
        let files = chains.flatMap(\.files)
        let end = files.map(\.end).max() ?? .zero
        let created = files.lazy.compactMap { file in
            file.createdAt?.addingTimeInterval(-Double(file.start.nanoseconds) / 1e9)
        }.first
        self.init(
            multicam: MulticamVersion.current, profile: "unknown",
            started: Self.timeStamp(created ?? Date(timeIntervalSince1970: 0)),
            t0_monotonic_ns: events.monotonicStart ?? 0, duration_ns: 0,
            alignment_delay_ns: 0, outcome: .recording,
            machine: Machine(host: "unknown", system: "unknown", processors: 0), devices: [],
            tracks: tracks.map { track in
                var track = track
                let last = chains.first { $0.base == track.file }?.files.last
                if track.kind != "program", let last, last.isPlain,
                    end.nanoseconds - last.end.nanoseconds > Self.longestRounding
                {
                    track.ended_ns = last.end.nanoseconds
                }
                return track
            }, governor: [], markers: [], gaps: [])
    }
}

/// Content of one track after a recovery, for the manifest.
package struct RecoveredContent: Sendable, Equatable {
    /// A file that continues the track after its first file.
    package struct Part: Sendable, Equatable {
        /// Path of the file, relative to the session folder.
        package let file: String
        /// Position of the file's time 0, relative to T0.
        package let start: MediaTime

        /// Creates a part whose time 0 is at `start`, relative to T0.
        package init(file: String, start: MediaTime) {
            self.file = file
            self.start = start
        }
    }

    /// Maximum length in nanoseconds of a range that counts as a rounding error, less than a tick of any frame rate.
    /// The ends of tracks with different time bases differ by up to this value.
    private static let rounding: Int64 = 1_000_000

    /// Number of frames, or samples per channel, in the track's files after the recovery.
    package let written: Int64
    /// Number of duplicated frames included in `written`; 0 for audio.
    package let duplicated: Int64
    /// Ranges between recorded frames that have no data on disk, relative to T0.
    package let holes: [Range<MediaTime>]
    /// The end of the track after the recovery: the trimmed and padded lengths.
    package let ending: Manifest.RecoveredTrack
    /// Files that continue the track after its first file.
    package let parts: [Part]
    /// Whether any content of the track can be read.
    package let isThere: Bool

    /// Creates the content of a track.
    ///
    /// - Parameters:
    ///   - written: Number of frames, or samples per channel, in the track's files.
    ///   - duplicated: Number of duplicated frames included in `written`.
    ///   - holes: Ranges between recorded frames that have no data on disk, relative to T0.
    ///   - ending: How the recovery changed the end of the track.
    ///   - parts: Files that continue the track after its first file.
    ///   - isThere: Whether any content of the track can be read.
    package init(
        written: Int64, duplicated: Int64, holes: [Range<MediaTime>], ending: Manifest.RecoveredTrack,
        parts: [Part], isThere: Bool
    ) {
        self.written = written
        self.duplicated = duplicated
        self.holes = holes
        self.ending = ending
        self.parts = parts
        self.isThere = isThere
    }

    /// Returns the ranges before the end of the recording that have no data on disk, relative to T0: the holes, and the
    /// padded part at the end.
    func missing(until end: MediaTime) -> [Range<MediaTime>] {
        let padded = max(.zero, MediaTime(nanoseconds: end.nanoseconds - ending.padded_ns))..<end
        return (holes.map { $0.clamped(to: .zero..<end) } + [padded]).filter {
            $0.upperBound.nanoseconds - $0.lowerBound.nanoseconds > Self.rounding
        }
    }
}
