internal import FoundationEssentials
internal import Glibc
package import MulticamMedia
package import MulticamSessionFolder
internal import MulticamSystem
package import MulticamTiming

/// A finished recording, as described by the manifest in its session folder. All files of the recording's
/// tracks exist.
package struct CheckedSession: Sendable {
    /// Path of the session folder.
    package let folder: String
    /// Tracks to measure, in the manifest's order.
    package let tracks: [CheckedTrack]
    /// Length of the recording according to the manifest. Measurements use the actual length of the files
    /// instead.
    package let duration: Nanoseconds
    /// Verdict that was determined at the end of the recording.
    package let verdict: Verdict

    /// Reads the manifest of a session folder, and checks that the files of all tracks exist.
    ///
    /// - Throws: `SyncCheckError` if the manifest is missing, unreadable, or lists no tracks, if the recording hasn't
    ///   ended, or if a file is missing or unreadable.
    package init(folder: String) throws(SyncCheckError) {
        self.folder = folder
        let manifest = try Self.manifest(in: folder)
        if manifest.outcome == .recording, let remedy = FolderState(of: folder).remedy(for: folder) {
            throw SyncCheckError(folder: folder, reason: remedy)
        }
        var tracks: [CheckedTrack] = []
        for track in manifest.tracks { tracks += try Self.checked(track, manifest, folder) }
        guard !tracks.isEmpty else {
            throw SyncCheckError(
                folder: folder, reason: "manifest.json lists no tracks, so there is nothing to compare.")
        }
        self.tracks = tracks
        duration = Nanoseconds(max(0, manifest.duration_ns))
        verdict = Verdict(manifest)
    }

    /// Joins the recordings of a group's nodes into one session. Track times are relative to the group's T0, or to the
    /// first node's T0 if that is earlier.
    ///
    /// - Parameters:
    ///   - folder: Path of the folder that contains the nodes' folders.
    ///   - parts: The name, the recording, and the start of the recording for each node. The start is
    ///     relative to the group's T0; it is negative if the recording started before T0.
    /// - Throws: `SyncCheckError` if `parts` is empty.
    package init(folder: String, joining parts: [(node: String, session: CheckedSession, later: Nanoseconds)])
        throws(SyncCheckError)
    {
        guard let first = parts.first else {
            throw SyncCheckError(
                folder: folder,
                reason: "the recordings of the nodes are missing. Collect the recording again.")
        }
        self.folder = folder
        let begin = parts.map(\.later).reduce(.zero, min)
        let parts = parts.map { (node: $0.node, session: $0.session, later: $0.later - begin) }
        tracks = parts.flatMap { node, session, later in
            session.tracks.map { track in
                CheckedTrack(
                    name: "\(node)/\(track.name)", kind: track.kind, folder: track.folder, files: track.files,
                    stream: track.stream,
                    tick: track.tick, cameraInterval: track.cameraInterval, filled: track.filled,
                    start: track.start + later, laterStarts: track.laterStarts.map { $0.map { $0 + later } },
                    gaps: track.gaps.map { $0.later(by: later) })
            }
        }
        duration = parts.map { $0.session.duration + $0.later }.max() ?? .zero
        verdict = parts.map(\.session.verdict).first { $0.level != .good } ?? first.session.verdict
    }

    private static func manifest(in folder: String) throws(SyncCheckError) -> Manifest {
        if let problem = SessionFile.problem(with: Manifest.fileName, in: folder) {
            throw SyncCheckError(
                folder: folder,
                reason: problem.isMissing
                    ? FolderState(of: folder).remedy(for: folder)
                        ?? (FileManager.default.fileExists(atPath: folder)
                            ? "no manifest.json found. Specify a session folder, as printed by `multicam record`."
                            : "folder not found. Check the path.")
                    : "manifest.json cannot be read: \(problem.reason.printable()).",
                isPermission: problem.isPermission)
        }
        do {
            return try Manifest(reading: try ContainedFile(Manifest.fileName, in: folder))
        } catch let fault as ManifestFault {
            throw SyncCheckError(
                folder: folder,
                reason: "manifest.json \(fault.reason). Restore the file from a backup.")
        } catch {
            throw SyncCheckError(
                folder: folder,
                reason: "manifest.json cannot be read: \("\(error)".printable())")
        }
    }

    private static func filled(_ track: Manifest.Track) -> Int {
        guard let frames = track.frames else { return .max }
        // Values in a manifest can't be trusted.
        let (sum, isTooMany) = frames.duplicated.addingReportingOverflow(frames.slate)
        return isTooMany ? .max : max(0, sum)
    }

    private static func checked(
        _ track: Manifest.Track, _ manifest: Manifest, _ folder: String
    ) throws(SyncCheckError) -> [CheckedTrack] {
        let name = track.name.printable()
        var files: [String] = []
        for file in [track.file] + (track.parts ?? []) {
            guard file.isSafeRelativePath else {
                throw SyncCheckError(
                    folder: folder,
                    reason: "manifest.json lists a file outside the folder (\(file.printable())).")
            }
            if let problem = SessionFile.problem(with: file, in: folder) {
                let state =
                    problem.isMissing ? "is missing" : "cannot be read (\(problem.reason.printable()))"
                throw SyncCheckError(
                    folder: folder,
                    reason:
                        "the file \(file.printable()) of track \(name) \(state). Restore it, or copy the whole folder again.",
                    isPermission: problem.isPermission)
            }
            files.append(file)
        }
        let start = Nanoseconds(max(0, track.first_ns))
        let later = laterStarts(of: track)
        let own = gaps(of: [track.name, track.role ?? track.name], manifest)
        if track.kind == "microphone" {
            return [
                CheckedTrack(
                    name: name, kind: .microphone, folder: folder, files: files, stream: track.stream,
                    start: start,
                    laterStarts: later, gaps: own)
            ]
        }
        guard let rate = track.rate.flatMap({ FrameRate($0) }) else {
            throw SyncCheckError(
                folder: folder, reason: "manifest.json contains no frame rate for \(name).")
        }
        let isProgram = track.kind == "program"
        let cameras = manifest.devices.filter {
            $0.kind == "camera" && (isProgram || $0.role == track.role ?? track.name)
        }
        let slowest = cameras.compactMap { FrameRate($0.format.rate) }.min() ?? rate
        let frames = CheckedTrack(
            name: name, kind: isProgram ? .programVideo : .camera, folder: folder, files: files,
            stream: track.stream,
            tick: rate.interval, cameraInterval: slowest.interval,
            filled: filled(track), start: start, laterStarts: later,
            gaps: isProgram ? own + gaps(of: cameras.map(\.role), manifest) : own)
        guard isProgram, track.channels != nil else { return [frames] }
        // In the program's file, the audio stream follows the video stream.
        return [
            frames,
            CheckedTrack(
                name: name, kind: .programAudio, folder: folder, files: files, stream: track.stream + 1,
                laterStarts: later,
                gaps: own
                    + gaps(
                        of: manifest.devices.filter { $0.kind == "microphone" }.map(\.role), manifest)),
        ]
    }

    /// Returns the start of each file after the first, relative to T0. The result is empty if the manifest doesn't
    /// contain all of the start times.
    private static func laterStarts(of track: Manifest.Track) -> [Nanoseconds?] {
        guard let details = track.part_details, details.map(\.file) == track.parts ?? [] else { return [] }
        return details.map { Nanoseconds(max(0, $0.first_ns)) }
    }

    private static func gaps(of names: [String], _ manifest: Manifest) -> [Gap] {
        manifest.gaps.filter { names.contains($0.track) && $0.from <= $0.to }
    }
}

