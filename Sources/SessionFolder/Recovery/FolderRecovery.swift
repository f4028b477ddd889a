internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamSystem

/// Recovers a session folder: its media files, its manifest and its events.
struct FolderRecovery {
    let contained: ContainedFolder
    let progress: @Sendable (String) -> Void

    private var folder: String { contained.path }

    /// Maximum duration in nanoseconds that a crash may remove from a track. Data that is newer than this may
    /// not have reached the disk before the crash.
    private static let longestLoss: Int64 = 1_000_000_000

    func run() throws(RecoveryError) -> RecoveryReport {
        do throws(FileError) {
            let journal = try EventJournal(folder: contained)
            let drafts = try ManifestRecovery(folder: contained)
            let events = RecordedEvents(journal.bytes)
            var chains = try FileSearch(folder: contained, manifest: drafts.manifest, events: events).chains(
                progress: progress)
            FileChain.correctStarts(&chains)
            guard chains.contains(where: { !$0.files.isEmpty }) else {
                let isBegun = drafts.manifest.map { $0.outcome == .recording } ?? journal.exists
                if isBegun, FileSearch(in: contained).hasNoContent,
                    let remedy = FolderState.empty.remedy(for: folder)
                {
                    throw FileError(
                        path: folder, operation: "recovering",
                        detail: "\(folder.printable(limit: 1000)): \(remedy)")
                }
                let reason =
                    chains.flatMap(\.unreadable).first.map { RecoveryError($0.failure).description }
                    ?? "\(folder.printable(limit: 1000)): no recording found. Specify a session folder, or a file from one."
                throw FileError(path: folder, operation: "recovering", detail: reason)
            }
            let arePlain =
                chains.flatMap(\.files).allSatisfy(\.isPlain)
                && !chains.flatMap(\.unreadable).contains(where: \.isEmpty)
            if let manifest = drafts.manifest, manifest.outcome != .recording, arePlain {
                // Unreadable files are only reported, and the manifest stays unchanged.
                try drafts.resolveDraft()
                try addChecksums(to: manifest)
                return makeCompleteReport(
                    manifest, but: chains.flatMap(\.unreadable).map(\.failure), wasDraft: drafts.isDraft)
            }
            // The next manifest is written to the draft's file name, so an existing draft must be renamed first.
            if drafts.isDraft { try drafts.resolveDraft() }
            if drafts.manifest == nil { try drafts.preserveUnreadable() }
            return try completeRecording(chains, drafts.manifest, events, journal)
        } catch {
            throw error.operation == "recovering" ? .unreadable(error.detail) : RecoveryError(error)
        }
    }

    /// Returns the manifest entry for the end of a track if its last file is intact; otherwise `nil`.
    private func completeEnding(_ track: Manifest.Track, _ chain: FileChain?) -> Manifest.RecoveredTrack? {
        guard chain?.files.last?.isPlain == true else { return nil }
        return Manifest.RecoveredTrack(
            track: track.name, cut_ns: 0, padded_ns: 0, text: "the track is complete.")
    }

    /// Returns the manifest entry for the end of a complete track, which was stopped before the crash and has
    /// an intact file; `nil` for all other tracks.
    private func earlyEnding(_ track: Manifest.Track, _ chains: [FileChain]) -> Manifest.RecoveredTrack? {
        guard let chain = chains.first(where: { $0.base == track.file }),
            chain.requestedEnd([track]) != nil, chain.files.last?.isPlain == true
        else { return nil }
        return Manifest.RecoveredTrack(
            track: track.name, cut_ns: 0, padded_ns: 0,
            text: "the track was stopped before the crash and is complete.")
    }

    // MARK: Recovery

