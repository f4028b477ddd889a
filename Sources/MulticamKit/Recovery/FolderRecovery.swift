internal import Containers
internal import Foundation
internal import Glibc
internal import Media
internal import Session

/// Makes a session folder whole: its files, its manifest, its events.
struct FolderRecovery {
    let folder: String
    let progress: @Sendable (String) -> Void

    /// A file with its later parts.
    private struct Chain {
        let base: String
        var files: [RemainingFile] = []
        /// Those of which nothing can be read.
        var unreadable: [(name: String, failure: FileError)] = []
    }

    func run() throws(RecoveryError) -> RecoveryReport {
        do throws(FileError) {
            let journal = try EventJournal(folder: folder)
            let drafts = try ManifestRemains(folder: folder)
            let events = RecordedEvents(journal.bytes)
            var chains: [Chain] = []
            for base in try bases(drafts.manifest) {
                progress(base)
                chains.append(try open(base, events, besides: drafts.manifest))
            }
            guard chains.contains(where: { !$0.files.isEmpty }) else {
                let reason =
                    chains.flatMap(\.unreadable).first.map { RecoveryError($0.failure).description }
                    ?? "\(folder.printable(limit: 1000)): there is no recording in it. Give a session folder, or a file of one."
                throw FileError(path: folder, operation: "nothing", detail: reason)
            }
            let arePlain = chains.flatMap(\.files).allSatisfy(\.isPlain)
            // Somebody took the manifest away: no reason to touch what is whole.
            if drafts.manifest == nil, arePlain { return whole(chains) }
            if let manifest = drafts.manifest, manifest.outcome != .recording, arePlain {
                // What nothing can be read of stays so, and is said; no manifest is changed for it.
                try drafts.removeDraft()
                try addChecksums(to: manifest)
                return whole(manifest, but: chains.flatMap(\.unreadable).map(\.failure))
            }
            return try makeWhole(chains, drafts, events, journal)
        } catch {
            throw error.operation == "nothing" ? .unreadable(error.detail) : RecoveryError(error)
        }
    }

    // MARK: Finding files

    /// The first files of all tracks, by the manifest, else by what is there.
    private func bases(_ manifest: Manifest?) throws(FileError) -> [String] {
        let told = (manifest?.tracks ?? []).map(\.file).filter(MediaFileName.isWithin)
        let names = try mediaFiles()
        let found = names.filter { name in
            // A later part belongs to the file before it.
            !told.contains(name) && !(told + names).contains { $0 != name && isPart(name, of: $0) }
        }
        var bases: [String] = []
        for name in told + found where !bases.contains(name) { bases.append(name) }
        return bases
    }

    private func isPart(_ name: String, of base: String) -> Bool {
        guard let dot = base.lastIndex(of: "."), name.hasSuffix(base[dot...]),
            name.hasPrefix(base[..<dot] + "-")
        else {
            return false
        }
        let number = name.dropFirst(base[..<dot].count + 1).dropLast(base[dot...].count)
        return (Int(number) ?? 0) >= 2
    }

    private func mediaFiles() throws(FileError) -> [String] {
        var found: [String] = []
        for place in ["", "cameras/", "audio/"] {
            found += try names(in: place).filter(MediaFileName.isMedia).map { place + $0 }
        }
        return found.sorted()
    }