/// A track of a recording to be measured, with its files. A program with audio is represented by two tracks.
package struct CheckedTrack: Sendable, Equatable {
    /// Content of a track.
    package enum Kind: String, Sendable, Codable {
        case camera
        case microphone
        case programVideo = "program-picture"
        case programAudio = "program-sound"

        /// Whether the track is audio.
        package var isAudio: Bool { self == .microphone || self == .programAudio }
    }

    /// Name of the track.
    package let name: String
    /// Content type of the track.
    package let kind: Kind
    /// Path of the session folder.
    package let folder: String
    /// Files in chronological order, relative to the folder. A split track has several files.
    package let files: [String]
    /// Index of the track's stream in each file, from 0.
    package let stream: Int
    /// Time between two ticks of a video track; zero for audio.
    package let tick: Nanoseconds
    /// Maximum time between two frames of the track's cameras according to their formats; zero for audio.
    package let cameraInterval: Nanoseconds
    /// Number of duplicated frames and slates, which replace frames that weren't captured. `Int.max` if the
    /// number is unknown.
    package let filled: Int
    /// Start of the first file, relative to T0.
    package let start: Nanoseconds
    /// Start of each file after the first, relative to T0; `nil` if the start is unknown, in which case the
    /// file is assumed to follow the previous one directly. The start of a file can be before the end of the
    /// previous one, because a copied H.264 file continues to the next key frame after a split.
    package let laterStarts: [Nanoseconds?]
    /// Periods in which the track, or a device that it shows, differs from the captured data, according to the loss
    /// ledger.
    package let gaps: [Gap]

    /// Creates a track to be measured.
    ///
    /// - Parameters:
    ///   - name: Name of the track.
    ///   - kind: Content type of the track.
    ///   - folder: Path of the session folder.
    ///   - files: Files in chronological order, relative to the folder.
    ///   - stream: Index of the track's stream in each file, from 0.
    ///   - tick: Time between two ticks; zero for audio.
    ///   - cameraInterval: Maximum time between two frames of the track's cameras; zero for audio.
    ///   - filled: Number of duplicated frames and slates; `Int.max` if the number is unknown.
    ///   - start: Start of the first file, relative to T0.
    ///   - laterStarts: Start of each file after the first, relative to T0; `nil` if the start is unknown.
    ///   - gaps: Periods in which the track differs from the captured data.
    package init(
        name: String, kind: Kind, folder: String, files: [String], stream: Int, tick: Nanoseconds = .zero,
        cameraInterval: Nanoseconds = .zero,
        filled: Int = .max, start: Nanoseconds = .zero, laterStarts: [Nanoseconds?] = [], gaps: [Gap] = []
    ) {
        self.name = name
        self.kind = kind
        self.folder = folder
        self.files = files
        self.stream = stream
        self.tick = tick
        self.cameraInterval = cameraInterval
        self.filled = filled
        self.start = start
        self.laterStarts = laterStarts
        self.gaps = gaps
    }

    /// Maximum time after a gap during which a detector may still report an event that the gap caused. After
    /// the gap, a detector adapts to the new level within the length of the gap or this time, whichever is
    /// shorter.
    private static let longestMemory = Nanoseconds.milliseconds(800)
    private static let audioMargin = Nanoseconds.milliseconds(20)

    /// Whether an event may have been caused by a gap, because duplicated frames or inserted silence begin or end
    /// there.
    func isNearGap(_ event: SharpEvent) -> Bool {
        let margin = kind.isAudio ? Self.audioMargin : frame
        return gaps.contains { gap in
            let length = Nanoseconds(gap.to.nanoseconds - gap.from.nanoseconds)
            let after = min(max(length, margin), max(Self.longestMemory, margin))
            return event.latest.nanoseconds >= gap.from.nanoseconds - margin.count
                && event.earliest.nanoseconds <= gap.to.nanoseconds + after.count
        }
    }

    /// Frame duration for tolerances that are given in frames: the longer of the track's and the camera's
    /// frame durations.
    package var frame: Nanoseconds { max(tick, cameraInterval) }
}