    private func completeRecording(
        _ chains: [FileChain], _ known: Manifest?, _ events: RecordedEvents, _ journal: EventJournal
    ) throws(FileError) -> RecoveryReport {
        let manifest = known ?? Manifest(rebuiltFrom: chains, tracks: derivedTracks(chains), events)
        let named = manifest.tracks
        // A completed recording already has an end. Only the unfinished files of a completed recording are
        // recovered, each up to its own end.
        let hasEnded = manifest.outcome != .recording
        let computed =
            hasEnded ? nil : commonEnd(chains, named.isEmpty ? derivedTracks(chains) : named, events)
        // When an interrupted recovery is run again, it uses the original common end, because the files that
        // are already recovered end at that time.
        let begun =
            hasEnded ? nil : computed.flatMap { manifest.unfinishedRecovery(near: $0.end, until: $0.reach) }
        let end = begun == nil ? computed?.end : MediaTime(nanoseconds: manifest.duration_ns)
        let lost = lostFiles(chains, until: end)
        let lostTracks = named.filter { track in
            lost.contains { $0.name == track.file }
                && chains.contains { $0.base == track.file && $0.files.isEmpty }
        }
        let tracks = named.isEmpty ? derivedTracks(chains) : named.filter { !lostTracks.contains($0) }
        let endings = tracks.map { track in
            let chain = chains.first { $0.base == track.file }
            return begun?.tracks.first { $0.track == track.name }
                ?? (known == nil ? completeEnding(track, chain) : earlyEnding(track, chains))
                ?? TrackEnding.recoveredTrack(
                    of: track, in: chain?.files.last, until: end.map { chain?.requestedEnd(tracks) ?? $0 })
        }
        let lostEndings = lostTracks.map { track in
            begun?.tracks.first { $0.track == track.name }
                ?? Manifest.RecoveredTrack(
                    track: track.name, cut_ns: 0, padded_ns: 0,
                    text:
                        "no data for this track had been written to disk before the crash. The file was renamed to \(track.file.printable())\(FileSearch.lostSuffix)."
                )
        }
        if known != nil, let end, begun == nil {
            try write(
                manifest.beginningRecovery(
                    until: end, endings: endings + lostEndings, version: MulticamVersion.current))
        }
        // Without a manifest, the intended end of a file is unknown, so intact files stay unchanged.
        let files = try completeFiles(
            chains, tracks, until: end, hasEnded: hasEnded, keepsPlain: hasEnded || known == nil)
        let contents = zip(tracks, endings).map { files.content(of: $0, ending: $1) }
        try rename(lost)
        let unreadable = chains.flatMap(\.unreadable).filter { file in !lost.contains { $0.name == file.name }
        }
        // A crash can explain a loss of no more than one second at the end of a track.
        let isIncomplete = !unreadable.isEmpty || lost.contains { !isRecent($0, at: end) }
        var report = RecoveryReport(
            path: folder, outcome: isIncomplete ? .incomplete : .recovered,
            duration_ns: end?.nanoseconds ?? manifest.duration_ns,
            tracks: zip(tracks, contents).map { RecoveryReport.Track($0, $1) }
                + zip(lostTracks, lostEndings).map { RecoveryReport.Track(lost: $0, $1) },
            remarks: lost.filter { file in !lostTracks.contains { $0.file == file.name } }.map { file in
                "\(folder.printable(limit: 1000))/\(file.name.printable()): no data for this file had been written to disk before the crash. The file was renamed to \(file.name.printable())\(FileSearch.lostSuffix)."
            } + unreadable.map { RecoveryError($0.failure).description })
        if known == nil { report.remarks.append(missingManifest) }
        var completed = manifest.recovered(
            tracks: tracks, contents: contents, lost: lostEndings, end: end, events: events,
            version: MulticamVersion.current)
        completed.files = listing.entries(
            of: chains.flatMap(\.files), unreadable: unreadable,
            known: hasEnded ? unchangedFiles(chains, in: manifest) : [])
        try journal.append(makeRecoveredEvent(report), after: events.validByteCount)
        let search = FileSearch(folder: contained, manifest: manifest, events: events)
        for name in try search.names(in: "cameras") where name.hasSuffix(".ndjson") {
            do throws(FileError) {
                try TornLines.cut(contained.file("cameras/\(name)"))
            } catch {
                // A symbolic link or a FIFO at this path must not stop the recovery.
                guard error.errno == 0 else { throw error }
                report.remarks.append("\(error)")
            }
        }
        if end != nil {
            let page = Data(completed.syncReport(events).utf8)
            try SessionFolder.write(page, to: "report/sync.svg", in: contained)
        }
        try write(completed)
        // Checksums are computed last because this takes a long time. If the computation is interrupted, the
        // recording is already recovered.
        try addChecksums(to: completed)
        if let other = manifest.other_folder {
            report.remarks.append(
                "\(other.folder.printable(limit: 1000)): the same recording was also written to this folder. Recover it as well; "
                    + "it may be longer.")
        }
        return report
    }

