internal import CMulticamSoup
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamStudio
internal import MulticamSystem

/// The recordings in the output folder, for use by one thread. Accesses the disk, so its functions block.
struct RecordingLibrary {
    /// A completed recording.
    struct Recording {
        let folder: String
        let manifest: Manifest
        /// Identifies this version of the manifest.
        let version: String

        /// Opens a file of the recording. The path comes from the manifest or from this program.
        func file(_ path: String) throws(RecordingRefusal) -> RecordedFile {
            guard let file = RecordedFile(path, in: folder) else {
                throw RecordingRefusal(
                    status: 404,
                    text: "\(path.printable(limit: 200)) is not part of this recording or cannot be read.")
            }
            return file
        }

        /// Returns the track with the given name.
        func track(_ name: String) throws(RecordingRefusal) -> Manifest.Track {
            guard let track = manifest.tracks.first(where: { $0.name == name }) else {
                let names = manifest.tracks.map { $0.name.printable(limit: 60) }.joined(separator: ", ")
                throw RecordingRefusal(
                    status: 404,
                    text:
                        "This recording does not have a track named \(name.printable(limit: 60)). Available: \(names)."
                )
            }
            return track
        }
    }

    private let folder: String
    /// Recently read manifests.
    private var cachedRecordings: [(name: String, recording: Recording)] = []

    private static let maxCachedRecordings = 8
    /// Recently joined programs. Players request many parts of a program, and each must not read its indexes again.
    private var joined: [JoinedProgram] = []
    private static let maxJoined = 2
    /// Sizes of programs with several parts, by tag, or the reasons why they can't be joined. Listing the files again doesn't read
    /// the parts' indexes again.
    private var joinedSizes: [(tag: String, size: Result<Int64, RecordingRefusal>)] = []
    private static let maxJoinedSizes = 200
    /// Maximum number of parts of a joined program, because each part needs a file descriptor. A process has 1024 by default.
    private static let maxParts = 200

    /// Creates a reader for the recordings in the folder at this path.
    init(_ folder: String) { self.folder = folder }

    /// Finds a recording.
    ///
    /// - Parameter name: Name of the recording's session folder, an entry of the output folder.
    /// - Returns: The recording.
    /// - Throws: `RecordingRefusal` if the recording doesn't exist or hasn't ended, or if its manifest can't be read.
    mutating func recording(_ name: String) throws(RecordingRefusal) -> Recording {
        guard StudioRequestHandler.isFolderName(name) else { throw .noFolder }
        let path = "\(folder)/\(name)"
        guard let file = RecordedFile("manifest.json", in: path) else {
            throw FolderState(of: path) == .running ? Self.running : .noFolder
        }
        if let index = cachedRecordings.firstIndex(where: { $0.name == name }) {
            let found = cachedRecordings.remove(at: index)
            if found.recording.version == file.version {
                cachedRecordings.append(found)
                return found.recording
            }
        }
        let manifest = try Self.manifest(in: file)
        if manifest.outcome == .recording {
            throw FolderState(of: path) == .running
                ? Self.running
                : RecordingRefusal(
                    status: 409,
                    text: "The recording was interrupted. Recover it first.")
        }
        let recording = Recording(folder: path, manifest: manifest, version: file.version)
        cachedRecordings.append((name, recording))
        if cachedRecordings.count > Self.maxCachedRecordings { cachedRecordings.removeFirst() }
        return recording
    }

    /// Reads the current manifest of a recording, even while the recording is running.
    ///
    /// - Parameter name: Name of the recording's session folder, an entry of the output folder.
    /// - Returns: The manifest.
    /// - Throws: `RecordingRefusal` if the recording doesn't exist or its manifest can't be read.
    func manifest(_ name: String) throws(RecordingRefusal) -> Manifest {
        guard StudioRequestHandler.isFolderName(name),
            let file = RecordedFile("manifest.json", in: "\(folder)/\(name)")
        else { throw .noFolder }
        return try Self.manifest(in: file)
    }

