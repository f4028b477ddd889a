import Foundation
import Inputs
import Media
import Session
import SessionFolder
import Setup
import Writers

/// A whole recording of synthetic devices in simulated time, and the independent programs that read it back.
final class Recording {
    let folder: String
    let result: RecordingResult
    let events: [String]
    /// What was told of turns, where a tracker was given.
    private(set) var turns: [String] = []
    private let scratch: URL

    var manifest: Manifest { result.manifest }

    /// Records a profile, given as YAML, for some seconds; `changeSetup` may exchange sources, `steer` gets the session before
    /// it records.
    init(
        _ profile: String, seconds: Double, frameTaps: [FrameTap] = [], audioTaps: [AudioTap] = [],
        metadataTaps: [MetadataTap] = [], synchronizedOutputs: [SynchronizedOutput] = [],
        host: (any HostReading)? = nil, clock: any SessionClock = SimulatedClock(),
        copy: SafetyCopy.Content? = nil, copiesIntoItself: Bool = false,
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
        let request = SetupRequest(profile: file.path)
        var setup = try tracker.map { try SessionSetup(request, tracker: $0) } ?? SessionSetup(request)
        changeSetup(&setup)
        var options = RecordingOptions(
            parentFolder: scratch.path, name: "session", duration: .seconds(rounding: seconds),
            version: "0.0.0")
        let copyFolder = copiesIntoItself ? scratch.path : scratch.path + "/copies"
        options.copy = copy.map { SafetyCopy(parentFolder: copyFolder, content: $0) }
        change(&options)
        let session = setup.makeSession(
            options, clock: clock, frameTaps: frameTaps, audioTaps: audioTaps,
            metadataTaps: metadataTaps, synchronizedOutputs: synchronizedOutputs, host: host)
        steer(session)
        let rotation = setup.followRotation(of: session)
        result = try await session.record()
        rotation?.stop()
        if let rotation { for await sentence in rotation.sentences { turns.append(sentence) } }
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

    /// Of another folder.
    func manifest(in folder: String) throws -> Manifest {
        try JSONDecoder().decode(
            Manifest.self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json")))
    }

    /// Holds the manifest against the JSON Schema that ships with the project.
    func checkSchema() throws {
        let schema = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/manifest.schema.json")
        let check =
            "import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))"
        try Reader.run("python3", ["-c", check, path("manifest.json"), schema.path])
    }

    struct Missing: Error { let what: String }
}