/// Checks whether a file of a session folder can be read. The file must be a non-empty regular file whose path contains
/// no symbolic links.
enum SessionFile {
    /// The reason why a path can't be read as a regular file.
    struct Problem {
        /// The reason, as a text that can follow "cannot be read:".
        let reason: String
        let isMissing: Bool
        let isPermission: Bool
    }

    /// Returns the reason why a file can't be read, or `nil` if it can be read.
    ///
    /// - Parameters:
    ///   - name: Name of the file relative to the session folder.
    ///   - folder: Path of the session folder.
    /// - Returns: The problem with the file.
    static func problem(with name: String, in folder: String) -> Problem? {
        do throws(FileError) {
            let file = try ContainedFile(name, in: folder)
            _ = try file.openForReading()
            guard file.byteCount != 0 else {
                return Problem(reason: "the file is empty", isMissing: false, isPermission: false)
            }
            return nil
        } catch {
            return Problem(
                reason: error.errno == 0
                    ? error.detail.withoutFinalPeriod : String(cString: strerror(error.errno)),
                isMissing: error.errno == ENOENT || error.errno == ENOTDIR, isPermission: error.isPermission)
        }
    }
}

extension String {
    /// The sentence without its final period, for use in parentheses or before other text.
    fileprivate var withoutFinalPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