    private static func manifest(in file: RecordedFile) throws(RecordingRefusal) -> Manifest {
        guard file.byteCount <= Int64(Manifest.largestByteCount),
            let bytes = file.read(Int(file.byteCount), at: 0)
        else { throw RecordingRefusal(status: 409, text: "The manifest of the recording cannot be read.") }
        do throws(ManifestFault) {
            return try Manifest(reading: Array(bytes))
        } catch {
            throw RecordingRefusal(
                status: 409,
                text: "The recording cannot be read: manifest.json \(error).".printable(limit: 400))
        }
    }

    private static let running = RecordingRefusal(
        status: 409,
        text: "The recording is still running. Its media can be viewed after the recording has ended.")

    // MARK: Downloads

    /// A file that can be downloaded.
    struct Download: Encodable {
        /// Path in the session folder.
        let path: String
        /// `program`, `camera`, `microphone`, `upload`, `podcast`, `project`, `render`, or `other`.
        let kind: String
        /// Name of the track, or `nil`.
        let track: String?
        let bytes: Int64
    }

    /// The downloads of a recording.
    struct Downloads: Encodable {
        struct Program: Encodable {
            let bytes: Int64
            /// Number of files that the program consists of.
            let parts: Int
        }
        struct Archive: Encodable { let bytes: Int64 }

        /// The program with all parts; `nil` if there is no program or its parts can't be joined.
        let program: Program?
        /// The reason why the program can't be downloaded as one file.
        let program_error: String?
        let archive: Archive
        let files: [Download]
    }

    /// Lists everything of a recording that can be downloaded, with sizes.
    mutating func downloads(of recording: Recording, named name: String) throws(RecordingRefusal) -> Downloads
    {
        let folder = try Self.open(recording.folder)
        // The files of tracks come first, in the order of the manifest and of their parts.
        var files: [Download] = []
        var sizes = Dictionary(
            SessionFile.list(in: folder).map { ($0.path, $0.byteCount) },
            uniquingKeysWith: { first, _ in first })
        func add(_ file: String, _ kind: String, _ track: String?) {
            guard let bytes = sizes.removeValue(forKey: file) else { return }
            files.append(Download(path: file, kind: kind, track: track?.printable(), bytes: bytes))
        }
        for track in recording.manifest.tracks {
            for (file, _) in Self.files(of: track) { add(file, track.kind, track.name) }
        }
        for upload in recording.manifest.uploads ?? [] { add(upload.file, "upload", upload.role) }
        for file in sizes.keys.sorted() { add(file, Self.kind(ofFile: file), nil) }
        var (program, problem): (Downloads.Program?, String?) = (nil, nil)
        if let track = recording.manifest.tracks.first(where: { $0.kind == "program" }) {
            do throws(RecordingRefusal) {
                program = Downloads.Program(
                    bytes: try programSize(of: recording), parts: Self.files(of: track).count)
            } catch {
                problem = error.text
            }
        }
        return Downloads(
            program: program, program_error: problem,
            archive: Downloads.Archive(bytes: ZipArchive(folder, named: name).byteCount), files: files)
    }

    private static func kind(ofFile path: String) -> String {
        guard path.hasPrefix("edit/") else { return "other" }
        let name = path.dropFirst("edit/".count)
        if name.hasPrefix("podcast.") { return "podcast" }
        if name.hasPrefix("render-") { return "render" }
        return name.contains("/") || name == "cut.json" ? "other" : "project"
    }

    /// Opens a session folder, so that its files stay readable while the folder is renamed or moved to the trash.
    static func open(_ folder: String) throws(RecordingRefusal) -> ContainedFolder {
        do throws(FileError) { return try ContainedFolder(opening: folder) } catch { throw .noFolder }
    }

    /// Opens one part of the program.
    func program(of recording: Recording, part: Int) throws(RecordingRefusal) -> RecordedFile {
        let files = try Self.programFiles(recording)
        guard part <= files.count else {
            throw RecordingRefusal(
                status: 404,
                text: "This program file does not exist. Number of program files: \(files.count).")
        }
        return try recording.file(files[part - 1].file)
    }

