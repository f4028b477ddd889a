import Foundation
import MulticamInputs
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamWriters

/// A complete recording of synthetic devices in simulated time. Independent programs read it back.
final class Recording {
    let folder: String
    let result: RecordingResult
    let events: [String]
    /// The reported rotations, if a tracker was given.
    /// Messages about the rotation of cameras.
    var turns: [String] {
        get throws {
            try events.map { try JSONDecoder().decode(SessionEvent.self, from: Data($0.utf8)) }.compactMap {
                if case .orientation(let event) = $0.content { event.text } else { nil }
            }
        }
    }
    private let scratch: URL

    var manifest: Manifest { result.manifest }

    /// Records a profile, given as YAML, for some seconds. `changeSetup` may replace sources, and `steer` receives the
    /// session before it records.
    init(
        _ profile: String, seconds: Double, frameTaps: [FrameTap] = [], audioTaps: [AudioTap] = [],
        metadataTaps: [MetadataTap] = [], synchronizedOutputs: [SynchronizedOutput] = [],
        host: (any HostReading)? = nil, clock: any SessionClock = SimulatedClock(),
        backup: Backup.Content? = nil, backsUpIntoItself: Bool = false,
        tracker: (any OrientationTracker)? = nil,
        changing changeSetup: (inout SessionSetup) -> Void = { _ in },
        steer: (MulticamSession) -> Void = { _ in },
        options change: (inout RecordingOptions) -> Void = { _ in }
    ) async throws {
        scratch = FileManager.default.temporaryDirectory.appending(
            path: "multicam-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let file = scratch.appending(path: "test.yaml")
        try profile.write(to: file, atomically: true, encoding: .utf8)
        var request = SessionConfiguration(profile: file.path)
        request.orientationTracker = tracker
        var setup = try SessionSetup(request)
        changeSetup(&setup)
        var options = RecordingOptions(
            parentFolder: scratch.path, name: "session", duration: .seconds(rounding: seconds),
            version: "0.0.0")
        let backupFolder = backsUpIntoItself ? scratch.path : scratch.path + "/backups"
        options.backup = backup.map { Backup(parentFolder: backupFolder, content: $0) }
        change(&options)
        let session = MulticamSession(
            setup, options, clock: clock, frameTaps: frameTaps, audioTaps: audioTaps,
            metadataTaps: metadataTaps, synchronizedOutputs: synchronizedOutputs, host: host)
        steer(session)
        let rotation = setup.trackRotation(of: session)
        result = try await session.recordChecked()
        rotation?.stop()
        folder = result.folder
        events = try String(contentsOfFile: folder + "/events.ndjson", encoding: .utf8).split(separator: "\n")
            .map(String.init)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: scratch)
        } catch {
            print("left behind: \(scratch.path): \(error)")
        }
    }

    func path(_ file: String) -> String { "\(folder)/\(file)" }
    func track(_ name: String) throws -> Manifest.Track {
        guard let track = manifest.tracks.first(where: { $0.name == name }) else { throw Missing(what: name) }
        return track
    }
    func bytes(_ file: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(file))) }

    /// Returns the manifest in another folder.
    func manifest(in folder: String) throws -> Manifest {
        try JSONDecoder().decode(
            Manifest.self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json")))
    }

    /// Validates the manifest and the events against the JSON Schemas that ship with the project. The loss causes are
    /// also checked, because the schema doesn't list them.
    func checkSchema() throws {
        for track in manifest.tracks {
            let lost = [track.frames?.lost].compactMap(\.self) + Array((track.missing ?? [:]).values)
            for word in lost.flatMap(\.keys) where LossCause(rawValue: word) == nil {
                throw Missing(what: "the loss cause \(word)")
            }
        }
        let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../docs")
        let check = """
            import json, sys, jsonschema
            manifest, manifest_schema, events, events_schema = sys.argv[1:]
            jsonschema.validate(json.load(open(manifest)), json.load(open(manifest_schema)))
            validator = jsonschema.Draft202012Validator(json.load(open(events_schema)))
            for line in open(events): validator.validate(json.loads(line))
            """
        try Reader.run(
            "python3",
            [
                "-c", check, path("manifest.json"), docs.appending(path: "manifest.schema.json").path,
                path("events.ndjson"), docs.appending(path: "events.schema.json").path,
            ])
    }

    struct Missing: Error { let what: String }
}