    /// What is in a folder of the session's; nothing where there is none.
    private func names(in place: String) throws(FileError) -> [String] {
        let path = folder + "/" + place
        guard let list = opendir(path) else {
            if errno == ENOENT { return [] }
            throw FileError(path: path, operation: "open", errno: errno)
        }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    /// Opens a file and its later parts.
    private func open(_ base: String, _ events: RecordedEvents, besides manifest: Manifest?) throws(FileError)
        -> Chain
    {
        var chain = Chain(base: base)
        var name = base
        var number = 1
        let others = Set((manifest?.tracks ?? []).map(\.file)).subtracting([base])
        while number == 1 || (!others.contains(name) && access(folder + "/" + name, F_OK) == 0) {
            let start =
                number == 1
                ? begin(of: base, manifest)
                : events.start(ofPart: name) ?? chain.files.last.map { last in
                    last.streams.indices.map { last.end(ofStream: $0) }.max() ?? last.start
                } ?? .zero
            do throws(FileError) {
                chain.files.append(try RemainingFile(path: folder + "/" + name, name: name, start: start))
            } catch {
                // What cannot be read is no reason to give up the others; what may not be changed, or is being recorded, is.
                guard error.errno == 0 || error.errno == ENOENT, !error.isBusy else { throw error }
                chain.unreadable.append((name, error))
            }
            number += 1
            name = MediaFileName.part(number, of: base)
        }
        return chain
    }

    /// When a track's first file begins: later than T0 where a person began the track while the recording ran.
    private func begin(of base: String, _ manifest: Manifest?) -> MediaTime {
        let tracks = (manifest?.tracks ?? []).filter { $0.file == base }
        return MediaTime(nanoseconds: max(0, tracks.map(\.first_ns).max() ?? 0))
    }

    /// When a person had ended a track before the crash.
    private func askedEnd(of base: String, _ tracks: [Manifest.Track]) -> MediaTime? {
        tracks.first { $0.file == base }?.ended_ns.map { MediaTime(nanoseconds: $0) }
    }

    /// Of a track that was ended on request and finished: nothing is missing of it.
    private func endedBefore(_ track: Manifest.Track, _ chains: [Chain]) -> Manifest.RecoveredTrack? {
        guard track.ended_ns != nil,
            chains.first(where: { $0.base == track.file })?.files.last?.isPlain == true
        else { return nil }
        return Manifest.RecoveredTrack(
            track: track.name, cut_ns: 0, filled_ns: 0, text: "it was ended before the crash, and is whole.")
    }

    // MARK: Making whole

    private func makeWhole(
        _ chains: [Chain], _ drafts: ManifestRemains, _ events: RecordedEvents, _ journal: EventJournal
    ) throws(FileError) -> RecoveryReport {
        let manifest = drafts.manifest
        let named = manifest.map(\.tracks) ?? []
        let tracks = named.isEmpty ? derivedTracks(chains) : named
        // A recording that came to its end has one already; then only what failed is made whole, as far as it got.
        let hasEnded = manifest.map { $0.outcome != .recording } ?? false
        // What was begun goes on: files that are whole already end there.
        let begun = hasEnded ? nil : manifest?.begunRecovery
        let end =
            hasEnded
            ? nil
            : begun == nil
                ? commonEnd(chains, tracks) : manifest.map { MediaTime(nanoseconds: $0.duration_ns) }
        let endings = tracks.map { track in
            begun?.tracks.first { $0.track == track.name }
                ?? endedBefore(track, chains)
                ?? TrackEnding.told(
                    of: track, in: chains.first { $0.base == track.file }?.files.last,
                    until: end.map { askedEnd(of: track.file, tracks) ?? $0 })
        }
        if let manifest, let end, begun == nil {
            try write(
                manifest.beginningRecovery(until: end, endings: endings, version: MulticamVersion.current))
        }
        let files = try makeWhole(chains, tracks, until: end, hasEnded: hasEnded)
        let contents = zip(tracks, endings).map { files.content(of: $0, ending: $1) }
        var report = RecoveryReport(
            path: folder, outcome: .recovered, duration_ns: end?.nanoseconds ?? manifest?.duration_ns ?? 0,
            tracks: zip(tracks, contents).map { RecoveryReport.Track($0, $1) },
            remarks: chains.flatMap(\.unreadable).map { RecoveryError($0.failure).description })
        guard let manifest else {
            report.remarks.append(missingManifest)
            return report
        }
        var completed = manifest.recovered(
            tracks: tracks, contents: contents, end: end, events: events, version: MulticamVersion.current)
        completed.files = listing.entries(
            of: chains.flatMap(\.files), unreadable: chains.flatMap(\.unreadable),
            known: hasEnded ? untouched(chains, in: manifest) : [])
        try journal.append(recovered(report), after: events.wholeByteCount)
        for name in try names(in: "cameras/") where name.hasSuffix(".ndjson") {
            try TornLines.cut("\(folder)/cameras/\(name)")
        }
        if end != nil {
            let page = Data(completed.syncReport(events).utf8)
            try SessionFolder.write(page, to: "report/sync.svg", in: folder)
        }
        try write(completed)
        // Last, since it takes long: whoever interrupts it has a whole recording, and may begin again.
        try addChecksums(to: completed)
        if let other = manifest.other_folder {
            report.remarks.append(
                "\(other.folder.printable(limit: 1000)): the same recording was written there too. Recover that as well: it may reach "
                    + "further.")
        }
        return report
    }

    private func makeWhole(
        _ chains: [Chain], _ tracks: [Manifest.Track], until end: MediaTime?, hasEnded: Bool
    ) throws(FileError) -> RecoveredFiles {
        var counts: [String: [Int64]] = [:]
        var repeats: [String: [Int]] = [:]
        for chain in chains {
            for (index, file) in chain.files.enumerated() {
                progress(file.name)
                let isLast = index == chain.files.count - 1
                // A part ends where the next one begins; one that was finished then stays as it is.
                if file.isPlain, hasEnded || !isLast || askedEnd(of: chain.base, tracks) != nil {
                    counts[file.name] = file.counts
                } else {
                    counts[file.name] = try file.makeWhole(
                        until: isLast
                            ? end.map { askedEnd(of: chain.base, tracks) ?? $0 }
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

    /// What the manifest says of files that were whole before, and were left alone, and of those that are not there.
    private func untouched(_ chains: [Chain], in manifest: Manifest) -> [Manifest.File] {
        let files = chains.flatMap(\.files)
        let changed = Set(files.filter { !$0.isPlain }.map(\.name))
        let there = Set(files.map(\.name))
        return (manifest.files ?? []).filter { file in
            // One that was made whole alone has no checksum yet.
            !changed.contains(file.file) && (file.xxh3_128 != nil || !there.contains(file.file))
        }
    }

    /// Reads files of which the manifest has no checksum yet, and puts it there.
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

    private func commonEnd(_ chains: [Chain], _ tracks: [Manifest.Track]) -> MediaTime? {
        var reaches: [CommonEnd.Reach] = []
        for chain in chains where askedEnd(of: chain.base, tracks) == nil {
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
            leading?.rate.flatMap { FrameRate($0) }
            ?? chains.lazy.compactMap { $0.files.first?.streams.lazy.compactMap(\.rate).first }.first
        return CommonEnd(reaches, leading: rate)?.time
    }

    /// The tracks of a recording whose manifest names none, by its files.
    private func derivedTracks(_ chains: [Chain]) -> [Manifest.Track] {
        chains.flatMap { chain -> [Manifest.Track] in
            guard let file = chain.files.first else { return [] }
            return file.streams.enumerated().compactMap { index, stream in
                let isProgram = chain.base == "program.mp4"
                guard stream.codec != "tmcd", !isProgram || index == 0 else { return nil }
                let kind = isProgram ? "program" : stream.rate != nil ? "camera" : "microphone"
                return Manifest.Track(
                    name: stream.name, kind: kind, file: chain.base, stream: index, codec: stream.codec,
                    rate: stream.rate?.perSecond)
            }
        }
    }

    private var missingManifest: String {
        "\(folder.printable(limit: 1000)): manifest.json is missing or cannot be read: the files are whole, but what was recorded by "
            + "which device is not known."
    }

    /// What is told of files that are whole where there is no manifest.
    private func whole(_ chains: [Chain]) -> RecoveryReport {
        let ends = chains.compactMap(\.files.last).flatMap { file in
            file.streams.indices.map { file.end(ofStream: $0) }
        }
        return RecoveryReport(
            path: folder, outcome: .whole, duration_ns: ends.max()?.nanoseconds ?? 0,
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
            path: folder, outcome: .whole, duration_ns: manifest.duration_ns,
            tracks: manifest.tracks.map {
                RecoveryReport.Track(
                    name: $0.name.printable(), file: $0.file.printable(limit: 400),
                    frames: $0.frames?.written,
                    samples: $0.samples?.written, cut_ns: 0, filled_ns: 0,
                    text: $0.failure?.printable(limit: 1000) ?? "it is whole.")
            }, remarks: unreadable.map { RecoveryError($0).description })
    }
}
