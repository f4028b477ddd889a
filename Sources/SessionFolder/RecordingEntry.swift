internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
package import MulticamMedia
internal import MulticamSystem

/// A session folder, as an entry in a list of recordings.
package struct RecordingEntry: Sendable, Equatable, Encodable {
    /// State of the recording.
    package enum State: String, Sendable, Encodable {
        /// A session is recording into the folder, or a recovery is running.
        case recording
        /// A crash interrupted the recording, and `multicam recover` has not been run.
        case cutOff = "cut-off"
        /// A crash interrupted the recording before any frame or sample was written.
        case empty
        /// The recording has ended, and nothing is missing.
        case complete
        /// The recording has ended, and according to its verdict, something is missing.
        case incomplete
        /// The manifest cannot be read.
        case damaged
    }

    /// The folder's name.
    package let folder: String
    /// State of the recording.
    package let state: State
    /// Start date in ISO 8601; `nil` if unknown.
    package let started: String?
    /// Duration in nanoseconds; `nil` if unknown.
    package private(set) var duration_ns: Int64?
    /// Total size of the files in the folder, in bytes.
    package let bytes: Int64
    /// Name of the profile; `nil` if unknown.
    package private(set) var profile: String?
    /// Title of the recording; `nil` if the recording has no title.
    package private(set) var title: String?
    /// Level of the verdict: `good`, `warning`, or `bad`; `nil` while the recording is running.
    package private(set) var level: String?
    /// The verdict on a recording that has ended, or the reason why the recording cannot be read; `nil` while
    /// the recording is running.
    package private(set) var verdict: String?
    /// The sentences of the verdict. The first one is the headline.
    package private(set) var sentences: [String] = []

    /// Inspects a folder; `nil` if it isn't a session folder.
    private init?(_ name: String, in parent: String, started: String?) {
        let path = "\(parent)/\(name)"
        folder = name.printable()
        self.started = started?.printable()
        let contained: ContainedFolder
        do throws(FileError) { contained = try ContainedFolder(opening: path) } catch { return nil }
        let phase = FolderState(of: contained)
        if phase == .noRecording { return nil }
        bytes = SessionFile.list(in: contained).reduce(0) { $0 &+ $1.byteCount }
        switch phase {
        case .noRecording, .running: state = .recording
        case .unfinished:
            state = .cutOff
            sentences = ["The recording was interrupted.", "Run `multicam recover` to complete its files."]
        case .empty:
            state = .empty
            sentences = [phase.remedy(for: path)?.asSentence].compactMap(\.self)
        case .ended:
            do {
                let manifest = try Manifest(reading: contained.file(Manifest.fileName))
                let verdict = Verdict(manifest)
                state = verdict.isIncomplete ? .incomplete : .complete
                level = "\(verdict.level)"
                duration_ns = manifest.duration_ns
                profile = manifest.profile.printable()
                title = manifest.title?.printable()
                sentences = verdict.sentences
            } catch {
                state = .damaged
                sentences = ["\(error)".printable(limit: 400)]
            }
        }
        guard state != .recording else { return }
        level = level ?? "\(Verdict.Level.bad)"
        verdict = sentences.joined(separator: " ")
    }

    /// Returns the start date in the manifest, or `nil` if the manifest doesn't contain one.
    private static func start(of folder: String) -> String? {
        struct Head: Decodable { let started: String }
        do {
            let file = try ContainedFile(Manifest.fileName, in: folder)
            let bytes = try WholeFile.bytes(of: file, atMost: Manifest.largestByteCount)
            return try JSONText.decoder().decode(Head.self, from: Data(bytes)).started
        } catch {
            return nil
        }
    }

    /// Returns the start date of a recording. Without a manifest, returns the modification date of the event
    /// file; `nil` if the event file is missing too.
    private static func date(of folder: String, started: String?) -> Date? {
        if let date = started.flatMap({ Manifest.date(ofTimeStamp: $0) }) { return date }
        var status = stat()
        guard stat(folder + "/events.ndjson", &status) == 0 else { return nil }
        return Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
    }

    /// Lists the recordings in a folder, newest first.
    ///
    /// - Parameters:
    ///   - folder: Path of the folder.
    ///   - limit: Maximum number of recordings.
    /// - Returns: The recordings; empty if the folder doesn't exist.
    /// - Throws: `FileError` if the folder cannot be read.
    package static func list(_ folder: String, atMost limit: Int = 200) throws(FileError) -> [RecordingEntry]
    {
        let names: [String]
        do throws(FileError) {
            names = try FolderListing(of: folder, atMost: 100_000).names
        } catch {
            if error.errno == ENOENT { return [] }
            throw error
        }
        let dated = names.map { name -> (name: String, started: String?, date: Date) in
            let path = "\(folder)/\(name)"
            let started = Self.start(of: path)
            // A folder with a damaged manifest and without events is undated and listed last.
            return (name, started, Self.date(of: path, started: started) ?? .distantPast)
        }
        let newest = dated.sorted { ($0.date, $0.name) > ($1.date, $1.name) }
        return Array(
            newest.lazy.compactMap { RecordingEntry($0.name, in: folder, started: $0.started) }.prefix(limit))
    }
}

/// Finds all session folders below a folder, such as the folder given with `--output`.
package struct RecordingSearch: Sendable {
    /// Paths of interrupted recordings, sorted by name.
    package private(set) var unfinished: [String] = []
    /// Paths of recordings that are running or being recovered, sorted by name.
    package private(set) var running: [String] = []
    /// Paths of interrupted recordings without any frame or sample, sorted by name.
    package private(set) var empty: [String] = []
    /// Number of recordings that have ended.
    package private(set) var endedCount = 0
    /// Messages about folders that could not be searched, one sentence per folder.
    package private(set) var remarks: [String] = []

    /// Maximum search depth below the first folder. Recordings sorted by year, month and day are three levels deep.
    private static let maxDepth = 4

    /// Searches `folder` and its subfolders. Symbolic links and folders with a leading dot in their name are skipped.
    package init(below folder: String) { scan(folder, depth: 0) }

    /// Whether the search found no recordings.
    package var isEmpty: Bool { unfinished.isEmpty && running.isEmpty && empty.isEmpty && endedCount == 0 }

    private mutating func scan(_ folder: String, depth: Int) {
        let listing: FolderListing
        do throws(FileError) { listing = try FolderListing(of: folder) } catch {
            remarks.append(
                "\(folder.printable(limit: 1000)): reading the folder failed: \(MachineLimit.explanation(errno: error.errno))"
            )
            return
        }
        for name in listing.unreadableNames {
            remarks.append(
                "\(folder.printable(limit: 1000))/\(name.printable()): the name is not valid UTF-8. Rename the file or folder, then try again."
            )
        }
        for name in listing.names where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            switch FolderState(of: path) {
            case .unfinished: unfinished.append(path)
            case .running: running.append(path)
            case .empty: empty.append(path)
            case .ended: endedCount += 1
            case .noRecording: if depth < Self.maxDepth { scan(path, depth: depth + 1) }
            }
        }
    }
}
