internal import Containers
internal import FoundationEssentials
internal import Glibc
internal import Media

/// Makes a session folder whole: its files, its manifest, its events.
struct FolderRecovery {
    let folder: String
    let progress: @Sendable (String) -> Void

    /// Longest stretch in nanoseconds that a crash takes from a track: what is younger may not have reached the disk.
    private static let longestLoss: Int64 = 1_000_000_000

    func run() throws(RecoveryError) -> RecoveryReport {
        do throws(FileError) {
            let journal = try EventJournal(folder: folder)
            let drafts = try ManifestRecovery(folder: folder)
            let events = RecordedEvents(journal.bytes)
            var chains = try FileSearch(folder: folder, manifest: drafts.manifest, events: events).chains(
                progress: progress)
            FileChain.correctStarts(&chains)
            guard chains.contains(where: { !$0.files.isEmpty }) else {
                let reason =
                    chains.flatMap(\.unreadable).first.map { RecoveryError($0.failure).description }
                    ?? "\(folder.printable(limit: 1000)): there is no recording in it. Give a session folder, or a file of one."
                throw FileError(path: folder, operation: "nothing", detail: reason)
            }
            let arePlain =
                chains.flatMap(\.files).allSatisfy(\.isPlain)
                && !chains.flatMap(\.unreadable).contains(where: \.isEmpty)
            // Somebody took the manifest away: no reason to touch what is whole.
            if drafts.manifest == nil, arePlain { return whole(chains) }
            if let manifest = drafts.manifest, manifest.outcome != .recording, arePlain {
                // Unreadable files are only reported: the manifest stays as it is.
                try drafts.removeDraft()
                try addChecksums(to: manifest)
                return whole(manifest, but: chains.flatMap(\.unreadable).map(\.failure))
            }
            return try makeWhole(chains, drafts, events, journal)
        } catch {
            throw error.operation == "nothing" ? .unreadable(error.detail) : RecoveryError(error)
        }
    }

    /// The ending of a track that a person ended before the crash and whose file is whole: nothing is missing. `nil` for other
    /// tracks.
    private func endedBefore(_ track: Manifest.Track, _ chains: [FileChain]) -> Manifest.RecoveredTrack? {
        guard let chain = chains.first(where: { $0.base == track.file }),
            chain.askedEnd([track]) != nil, chain.files.last?.isPlain == true
        else { return nil }
        return Manifest.RecoveredTrack(
            track: track.name, cut_ns: 0, filled_ns: 0, text: "it was ended before the crash, and is whole.")
    }

    // MARK: Making whole