    /// Returns the files without content: empty files, and damaged files that started within the last second before the
    /// end.
    private func lostFiles(_ chains: [FileChain], until end: MediaTime?) -> [FileChain.Unreadable] {
        guard let end else { return [] }
        return chains.flatMap(\.unreadable).filter {
            $0.isEmpty || $0.failure.errno == 0 && isRecent($0, at: end)
        }
    }

    private func isRecent(_ file: FileChain.Unreadable, at end: MediaTime?) -> Bool {
        end.map { $0.nanoseconds - file.start.nanoseconds <= Self.longestLoss } ?? false
    }

    /// Renames lost files so that they no longer count as media files. Some of these files may have been
    /// renamed by an earlier recovery.
    private func rename(_ lost: [FileChain.Unreadable]) throws(FileError) {
        for file in lost {
            do throws(FileError) {
                try contained.file(file.name).rename(to: contained.file(file.name + FileSearch.lostSuffix))
            } catch {
                guard error.errno == ENOENT else { throw error }
            }
        }
    }

    private func completeFiles(
        _ chains: [FileChain], _ tracks: [Manifest.Track], until end: MediaTime?, hasEnded: Bool,
        keepsPlain: Bool
    ) throws(FileError) -> RecoveredFiles {
        var counts: [String: [Int64]] = [:]
        var repeats: [String: [Int]] = [:]
        for chain in chains {
            for (index, file) in chain.files.enumerated() {
                progress(file.name)
                let isLast = index == chain.files.count - 1
                // A part ends at the start of the next part. A part that was finalized stays unchanged.
                if file.isPlain, keepsPlain || !isLast || chain.requestedEnd(tracks) != nil {
                    counts[file.name] = file.counts
                } else {
                    counts[file.name] = try file.complete(
                        until: isLast
                            ? end.map { chain.requestedEnd(tracks) ?? $0 }
                            : chain.files[index + 1].start,
                        rates: rates(of: chain.base, tracks))
                }
                guard !hasEnded else { continue }
                var duplicated: [Int] = []
                for stream in file.streams.indices {
                    duplicated.append(try file.duplicatedCount(ofStream: stream))
                }
                repeats[file.name] = duplicated
            }
        }
        return RecoveredFiles(
            files: Dictionary(uniqueKeysWithValues: chains.map { ($0.base, $0.files) }), counts: counts,
            repeats: repeats)
    }

    private func makeRecoveredEvent(_ report: RecoveryReport) -> SessionEvent {
        let tracks = report.tracks.map { SessionEvent.Recovered.Track(track: $0.name, text: $0.text) }
        return SessionEvent(
            .recovered(SessionEvent.Recovered(tracks: tracks)),
            at: MediaTime(nanoseconds: report.duration_ns))
    }

    private func write(_ manifest: Manifest) throws(FileError) {
        try SessionFolder.write(JSONText.pretty(manifest), to: Manifest.fileName, in: contained)
    }

    private var listing: FileListing { FileListing(folder: contained, progress: progress) }

    /// Returns the manifest entries of files that were already intact and have not changed, and of missing files.
    private func unchangedFiles(_ chains: [FileChain], in manifest: Manifest) -> [Manifest.File] {
        let files = chains.flatMap(\.files)
        let changed = Set(files.filter { !$0.isPlain }.map(\.name))
        let there = Set(files.map(\.name))
        return (manifest.files ?? []).filter { file in
            // A file that was recovered individually still lacks a checksum.
            !changed.contains(file.file) && (file.xxh3_128 != nil || !there.contains(file.file))
        }
    }

    /// Computes the missing checksums and adds them to the manifest.
    private func addChecksums(to manifest: Manifest) throws(FileError) {
        guard let files = manifest.files, files.contains(where: \.lacksChecksum) else { return }
        var manifest = manifest
        manifest.files = listing.withChecksums(files)
        try write(manifest)
    }

    private func rates(of base: String, _ tracks: [Manifest.Track]) -> [Int: FrameRate] {
        var rates: [Int: FrameRate] = [:]
        for track in tracks where track.file == base {
            if let rate = track.rate.flatMap({ FrameRate($0) }) { rates[track.stream] = rate }
        }
        return rates
    }

