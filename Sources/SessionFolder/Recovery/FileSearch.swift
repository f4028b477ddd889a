internal import Glibc
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamSystem

/// Finds the media files of a session folder and groups each file with its continuation files.
struct FileSearch {
    let folder: ContainedFolder
    let manifest: Manifest?
    let events: RecordedEvents

    /// Suffix appended to the name of a file without readable content.
    static let lostSuffix = ".lost"

    /// Opens the files of all tracks in the manifest and all other media files in the folder.
    ///
    /// - Throws: `FileError` if a file is write-protected, in use, or unreadable because of a system error.
    func chains(progress: (String) -> Void) throws(FileError) -> [FileChain] {
        let names = try mediaFiles()
        let firsts = firstFiles(among: names)
        var chains: [FileChain] = []
        for first in firsts {
            progress(first)
            var later: [(number: Int, name: String)] = []
            for name in names where !firsts.contains(name) {
                if let number = PartName.number(of: name, continuing: first) { later.append((number, name)) }
            }
            later.sort { $0.number < $1.number }
            chains.append(try open(first, later.map(\.name)))
        }
        return chains
    }

    /// Returns the names of the files in a subfolder of the session; empty if the subfolder doesn't exist. Names that
    /// aren't valid UTF-8 are skipped.
    func names(in place: String) throws(FileError) -> [String] {
        do throws(FileError) {
            // A recorder never produces a name that isn't valid UTF-8.
            return try folder.listing(of: place).names
        } catch {
            if error.errno == ENOENT { return [] }
            throw error
        }
    }

    /// Creates a search that doesn't use the folder's manifest or events.
    init(in folder: ContainedFolder) {
        self.init(folder: folder, manifest: nil, events: RecordedEvents([]))
    }

    init(folder: ContainedFolder, manifest: Manifest?, events: RecordedEvents) {
        (self.folder, self.manifest, self.events) = (folder, manifest, events)
    }