    /// Returns the size of the program with all parts as one file.
    private mutating func programSize(of recording: Recording) throws(RecordingRefusal) -> Int64 {
        let files = try Self.programFiles(recording)
        guard files.count > 1 else { return try program(of: recording, part: 1).byteCount }
        let tag = try Self.tag(of: recording, try parts(files, of: recording))
        if let known = joinedSizes.first(where: { $0.tag == tag }) { return try known.size.get() }
        let size = Result { () throws(RecordingRefusal) in try program(of: recording).byteCount }
        // A file that couldn't be read may be readable the next time.
        if case .failure(let refusal) = size, !refusal.isLasting { throw refusal }
        joinedSizes.append((tag, size))
        if joinedSizes.count > Self.maxJoinedSizes { joinedSizes.removeFirst() }
        return try size.get()
    }

    /// Opens the program with all parts as one file.
    mutating func program(of recording: Recording) throws(RecordingRefusal) -> any DownloadContent {
        let files = try Self.programFiles(recording)
        guard files.count > 1 else { return try program(of: recording, part: 1) }
        let parts = try parts(files, of: recording)
        let tag = try Self.tag(of: recording, parts)
        if let known = joined.first(where: { $0.tag == tag }) { return known }
        let folder = try Self.open(recording.folder)
        do throws(FileError) {
            var opened: [(file: ReadFile, start: MediaTime)] = []
            for (file, start) in files {
                opened.append((try ReadFile(folder.file(file)), MediaTime(nanoseconds: start)))
            }
            var metadata = MovieMetadata(recording.manifest.markers)
            metadata.title = recording.manifest.title
            metadata.date = String(recording.manifest.started.prefix(10))
            let program = JoinedProgram(try JoinedMovie(opened, metadata: metadata), of: parts, tag: tag)
            joined.append(program)
            if joined.count > Self.maxJoined { joined.removeFirst() }
            return program
        } catch {
            throw RecordingRefusal(
                status: 409,
                text: "The parts of the program can't be joined: \(error.description.printable(limit: 400))",
                isLasting: error.operation == JoinedMovie.operation)
        }
    }

    /// Opens the parts of a program. Refuses programs that are too long to be joined, without reading the parts.
    private func parts(
        _ files: [(file: String, start: Int64)], of recording: Recording
    ) throws(RecordingRefusal) -> [RecordedFile] {
        guard files.count <= Self.maxParts else {
            throw RecordingRefusal(
                status: 409,
                text:
                    "The program has \(files.count) parts, and at most \(Self.maxParts) parts can be joined. Download the parts separately."
            )
        }
        let frameCount = recording.manifest.tracks.first { $0.kind == "program" }?.frames?.written ?? 0
        guard frameCount <= JoinedMovie.defaultMaxSampleCount else {
            throw RecordingRefusal(
                status: 409, text: "The program is too long to be joined. Download the parts separately.")
        }
        var parts: [RecordedFile] = []
        for (file, _) in files { parts.append(try recording.file(file)) }
        return parts
    }

    /// Identifies this version of a program with several parts.
    private static func tag(of recording: Recording, _ parts: [RecordedFile]) throws(RecordingRefusal)
        -> String
    {
        let versions = ([recording.version] + parts.map(\.version)).joined()
        guard let digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, versions, -1) else {
            throw .noFolder
        }
        defer { g_free(digest) }
        return "\"\(String(cString: digest))\""
    }

    private static func programFiles(_ recording: Recording) throws(RecordingRefusal) -> [(
        file: String, start: Int64
    )] {
        guard let track = recording.manifest.tracks.first(where: { $0.kind == "program" }) else {
            throw RecordingRefusal(status: 404, text: "This recording does not have a program.")
        }
        return files(of: track)
    }

    /// Returns the files of a track in order, each with its start time in nanoseconds relative to T0.
    static func files(of track: Manifest.Track) -> [(file: String, start: Int64)] {
        let details = track.part_details ?? []
        let later = (track.parts ?? []).enumerated().map { index, file in
            (
                file: file,
                start: details.first { $0.file == file }?.first_ns
                    ?? (index < details.count ? details[index].first_ns : 0)
            )
        }
        return [(file: track.file, start: max(0, track.first_ns))] + later
    }
}