    /// Returns the common end of all tracks and the end of the longest track, relative to T0; `nil` if no
    /// track has content.
    private func commonEnd(
        _ chains: [FileChain], _ tracks: [Manifest.Track], _ events: RecordedEvents
    ) -> (end: MediaTime, reach: MediaTime)? {
        var reaches: [CommonEnd.Reach] = []
        for chain in chains where chain.requestedEnd(tracks) == nil {
            guard let last = chain.files.last else { continue }
            for (index, stream) in last.streams.enumerated() where stream.codec != "tmcd" && stream.count > 0
            {
                let isCopied = tracks.contains {
                    $0.file == chain.base && $0.stream == index && $0.variable_rate == true
                }
                reaches.append(
                    CommonEnd.Reach(
                        end: last.end(ofStream: index), isEncoded: stream.codec == "h264" && !isCopied))
            }
        }
        let leading = tracks.first { $0.kind == "program" } ?? tracks.first { $0.kind == "camera" }
        let rate =
            leading.flatMap { track in
                let file = chains.first { $0.base == track.file }?.files.first
                return file.flatMap {
                    $0.streams.indices.contains(track.stream) ? $0.streams[track.stream].rate : nil
                }
                    ?? track.rate.flatMap { FrameRate($0) }
            }
            ?? chains.lazy.compactMap { $0.files.first?.streams.lazy.compactMap(\.rate).first }.first
        // The common end is later than the start of every part and track.
        let starts = chains.compactMap(\.lastStart)
        // The recording lasted at least until the end of the last stopped track. After that time, only
        // markers and changes indicate how long the recording lasted.
        var earliest = chains.compactMap { $0.requestedEnd(tracks) }.max() ?? .zero
        if reaches.isEmpty, earliest > .zero { earliest = max(earliest, events.lastRequest) }
        let leadingStart = reaches.isEmpty ? .zero : starts.max() ?? .zero
        guard let end = CommonEnd(reaches, leading: rate, after: leadingStart, notBefore: earliest)?.time
        else { return nil }
        return (end, max(end, reaches.map(\.end).max() ?? end))
    }

    /// Derives the tracks from the files of a recording if its manifest doesn't list any.
    private func derivedTracks(_ chains: [FileChain]) -> [Manifest.Track] {
        chains.flatMap { chain -> [Manifest.Track] in
            guard let file = chain.files.first else { return [] }
            return file.streams.enumerated().compactMap { index, stream in
                let isProgram = chain.base == "program.mp4"
                guard stream.codec != "tmcd", !isProgram || index == 0 else { return nil }
                let kind = isProgram ? "program" : stream.isAudio ? "microphone" : "camera"
                return Manifest.Track(
                    name: stream.name, kind: kind, file: chain.base, stream: index, codec: stream.codec,
                    width: stream.picture?.size.width, height: stream.picture?.size.height,
                    rate: stream.rate?.perSecond, rotation: stream.picture?.rotation.degrees,
                    channels: isProgram ? file.streams.compactMap(\.channels).first : stream.channels,
                    first_ns: file.start.nanoseconds, duration_ns: 0,
                    variable_rate: stream.hasOwnTimes ? true : nil)
            }
        }
    }

    private var missingManifest: String {
        "\(folder.printable(limit: 1000)): manifest.json is missing or unreadable. A new one was created from the "
            + "files and events. It doesn't contain the profile or the devices."
    }

    private func makeCompleteReport(_ manifest: Manifest, but unreadable: [FileError], wasDraft: Bool)
        -> RecoveryReport
    {
        RecoveryReport(
            path: folder, outcome: !unreadable.isEmpty ? .incomplete : wasDraft ? .recovered : .whole,
            duration_ns: manifest.duration_ns,
            tracks: manifest.tracks.map {
                RecoveryReport.Track(
                    name: $0.name.printable(), file: $0.file.printable(limit: 400),
                    frames: $0.frames?.written,
                    samples: $0.samples?.written, cut_ns: 0, padded_ns: 0,
                    text: $0.failure?.printable(limit: 1000) ?? "the track is complete.")
            }, remarks: unreadable.map { RecoveryError($0).description })
    }
}

/// The manifest of an interrupted recording, and the draft of the manifest that was going to replace it.
struct ManifestRecovery {
    /// The manifest, or the complete draft of a recording that ended; `nil` if both are unreadable.
    let manifest: Manifest?
    /// Whether `manifest` is the draft: the recording ended, but the draft was not renamed to `manifest.json`.
    let isDraft: Bool
    private let file: ContainedFile
    private let draft: ContainedFile

