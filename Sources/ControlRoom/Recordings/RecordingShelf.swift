internal import Media
internal import SessionFolder
internal import Studio

/// The recordings in the output folder, as one thread reads them. Asks the disk, and so blocks.
struct RecordingShelf {
    /// A recording that has ended.
    struct Recording {
        let folder: String
        let manifest: Manifest

        /// Opens a file that the manifest or this program names.
        func file(_ path: String) throws(RecordingRefusal) -> RecordedFile {
            guard let file = RecordedFile(path, in: folder) else {
                throw RecordingRefusal(
                    status: 404,
                    text: "\(path.printable(limit: 200)) is not in this recording, or cannot be read.")
            }
            return file
        }

        /// The track of a name.
        func track(_ name: String) throws(RecordingRefusal) -> Manifest.Track {
            guard let track = manifest.tracks.first(where: { $0.name == name }) else {
                let names = manifest.tracks.map { $0.name.printable(limit: 60) }.joined(separator: ", ")
                throw RecordingRefusal(
                    status: 404,
                    text: "This recording has no track \(name.printable(limit: 60)): it has \(names).")
            }
            return track
        }
    }

    private let folder: String
    /// The manifests that were read last, with what tells them from a later one.
    private var kept: [(name: String, tag: String, recording: Recording)] = []

    private static let mostKept = 8

    /// Reads recordings in the folder of this path.
    init(_ folder: String) { self.folder = folder }

    /// Finds a recording.
    ///
    /// - Parameter name: The name of its session folder, an entry of the output folder.
    /// - Returns: The recording.
    /// - Throws: `RecordingRefusal` when there is none, it has not ended, or its manifest cannot be read.
    mutating func recording(_ name: String) throws(RecordingRefusal) -> Recording {
        guard StudioDesk.isFolder(name) else { throw .noFolder }
        let path = "\(folder)/\(name)"
        guard let file = RecordedFile("manifest.json", in: path) else {
            throw FolderState(of: path) == .running ? Self.running : .noFolder
        }
        if let index = kept.firstIndex(where: { $0.name == name }) {
            let found = kept.remove(at: index)
            if found.tag == file.tag {
                kept.append(found)
                return found.recording
            }
        }
        let manifest = try Self.manifest(in: file)
        if manifest.outcome == .recording {
            throw FolderState(of: path) == .running
                ? Self.running
                : RecordingRefusal(
                    status: 409,
                    text: "The recording was cut off. Make it whole first: `recover` does that.")
        }
        let recording = Recording(folder: path, manifest: manifest)
        kept.append((name, file.tag, recording))
        if kept.count > Self.mostKept { kept.removeFirst() }
        return recording
    }

    /// Reads a recording's manifest as it is now, also while the recording runs.
    ///
    /// - Parameter name: The name of its session folder, an entry of the output folder.
    /// - Returns: The manifest.
    /// - Throws: `RecordingRefusal` when there is none, or it cannot be read.
    func manifest(_ name: String) throws(RecordingRefusal) -> Manifest {
        guard StudioDesk.isFolder(name), let file = RecordedFile("manifest.json", in: "\(folder)/\(name)")
        else { throw .noFolder }
        return try Self.manifest(in: file)
    }

    private static func manifest(in file: RecordedFile) throws(RecordingRefusal) -> Manifest {
        guard file.byteCount <= Int64(Manifest.largestByteCount),
            let bytes = file.read(Int(file.byteCount), at: 0)
        else { throw RecordingRefusal(status: 409, text: "The recording's manifest cannot be read.") }
        do throws(ManifestFault) {
            return try Manifest(reading: Array(bytes))
        } catch {
            throw RecordingRefusal(
                status: 409, text: "The recording's manifest \(error).".printable(limit: 400))
        }
    }

    private static let running = RecordingRefusal(
        status: 409, text: "The recording still runs: its media can be seen when it has ended.")

    /// The files of a track in their order, each with when its time 0 is, in nanoseconds since T0.
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