    private func makeWhole(
        _ chains: [FileChain], _ drafts: ManifestRecovery, _ events: RecordedEvents, _ journal: EventJournal
    ) throws(FileError) -> RecoveryReport {
        let manifest = drafts.manifest
        let named = manifest.map(\.tracks) ?? []
        // A recording that ended has an end already: then only files that failed are made whole, as far as they got.
        let hasEnded = manifest.map { $0.outcome != .recording } ?? false
        let computed = hasEnded ? nil : commonEnd(chains, named.isEmpty ? derivedTracks(chains) : named)
        // A recovery that was begun is continued with its end, since files that are whole already end there.
        let begun =
            hasEnded ? nil : computed.flatMap { manifest?.begunRecovery(near: $0.end, until: $0.reach) }
        let end = begun == nil ? computed?.end : manifest.map { MediaTime(nanoseconds: $0.duration_ns) }
        let lost = lostFiles(chains, until: end)
        let lostTracks = named.filter { track in
            lost.contains { $0.name == track.file }
                && chains.contains { $0.base == track.file && $0.files.isEmpty }
        }
        let tracks = named.isEmpty ? derivedTracks(chains) : named.filter { !lostTracks.contains($0) }
        let endings = tracks.map { track in
            let chain = chains.first { $0.base == track.file }
            return begun?.tracks.first { $0.track == track.name }
                ?? endedBefore(track, chains)
                ?? TrackEnding.told(
                    of: track, in: chain?.files.last, until: end.map { chain?.askedEnd(tracks) ?? $0 })
        }
        let lostEndings = lostTracks.map { track in
            begun?.tracks.first { $0.track == track.name }
                ?? Manifest.RecoveredTrack(
                    track: track.name, cut_ns: 0, filled_ns: 0,
                    text: "nothing of it was on the disk when the crash came; "
                        + "what there is of its file is \(track.file.printable())\(FileSearch.lostEnding).")
        }
        if let manifest, let end, begun == nil {
            try write(
                manifest.beginningRecovery(
                    until: end, endings: endings + lostEndings, version: MulticamVersion.current))
        }
        let files = try makeWhole(chains, tracks, until: end, hasEnded: hasEnded)
        let contents = zip(tracks, endings).map { files.content(of: $0, ending: $1) }
        try rename(lost)
        let unreadable = chains.flatMap(\.unreadable).filter { file in !lost.contains { $0.name == file.name }
        }
        // A crash explains the loss of a track's last second, and no more.
        let isIncomplete = !unreadable.isEmpty || lost.contains { !isYoung($0, at: end) }
        var report = RecoveryReport(
            path: folder, outcome: isIncomplete ? .incomplete : .recovered,
            duration_ns: end?.nanoseconds ?? manifest?.duration_ns ?? 0,
            tracks: zip(tracks, contents).map { RecoveryReport.Track($0, $1) }
                + zip(lostTracks, lostEndings).map { RecoveryReport.Track(lost: $0, $1) },
            remarks: lost.filter { file in !lostTracks.contains { $0.file == file.name } }.map { file in
                "\(folder.printable(limit: 1000))/\(file.name.printable()): nothing of it was on the disk when the crash came; it is "
                    + "\(file.name.printable())\(FileSearch.lostEnding) now."
            } + unreadable.map { RecoveryError($0.failure).description })
        guard let manifest else {
            report.remarks.append(missingManifest)
            return report
        }
        var completed = manifest.recovered(
            tracks: tracks, contents: contents, lost: lostEndings, end: end, events: events,
            version: MulticamVersion.current)
        completed.files = listing.entries(
            of: chains.flatMap(\.files), unreadable: unreadable,
            known: hasEnded ? untouched(chains, in: manifest) : [])
        try journal.append(recovered(report), after: events.wholeByteCount)
        let search = FileSearch(folder: folder, manifest: manifest, events: events)
        for name in try search.names(in: "cameras/") where name.hasSuffix(".ndjson") {
            try TornLines.cut("\(folder)/cameras/\(name)")
        }
        if end != nil {
            let page = Data(completed.syncReport(events).utf8)
            try SessionFolder.write(page, to: "report/sync.svg", in: folder)
        }
        try write(completed)
        // This comes last since it takes long: when it is interrupted, the recording is whole already.
        try addChecksums(to: completed)
        if let other = manifest.other_folder {
            report.remarks.append(
                "\(other.folder.printable(limit: 1000)): the same recording was written there too. Recover that as well: it may reach "
                    + "further.")
        }
        return report
    }

    /// Files without content: those that are empty, and those that are damaged and began within the last second before the end.
    private func lostFiles(_ chains: [FileChain], until end: MediaTime?) -> [FileChain.Unreadable] {
        guard let end else { return [] }
        return chains.flatMap(\.unreadable).filter {
            $0.isEmpty || $0.failure.errno == 0 && isYoung($0, at: end)
        }
    }

    private func isYoung(_ file: FileChain.Unreadable, at end: MediaTime?) -> Bool {
        end.map { $0.nanoseconds - file.start.nanoseconds <= Self.longestLoss } ?? false
    }

    /// Renames lost files so that they are no media files any more. An earlier recovery may have done so.
    private func rename(_ lost: [FileChain.Unreadable]) throws(FileError) {
        for file in lost {
            let path = folder + "/" + file.name
            guard Glibc.rename(path, path + FileSearch.lostEnding) == 0 || errno == ENOENT else {
                throw FileError(path: path, operation: "rename", errno: errno)
            }
        }
    }

    private func makeWhole(
        _ chains: [FileChain], _ tracks: [Manifest.Track], until end: MediaTime?, hasEnded: Bool
    ) throws(FileError) -> RecoveredFiles {
        var counts: [String: [Int64]] = [:]
        var repeats: [String: [Int]] = [:]
        for chain in chains {
            for (index, file) in chain.files.enumerated() {
                progress(file.name)
                let isLast = index == chain.files.count - 1
                // A part ends where the next one begins; one that was finished then stays as it is.
                if file.isPlain, hasEnded || !isLast || chain.askedEnd(tracks) != nil {
                    counts[file.name] = file.counts
                } else {
                    counts[file.name] = try file.makeWhole(
                        until: isLast
                            ? end.map { chain.askedEnd(tracks) ?? $0 }
                            : chain.files[index + 1].start,
                        rates: rates(of: chain.base, tracks))
                }
                guard !hasEnded else { continue }
                var repeated: [Int] = []
                for stream in file.streams.indices {
                    repeated.append(try file.repeatedCount(ofStream: stream))
                }
                repeats[file.name] = repeated
            }
        }
        return RecoveredFiles(
            files: Dictionary(uniqueKeysWithValues: chains.map { ($0.base, $0.files) }), counts: counts,
            repeats: repeats)
    }

