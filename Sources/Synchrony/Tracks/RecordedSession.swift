internal import Foundation
public import Media
internal import Session

/// A finished session folder, as its manifest describes it: which tracks there are, and that their files are there.
public struct RecordedSession: Sendable {
    public let folder: String
    public let tracks: [CheckedTrack]
    /// By the manifest. Files are measured as long as they are.
    public let duration: Nanoseconds

    /// - Parameter folder: A session folder of any age.
    /// - Throws: When there is no manifest, it cannot be read, the recording has not ended, or a file is missing.
    public init(folder: String) throws(SyncCheckError) {
        self.folder = folder
        let manifest = try Self.manifest(in: folder)
        guard manifest.outcome != .recording else {
            throw SyncCheckError(
                folder: folder,
                reason:
                    "the recording is still running, or was cut off before it could end: its tracks are not "
                    + "in manifest.json yet. Stop it first.")
        }
        var tracks: [CheckedTrack] = []
        for track in manifest.tracks { tracks += try Self.checked(track, manifest, folder) }
        guard !tracks.isEmpty else {
            throw SyncCheckError(
                folder: folder, reason: "its manifest.json names no tracks. There is nothing to compare.")
        }
        self.tracks = tracks
        duration = Nanoseconds(max(0, manifest.duration_ns))
    }

    private static func manifest(in folder: String) throws(SyncCheckError) -> Manifest {
        let path = folder + "/manifest.json"
        if let problem = SessionFile.problem(at: path) {
            throw SyncCheckError(
                folder: folder,
                reason: problem.isMissing
                    ? "there is no manifest.json in it. Give the folder of a recording."
                    : "its manifest.json cannot be read: \(problem.reason.printable()).",
                isPermission: problem.isPermission)
        }
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            let manifest = try JSONDecoder().decode(Manifest.self, from: data)
            guard manifest.schema == 1 else {
                throw SyncCheckError(
                    folder: folder,
                    reason:
                        "its manifest.json is of another version of multicam (schema \(manifest.schema)). Measure "
                        + "it with that one.")
            }
            return manifest
        } catch let error as SyncCheckError {
            throw error
        } catch let error as DecodingError {
            throw SyncCheckError(
                folder: folder,
                reason: "its manifest.json is damaged or of another version: \(place(of: error)).")
        } catch {
            throw SyncCheckError(
                folder: folder,
                reason: "its manifest.json cannot be read: \(error.localizedDescription.printable())")
        }
    }

    private static func filled(_ track: Manifest.Track) -> Int {
        guard let frames = track.frames else { return .max }
        // A manifest may say anything.
        let (sum, isTooMany) = frames.repeated.addingReportingOverflow(frames.slate)
        return isTooMany ? .max : max(0, sum)
    }

    private static func place(of error: DecodingError) -> String {
        let context: DecodingError.Context? =
            switch error {
            case .keyNotFound(let key, let context):
                DecodingError.Context(
                    codingPath: context.codingPath + [key], debugDescription: "is missing")
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context
            @unknown default: nil
            }
        let path = context?.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(
            separator: ".")
        let isMissing = context?.debugDescription == "is missing"
        guard let path, !path.isEmpty else { return "it is no JSON" }
        return "\(path.printable()) \(isMissing ? "is missing" : "has a wrong value")"
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
        if track.kind == "microphone" {
            return [
                CheckedTrack(
                    name: name, kind: .microphone, files: files, stream: track.stream, start: start)
            ]
        }
        guard let rate = track.rate.flatMap({ FrameRate($0) }) else {
            throw SyncCheckError(
                folder: folder, reason: "its manifest.json tells no picture rate of \(name).")
        }
        let isProgram = track.kind == "program"
        let cameras = manifest.devices.filter {
            $0.kind == "camera" && (isProgram || $0.role == track.role ?? track.name)
        }
        let slowest = cameras.compactMap { FrameRate($0.format.rate) }.min() ?? rate
        let pictures = CheckedTrack(
            name: name, kind: isProgram ? .programPicture : .camera, files: files, stream: track.stream,
            tick: rate.interval, cameraInterval: slowest.interval,
            filled: filled(track), start: start)
        guard isProgram, track.channels != nil else { return [pictures] }
        // The program's sound is the stream after its pictures.
        return [
            pictures,
            CheckedTrack(name: name, kind: .programSound, files: files, stream: track.stream + 1),
        ]
    }
}
