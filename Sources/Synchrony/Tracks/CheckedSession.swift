internal import FoundationEssentials
public import Media
public import SessionFolder
internal import Timing

/// A finished session folder by its manifest: its tracks, whose files all exist.
public struct CheckedSession: Sendable {
    /// Path of the session folder.
    public let folder: String
    /// Tracks to be measured, in the manifest's order.
    public let tracks: [CheckedTrack]
    /// Length of the recording by the manifest; measuring goes by the length of the files.
    public let duration: Nanoseconds
    /// The verdict on the recording when it was made.
    public let verdict: Verdict

    /// Reads the manifest of a session folder, and checks that its files exist.
    ///
    /// - Throws: `SyncCheckError` when there is no manifest, it cannot be read or names no tracks, the recording has not ended,
    ///   or a file is missing or cannot be read.
    public init(folder: String) throws(SyncCheckError) {
        self.folder = folder
        let manifest = try Self.manifest(in: folder)
        if manifest.outcome == .recording, let remedy = FolderState(of: folder).remedy(for: folder) {
            throw SyncCheckError(folder: folder, reason: remedy)
        }
        var tracks: [CheckedTrack] = []
        for track in manifest.tracks { tracks += try Self.checked(track, manifest, folder) }
        guard !tracks.isEmpty else {
            throw SyncCheckError(
                folder: folder, reason: "its manifest.json names no tracks. There is nothing to compare.")
        }
        self.tracks = tracks
        duration = Nanoseconds(max(0, manifest.duration_ns))
        verdict = Verdict(manifest)
    }

    /// Joins the recordings of a group's nodes, whose tracks count from the group's T0, or from the first node's where that was earlier.
    ///
    /// - Parameters:
    ///   - folder: Path of the folder with the nodes' folders.
    ///   - parts: Each node's name, its recording, and how much later than the group's T0 that begins; negative where it was earlier.
    /// - Throws: `SyncCheckError` when there are none.
    public init(folder: String, joining parts: [(node: String, session: CheckedSession, later: Nanoseconds)])
        throws(SyncCheckError)
    {
        guard let first = parts.first else {
            throw SyncCheckError(
                folder: folder, reason: "no node's recording is in it yet. Collect it again.")
        }
        self.folder = folder
        let begin = parts.map(\.later).reduce(.zero, min)
        let parts = parts.map { (node: $0.node, session: $0.session, later: $0.later - begin) }
        tracks = parts.flatMap { node, session, later in
            session.tracks.map { track in
                CheckedTrack(
                    name: "\(node)/\(track.name)", kind: track.kind, files: track.files, stream: track.stream,
                    tick: track.tick, cameraInterval: track.cameraInterval, filled: track.filled,
                    start: track.start + later, laterStarts: track.laterStarts.map { $0.map { $0 + later } },
                    gaps: track.gaps.map { $0.later(by: later) })
            }
        }
        duration = parts.map { $0.session.duration + $0.later }.max() ?? .zero
        verdict = parts.map(\.session.verdict).first { $0.level != .good } ?? first.session.verdict
    }

    private static func manifest(in folder: String) throws(SyncCheckError) -> Manifest {
        let path = folder + "/manifest.json"
        if let problem = SessionFile.problem(at: path) {
            throw SyncCheckError(
                folder: folder,
                reason: problem.isMissing
                    ? FolderState(of: folder).remedy(for: folder)
                        ?? (FileManager.default.fileExists(atPath: folder)
                            ? "there is no manifest.json in it. Give the folder of a recording, as `record` prints it."
                            : "there is no such folder. Check the path.")
                    : "its manifest.json cannot be read: \(problem.reason.printable()).",
                isPermission: problem.isPermission)
        }
        do {
            return try Manifest(reading: Array(Data(contentsOf: URL(fileURLWithPath: path))))
        } catch let fault as ManifestFault {
            throw SyncCheckError(
                folder: folder,
                reason: "its manifest.json \(fault.reason). Take it from a copy of the recording.")
        } catch {
            throw SyncCheckError(
                folder: folder,
                reason: "its manifest.json cannot be read: \("\(error)".printable())")
        }
    }

    private static func filled(_ track: Manifest.Track) -> Int {
        guard let frames = track.frames else { return .max }
        // A manifest may say anything.
        let (sum, isTooMany) = frames.repeated.addingReportingOverflow(frames.slate)
        return isTooMany ? .max : max(0, sum)
    }

    private static func checked(
        _ track: Manifest.Track, _ manifest: Manifest, _ folder: String
    ) throws(SyncCheckError) -> [CheckedTrack] {
        let name = track.name.printable()
        var files: [String] = []
        for file in [track.file] + (track.parts ?? []) {
            guard file.isPathWithin else {
                throw SyncCheckError(
                    folder: folder,
                    reason: "its manifest.json names a file outside of it (\(file.printable())).")
            }
            let path = folder + "/" + file
            if let problem = SessionFile.problem(at: path) {
                let what =
                    problem.isMissing ? "is missing" : "cannot be read (\(problem.reason.printable()))"
                throw SyncCheckError(
                    folder: folder,
                    reason:
                        "\(file.printable()), which holds \(name), \(what). Put it back, or copy the whole folder.",
                    isPermission: problem.isPermission)
            }
            files.append(path)
        }
        let start = Nanoseconds(max(0, track.first_ns))
        let later = laterStarts(of: track)
        let own = gaps(of: [track.name, track.role ?? track.name], manifest)
        if track.kind == "microphone" {
            return [
                CheckedTrack(
                    name: name, kind: .microphone, files: files, stream: track.stream, start: start,
                    laterStarts: later, gaps: own)
            ]
        }
        guard let rate = track.rate.flatMap({ FrameRate($0) }) else {
            throw SyncCheckError(
                folder: folder, reason: "its manifest.json tells no frame rate of \(name).")
        }
        let isProgram = track.kind == "program"
        let cameras = manifest.devices.filter {
            $0.kind == "camera" && (isProgram || $0.role == track.role ?? track.name)
        }
        let slowest = cameras.compactMap { FrameRate($0.format.rate) }.min() ?? rate
        let frames = CheckedTrack(
            name: name, kind: isProgram ? .programFrame : .camera, files: files, stream: track.stream,
            tick: rate.interval, cameraInterval: slowest.interval,
            filled: filled(track), start: start, laterStarts: later,
            gaps: isProgram ? own + gaps(of: cameras.map(\.role), manifest) : own)
        guard isProgram, track.channels != nil else { return [frames] }
        // The program's audio is the stream after its frames.
        return [
            frames,
            CheckedTrack(
                name: name, kind: .programAudio, files: files, stream: track.stream + 1, laterStarts: later,
                gaps: own
                    + gaps(
                        of: manifest.devices.filter { $0.kind == "microphone" }.map(\.role), manifest)),
        ]
    }

    /// Start of each file after the first, since T0; empty where the manifest does not name all of them.
    private static func laterStarts(of track: Manifest.Track) -> [Nanoseconds?] {
        guard let details = track.part_details, details.map(\.file) == track.parts ?? [] else { return [] }
        return details.map { Nanoseconds(max(0, $0.first_ns)) }
    }

    private static func gaps(of names: [String], _ manifest: Manifest) -> [Gap] {
        manifest.gaps.filter { names.contains($0.track) && $0.from <= $0.to }
    }
}