    private func recovered(_ report: RecoveryReport) -> SessionEvent {
        let tracks = report.tracks.map { track in
            JSONValue.object(["track": .string(track.name), "text": .string(track.text)])
        }
        return SessionEvent(
            .recovered, at: MediaTime(nanoseconds: report.duration_ns), ["tracks": .array(tracks)])
    }

    private func write(_ manifest: Manifest) throws(FileError) {
        try SessionFolder.write(JSONText.pretty(manifest), to: "manifest.json", in: folder)
    }

    private var listing: FileListing { FileListing(folder: folder, progress: progress) }

    /// The manifest's entries of files that were whole before and were not touched, and of files that are missing.
    private func untouched(_ chains: [FileChain], in manifest: Manifest) -> [Manifest.File] {
        let files = chains.flatMap(\.files)
        let changed = Set(files.filter { !$0.isPlain }.map(\.name))
        let there = Set(files.map(\.name))
        return (manifest.files ?? []).filter { file in
            // One that was made whole alone has no checksum yet.
            !changed.contains(file.file) && (file.xxh3_128 != nil || !there.contains(file.file))
        }
    }

    /// Computes the checksums that the manifest lacks, and writes them into it.
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

    /// The common end of all tracks, and the end of the longest one, since T0; `nil` where no track has content.
    private func commonEnd(
        _ chains: [FileChain], _ tracks: [Manifest.Track]
    ) -> (end: MediaTime, reach: MediaTime)? {
        var reaches: [CommonEnd.Reach] = []
        for chain in chains where chain.askedEnd(tracks) == nil {
            guard let last = chain.files.last else { continue }
            for (index, stream) in last.streams.enumerated() where stream.codec != "tmcd" && stream.count > 0
            {
                let isCopied = tracks.contains {
                    $0.file == chain.base && $0.stream == index && $0.grid == false
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
        // The common end comes after the start of every part and track.
        let starts = chains.compactMap(\.lastStart)
        guard let end = CommonEnd(reaches, leading: rate, after: starts.max() ?? .zero)?.time,
            let reach = reaches.map(\.end).max()
        else { return nil }
        return (end, max(end, reach))
    }

    /// Derives the tracks from the files, for a recording whose manifest names none.
    private func derivedTracks(_ chains: [FileChain]) -> [Manifest.Track] {
        chains.flatMap { chain -> [Manifest.Track] in
            guard let file = chain.files.first else { return [] }
            return file.streams.enumerated().compactMap { index, stream in
                let isProgram = chain.base == "program.mp4"
                guard stream.codec != "tmcd", !isProgram || index == 0 else { return nil }
                let kind = isProgram ? "program" : stream.isAudio ? "microphone" : "camera"
                var track = Manifest.Track(
                    name: stream.name, kind: kind, file: chain.base, stream: index, codec: stream.codec,
                    rate: stream.rate?.perSecond)
                track.grid = stream.hasOwnTimes ? false : nil
                return track
            }
        }
    }

    private var missingManifest: String {
        "\(folder.printable(limit: 1000)): manifest.json is missing or cannot be read: the files are whole, but what was recorded by "
            + "which device is not known."
    }

    /// The report on files that are whole, where there is no manifest.
    private func whole(_ chains: [FileChain]) -> RecoveryReport {
        let ends = chains.compactMap(\.files.last).flatMap { file in
            file.streams.indices.map { file.end(ofStream: $0) }
        }
        return RecoveryReport(
            path: folder, outcome: chains.allSatisfy(\.unreadable.isEmpty) ? .whole : .incomplete,
            duration_ns: ends.max()?.nanoseconds ?? 0,
            tracks: derivedTracks(chains).map { track in
                let counts =
                    chains.first { $0.base == track.file }?.files.map { $0.counts[track.stream] } ?? []
                let count = counts.reduce(0, +)
                return RecoveryReport.Track(
                    name: track.name.printable(), file: track.file.printable(limit: 400),
                    frames: track.kind == "microphone" ? nil : Int(count),
                    samples: track.kind == "microphone" ? count : nil, cut_ns: 0, filled_ns: 0,
                    text: "it is whole.")
            },
            remarks: [missingManifest]
                + chains.flatMap(\.unreadable).map { RecoveryError($0.failure).description })
    }

    private func whole(_ manifest: Manifest, but unreadable: [FileError]) -> RecoveryReport {
        RecoveryReport(
            path: folder, outcome: unreadable.isEmpty ? .whole : .incomplete,
            duration_ns: manifest.duration_ns,
            tracks: manifest.tracks.map {
                RecoveryReport.Track(
                    name: $0.name.printable(), file: $0.file.printable(limit: 400),
                    frames: $0.frames?.written,
                    samples: $0.samples?.written, cut_ns: 0, filled_ns: 0,
                    text: $0.failure?.printable(limit: 1000) ?? "it is whole.")
            }, remarks: unreadable.map { RecoveryError($0).description })
    }
}
