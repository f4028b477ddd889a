internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamStudio

/// The recordings in the output folder, for use by one thread. Accesses the disk, so its functions block.
struct RecordingLibrary {
    /// A completed recording.
    struct Recording {
        let folder: String
        let manifest: Manifest

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
    /// Recently read manifests, each with a tag that identifies its version.
    private var cachedRecordings: [(name: String, tag: String, recording: Recording)] = []

    private static let maxCachedRecordings = 8

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
            if found.tag == file.tag {
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
                    text: "The recording was interrupted. Recover it first with `multicam recover`.")
        }
        let recording = Recording(folder: path, manifest: manifest)
        cachedRecordings.append((name, file.tag, recording))
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