    /// Whether no media file in the folder contains a frame, a sample, or data that could still be salvaged. `false` if
    /// a file cannot be read.
    var hasNoContent: Bool {
        do throws(FileError) {
            for name in try mediaFiles() {
                let file = folder.file(name)
                let isPresent = try RecoverableContent.isPresent(in: file)
                guard !isPresent, try isBeginning(file) else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    private func mediaFiles() throws(FileError) -> [String] {
        var found: [String] = []
        for place in ["", "cameras", "audio"] {
            found += try names(in: place).filter(MediaFileName.isMedia).map {
                place.isEmpty ? $0 : "\(place)/\($0)"
            }
        }
        return found.sorted()
    }

    private func firstFiles(among names: [String]) -> [String] {
        let listed = (manifest?.tracks ?? []).map(\.file).filter(MediaFileName.isWithin)
        let firsts = listed + names.filter { !listed.contains($0) && !isPart($0, among: listed + names) }
        var once: [String] = []
        for name in firsts where !once.contains(name) { once.append(name) }
        return once
    }

    /// Whether a name denotes a continuation of another file. Without a manifest, the continuation files are taken from
    /// the events, because `desk-2` may also be a role.
    private func isPart(_ name: String, among names: [String]) -> Bool {
        guard names.contains(where: { PartName.number(of: name, continuing: $0) != nil }) else {
            return false
        }
        return manifest != nil || events.events.isEmpty || events.start(ofPart: name) != nil
    }

    /// Opens the first file of a track and its continuation files.
    private func open(_ first: String, _ later: [String]) throws(FileError) -> FileChain {
        var chain = FileChain(base: first)
        for name in [first] + later {
            let start = start(of: name, after: chain.files.last, isFirst: name == first)
            do throws(FileError) {
                let file = try RemainingFile(folder.file(name), name: name, start: start)
                guard file.hasContent || !isCrash else {
                    throw FileError(
                        path: folder.file(name).path, operation: "reading",
                        detail: "the file contains no audio.")
                }
                chain.files.append(file)
            } catch {
                // An unreadable file doesn't stop the recovery of the other files. A file that is write-protected or in
                // use stops the whole recovery.
                guard error.errno == 0 || error.errno == ENOENT, !error.isBusy else { throw error }
                chain.unreadable.append(
                    FileChain.Unreadable(
                        name: name, start: start, failure: error, isEmpty: isCrash && isEmpty(name)))
            }
        }
        return chain
    }

    /// Whether the recording was interrupted.
    private var isCrash: Bool { manifest.map { $0.outcome == .recording } ?? true }

    /// Start of a file, relative to T0. A file starts later than T0 if its track was started during the recording, or
    /// after a split.
    private func start(of name: String, after last: RemainingFile?, isFirst: Bool) -> MediaTime {
        if let reported = events.start(ofPart: name) { return reported }
        guard !isFirst else {
            let reported = (manifest?.tracks ?? []).filter { $0.file == name }.map(\.first_ns).max()
            return MediaTime(nanoseconds: max(0, reported ?? 0))
        }
        return last?.end ?? .zero
    }

    /// Whether an unreadable file contains no data, or was renamed by an earlier recovery for that reason.
    private func isEmpty(_ name: String) -> Bool {
        let file = folder.file(name)
        if !file.exists { return folder.file(name + Self.lostSuffix).exists }
        do throws(FileError) { return try isBeginning(file) } catch { return false }
    }

    /// Whether a file lacks content because it is empty, contains only zeros, or contains only a header.
    private func isBeginning(_ file: ContainedFile) throws(FileError) -> Bool {
        let bytes = try WholeFile.bytes(of: file, atMost: Self.maxZeroByteCount)
        let longest = file.name.hasSuffix(".wav") ? Self.longestWaveHeader : Self.longestHeader
        return bytes.allSatisfy { $0 == 0 } || bytes.count <= longest && !bytes.hasFragment
    }

    /// Maximum size in bytes of a file that is scanned for content. Disk space that the file system has
    /// preallocated may be read as zeros.
    private static let maxZeroByteCount = 64 << 20
    private static let longestHeader = 1 << 20
    private static let longestWaveHeader = 4096
}

extension [UInt8] {
    /// Whether a movie's header is followed by a fragment (box `moof`).
    fileprivate var hasFragment: Bool {
        let type = Array("moof".utf8)
        return indices.dropLast(type.count - 1).contains {
            self[$0] == type[0] && self[$0..<$0 + 4].elementsEqual(type)
        }
    }
}

/// The first file of a track and its continuation files.
struct FileChain {
    /// A file without readable content.
    struct Unreadable {
        let name: String
        let start: MediaTime
        let failure: FileError
        /// Whether no content had been written to the file, so that the file is empty or contains only zeros
        /// or a header.
        let isEmpty: Bool
    }

    /// Name of the first file, relative to the session folder.
    let base: String
    var files: [RemainingFile] = []
    var unreadable: [Unreadable] = []

    /// Start of the last readable file, relative to T0; `nil` if no file can be read.
    var lastStart: MediaTime? { files.last?.start }

    /// Maximum plausible distance in nanoseconds between the start of a file and the end of the previous file. A file
    /// that continues until the next key frame ends at most this long after a split.
    private static let longestStep: Int64 = 10_000_000_000

    /// Returns the time when the last track in the file was stopped before the crash, relative to T0; `nil`
    /// if a track was still being recorded, or if the file ends at a different time.
    ///
    /// - Parameter tracks: Tracks of the manifest.
    /// - Returns: The time when the last track was stopped.
    func requestedEnd(_ tracks: [Manifest.Track]) -> MediaTime? {
        let own = tracks.filter { $0.file == base }
        let ends = own.compactMap(\.fileEnd)
        guard ends.count == own.count, let asked = ends.max(), let last = files.last,
            let end = last.streams.indices.map({ last.end(ofStream: $0).nanoseconds }).max(),
            asked >= 0, abs(asked - end) <= Self.longestStep
        else { return nil }
        return MediaTime(nanoseconds: asked)
    }

    /// Corrects implausible start times of files by starting each such file at the end of the previous one. The times
    /// may be wrong because the manifest and the events may have been edited.
    static func correctStarts(_ chains: inout [FileChain]) {
        for index in chains.indices {
            for later in chains[index].files.indices.dropFirst() {
                let end = chains[index].files[later - 1].end
                if abs(chains[index].files[later].start.nanoseconds - end.nanoseconds) > longestStep {
                    chains[index].files[later].start = end
                }
            }
        }
        let places = chains.indices.flatMap { chain in chains[chain].files.indices.map { (chain, $0) } }
        var reached = MediaTime.zero
        for (chain, file) in places.sorted(by: {
            chains[$0.0].files[$0.1].start < chains[$1.0].files[$1.1].start
        }) {
            if chains[chain].files[file].start.nanoseconds > reached.nanoseconds + longestStep {
                chains[chain].files[file].start = reached
            }
            reached = max(reached, chains[chain].files[file].end)
        }
    }
}

extension Manifest.Track {
    /// Time when the track stopped writing to its file, in nanoseconds since T0; `nil` if it never stopped. A program
    /// may continue with audio after its frames have ended.
    fileprivate var fileEnd: Int64? {
        guard kind == "program", channels != nil else { return ended_ns }
        guard let ended_ns, let sound_ended_ns else { return nil }
        return max(ended_ns, sound_ended_ns)
    }
}

/// Creates the manifest entries for the files found by a recovery. The entries are first derived from the file
/// structure. Checksums are added later, because they require reading every byte.
struct FileListing {
    let folder: ContainedFolder
    let progress: @Sendable (String) -> Void

    /// Creates an entry without a checksum for each file that lacks an entry.
    ///
    /// - Parameters:
    ///   - files: All readable files in their current state.
    ///   - unreadable: The unreadable files and their errors.
    ///   - known: Entries of files that the recovery did not change.
    /// - Returns: All entries, sorted by name. The known entries keep their checksums.
    func entries(
        of files: [RemainingFile], unreadable: [FileChain.Unreadable], known: [Manifest.File]
    ) -> [Manifest.File] {
        var entries = known
        let names = Set(known.map(\.file))
        for file in files where !names.contains(file.name) {
            entries.append(
                Manifest.File(recovered: file.name, bytes: byteCount(file.name), fault: fault(of: file)))
        }
        for file in unreadable where !names.contains(file.name) {
            entries.append(
                Manifest.File(
                    recovered: file.name, bytes: byteCount(file.name), fault: file.failure.description))
        }
        return entries.sorted { $0.file < $1.file }
    }

    /// Adds a checksum to each entry that has neither a fault nor a checksum. For a file that cannot be read,
    /// a fault is added to the entry.
    func withChecksums(_ entries: [Manifest.File]) -> [Manifest.File] {
        entries.map { entry in
            guard entry.lacksChecksum, MediaFileName.isWithin(entry.file) else { return entry }
            progress("\(entry.file) (checksum)")
            var entry = entry
            do throws(FileError) {
                let found = try FileVerification.checksum(of: folder.file(entry.file), from: 0)
                entry.bytes = found.byteCount
                entry.xxh3_128 = found.checksum.value
                entry.hashed_from = found.checksum.start
            } catch {
                entry.verified = false
                entry.fault = error.description
            }
            return entry
        }
    }

    private func fault(of file: RemainingFile) -> String? {
        let place = folder.file(file.name)
        return switch file.content {
        case .movie: FileVerification.fault(ofMovie: place)
        // Trimmed samples remain in the file after the range declared in the header.
        case .audio: FileVerification.fault(ofWave: place, allowsTrailingBytes: true)
        }
    }

    /// Returns the size of a file in bytes; 0 if the file doesn't exist.
    private func byteCount(_ name: String) -> Int64 { folder.file(name).byteCount ?? 0 }
}