    /// Reads the manifest and the draft.
    ///
    /// - Throws: `FileError` with the operation "opening" if the process lacks permission to read the
    ///   manifest or the draft; or with the operation "reading" if another version of multicam wrote one of
    ///   the two files.
    init(folder: ContainedFolder) throws(FileError) {
        file = folder.file(Manifest.fileName)
        draft = FileReplacement.draft(of: file)
        let standing = try Self.read(file)
        if let next = try Self.read(draft), next.outcome != .recording,
            standing?.outcome ?? .recording == .recording
        {
            (manifest, isDraft) = (next, true)
        } else {
            (manifest, isDraft) = (standing, false)
        }
    }

    /// Renames an unreadable manifest so that a new one can be written.
    ///
    /// - Throws: `FileError` with the operation "renaming".
    func preserveUnreadable() throws(FileError) {
        do throws(FileError) {
            try file.rename(to: file.folder.file(file.name + FileSearch.lostSuffix))
        } catch {
            guard error.errno == ENOENT else { throw error }
        }
    }

    /// Renames the draft to `manifest.json` if it is the current manifest; otherwise removes it.
    ///
    /// - Throws: `FileError` with the operation "renaming" or "deleting". The draft isn't removed in this
    ///   case.
    func resolveDraft() throws(FileError) {
        if isDraft { try draft.rename(to: file) } else { try draft.remove() }
    }

    private static func read(_ file: ContainedFile) throws(FileError) -> Manifest? {
        do {
            return try Manifest(reading: file)
        } catch let fault as ManifestFault where fault.isOtherVersion {
            throw FileError(path: file.path, operation: "reading", detail: "the manifest \(fault.reason).")
        } catch let error as FileError where error.isPermission {
            throw error
        } catch {
            // The manifest is incomplete or consists of zeros.
            return nil
        }
    }
}

/// The recovered media files of a recording, and the resulting content of its tracks.
struct RecoveredFiles {
    /// The readable files of each track, keyed by the name of the track's first file.
    let files: [String: [RemainingFile]]
    /// Current number of frames, or samples per channel, in each stream of a file, keyed by file name.
    let counts: [String: [Int64]]
    /// Number of duplicated frames in each stream of a file, keyed by file name.
    let repeats: [String: [Int]]

    /// Returns the content of a track after the recovery.
    ///
    /// - Parameters:
    ///   - track: The track in the manifest.
    ///   - ending: How the recovery changed the end of the track.
    /// - Returns: The recovered content of the track, for the manifest.
    func content(of track: Manifest.Track, ending: Manifest.RecoveredTrack) -> RecoveredContent {
        let files = files[track.file] ?? []
        guard let last = files.last, last.streams.indices.contains(track.stream) else {
            return RecoveredContent(
                written: 0, duplicated: 0, holes: [], ending: ending, parts: [], isThere: false)
        }
        let written = files.reduce(0) { $0 + (value(counts[$1.name], at: track.stream) ?? 0) }
        let before = files.reduce(0) { $0 + (value($1.counts, at: track.stream) ?? 0) }
        let duplicated = files.reduce(0) { $0 + (value(repeats[$1.name], at: track.stream) ?? 0) }
        return RecoveredContent(
            written: written, duplicated: Int64(duplicated) + max(0, written - before),
            holes: holes(in: track, of: files), ending: ending,
            parts: files.dropFirst().map { RecoveredContent.Part(file: $0.name, start: $0.start) },
            isThere: true)
    }

    /// Returns the ranges without frames in the track's frame grid, relative to T0. The result is empty for a
    /// copied stream, because its frames aren't aligned to a grid, and for a file with frame durations that
    /// imply a different grid than the manifest.
    private func holes(in track: Manifest.Track, of files: [RemainingFile]) -> [Range<MediaTime>] {
        guard track.variable_rate != true, let rate = track.rate.flatMap({ FrameRate($0) }) else { return [] }
        return files.filter { value($0.streams, at: track.stream)?.rate == rate }.flatMap {
            $0.holes(inStream: track.stream)
        }
    }

    private func value<Value>(_ values: [Value]?, at index: Int) -> Value? {
        guard let values, values.indices.contains(index) else { return nil }
        return values[index]
    }
}
