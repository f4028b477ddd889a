import Foundation
import Glibc
import MulticamMedia
import MulticamSessionFolder
import Testing

@Suite("Interrupted recordings in recordings, verify, and recover", .serialized)
struct InterruptedTests {
    /// A finished recording of 0.5 s.
    private func recorded(_ scratch: Scratch) throws -> String {
        let outcome = try Multicam.run(
            "record", "--profile", try scratch.smallProfile(), "--output", "out", "--duration", "0.5",
            in: scratch)
        return try #require(outcome.lines.first, "\(outcome.errors)")
    }

    /// Changes the manifest of a finished recording to the one that is written during a recording, as if a
    /// crash had occurred.
    private func interrupt(_ folder: String, _ change: (inout Manifest) -> Void = { _ in }) throws {
        try Session.edit(folder) { manifest in
            manifest.outcome = .recording
            manifest.duration_ns = 0
            manifest.files = nil
            manifest.markers = []
            change(&manifest)
        }
    }

    private func append(_ lines: String, to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(lines.utf8))
        try file.close()
    }

    @Test(
        "after a crash with all tracks ended, recover keeps the length, the markers, and the changes")
    func allEnded() throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "tracks.yaml",
            """
            cameras: { desk: { device: "virtual:clap?size=320x180" } }
            microphones: { host: { device: "virtual:clap" } }
            tracks: { cameras: copy, microphones: wav }
            limits: none
            """)
        let outcome = try Multicam.run(
            "record", "--profile", profile, "--output", "out", "--duration", "0.5", in: scratch)
        let folder = try #require(outcome.lines.first, "\(outcome.errors)")
        try interrupt(folder) { manifest in
            for index in manifest.tracks.indices {
                manifest.tracks[index].ended_ns = 500_000_000
                manifest.tracks[index].duration_ns = 0
            }
        }
        try append(
            """
            {"at_ns":300000000,"event":"mark","text":"during"}
            {"at_ns":499000000,"changes":["stop-track desk"],"event":"change","text":"changed: stop-track desk"}
            {"at_ns":499500000,"changes":["stop-track host"],"event":"change","text":"changed: stop-track host"}
            {"at_ns":900000000,"event":"mark","text":"after"}

            """, to: folder + "/events.ndjson")
        let recovered = try Multicam.run("recover", folder)
        #expect(recovered.status == 0, "\(recovered.errors)")
        let manifest = try Session(folder).manifest
        // The marker shows that the recording was longer than its tracks. The recording ends on the camera's
        // grid.
        #expect(manifest.duration_ns == 933_333_333)
        #expect(manifest.markers.map(\.text) == ["during", "after"])
        #expect(manifest.changes?.count == 2)
        for track in manifest.tracks {
            #expect(track.duration_ns == 500_000_000)
            #expect(track.written == (track.frames == nil ? 24_000 : 15))
        }
        #expect(manifest.gaps.isEmpty)
        #expect(try Multicam.run("verify", folder).status == 0)
    }

    @Test("recover renames a finished manifest draft and keeps it")
    func draft() throws {
        let scratch = try Scratch()
        let folder = try recorded(scratch)
        let (path, draft) = (folder + "/manifest.json", folder + "/manifest.json.new")
        let finished = try Data(contentsOf: URL(filePath: path))
        try interrupt(folder)
        try finished.write(to: URL(filePath: draft))
        let outcome = try Multicam.run("recover", folder)
        #expect(
            outcome.status == 0 && outcome.lines.first?.contains("was recovered") == true,
            "\(outcome.output)\(outcome.errors)")
        #expect(try Data(contentsOf: URL(filePath: path)) == finished)
        #expect(!FileManager.default.fileExists(atPath: draft))
        #expect(try Multicam.run("verify", folder).status == 0)
        #expect(try Multicam.run("recover", folder).lines.first?.contains("is already complete") == true)
    }

    @Test("without a manifest, recover creates one that verify and recordings accept")
    func noManifest() throws {
        let scratch = try Scratch()
        let folder = try recorded(scratch)
        let before = try Session(folder).manifest
        unlink(folder + "/manifest.json")
        expectRefusal(try Multicam.run("verify", folder), status: 1, "multicam recover")
        let outcome = try Multicam.run("recover", folder)
        #expect(
            outcome.status == 0 && outcome.output.contains("manifest.json is missing"),
            "\(outcome.output)\(outcome.errors)")
        let manifest = try Session(folder).manifest
        #expect(manifest.outcome == .recovered)
        #expect(manifest.duration_ns == before.duration_ns)
        #expect(manifest.t0_monotonic_ns == before.t0_monotonic_ns)
        #expect(manifest.started.prefix(16) == before.started.prefix(16))
        #expect(manifest.tracks.map(\.name).sorted() == ["desk", "host", "program"])
        for found in manifest.tracks {
            let known = try #require(before.tracks.first { $0.name == found.name })
            #expect(
                (found.kind, found.file, found.codec, found.stream)
                    == (known.kind, known.file, known.codec, known.stream), "\(found.name)")
            #expect(
                (found.width, found.height, found.channels, found.duration_ns)
                    == (known.width, known.height, known.channels, known.duration_ns), "\(found.name)")
        }
        try checkSchema(folder)
        let verified = try Multicam.run("verify", folder)
        #expect(verified.status == 0 && verified.lines.count == 3, "\(verified.output)\(verified.errors)")
        #expect(try Multicam.run("recover", folder).lines.first?.contains("is already complete") == true)
        #expect(try Multicam.run("export", folder, "--to", "otio").status == 0)
        // Complete files were not changed.
        #expect(try #require(manifest.files).map(\.bytes) == #require(before.files).map(\.bytes))

        // An unreadable manifest is kept next to the new one.
        let torn = Data("{\"schema\": 1, \"outco".utf8)
        try torn.write(to: URL(filePath: folder + "/manifest.json"))
        #expect(try Multicam.run("recover", folder).status == 0)
        #expect(try Data(contentsOf: URL(filePath: folder + "/manifest.json.lost")) == torn)
        #expect(try Multicam.run("verify", folder).status == 0)

        // A manifest of another version is not replaced.
        var later = before
        later.schema = 2
        try Session.write(later, to: folder)
        let other = try Data(contentsOf: URL(filePath: folder + "/manifest.json"))
        expectRefusal(try Multicam.run("recover", folder), status: 1, "another version of multicam")
        #expect(try Data(contentsOf: URL(filePath: folder + "/manifest.json")) == other)
    }

    private func checkSchema(_ folder: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let check =
            "import json,sys,jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))"
        let outcome = try Multicam.run([
            "python3", "-c", check, folder + "/manifest.json", root.path + "/docs/manifest.schema.json",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("recordings and recover both report a recording without any media as empty")
    func empty() throws {
        let scratch = try Scratch()
        let folder = scratch.path + "/out/r"
        try FileManager.default.createDirectory(atPath: folder + "/audio", withIntermediateDirectories: true)
        _ = try scratch.file("out/r/events.ndjson", "{\"at_ns\":0,\"event\":\"started\"}\n")
        _ = try scratch.file("out/r/manifest.json.new", "{")
        _ = try scratch.file("out/r/audio/host.wav", "\0\0\0\0")
        let nothing = "before any frame or sample was written"
        let list = try Multicam.run("recordings", "--output", scratch.path + "/out")
        #expect(list.status == 0 && list.output.contains(nothing), "\(list.output)")
        #expect(!list.output.contains("multicam recover"))
        expectRefusal(try Multicam.run("recover", folder), status: 1, nothing)
        expectRefusal(try Multicam.run("verify", folder), status: 1, nothing)
        let above = try Multicam.run("recover", scratch.path + "/out")
        #expect(above.status == 0 && above.errors.contains(nothing), "\(above.output)\(above.errors)")
        #expect(FileManager.default.fileExists(atPath: folder + "/audio/host.wav"))
    }

    @Test("recordings are listed by start time across time zones, not by name")
    func order() throws {
        let scratch = try Scratch()
        let folder = try recorded(scratch)
        var manifest = try Session(folder).manifest
        let starts = [
            "a": "2026-03-01T12:00:00.500000000+01:00", "z": "2026-02-28T12:00:00.000000000+01:00",
            "m": "2026-03-01T12:00:00.000000000+00:00", "b": "2026-03-01T12:00:00.600000000+01:00",
        ]
        for (name, started) in starts {
            let copy = scratch.path + "/list/" + name
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            manifest.started = started
            try Session.write(manifest, to: copy)
        }
        let list = try Multicam.run("recordings", "--output", scratch.path + "/list")
        #expect(list.lines.compactMap(\.first) == ["m", "b", "a", "z"], "\(list.output)\(list.errors)")
    }

    @Test("a deleted file is reported as missing, not damaged")
    func deleted() throws {
        let scratch = try Scratch()
        let folder = try recorded(scratch)
        unlink(folder + "/audio/host.wav")
        let outcome = try Multicam.run("verify", folder)
        #expect(outcome.status == 1 && outcome.lines.contains("missing: audio/host.wav"), "\(outcome.output)")
        #expect(!outcome.output.contains("damaged"))
        let lines = try Multicam.run("verify", folder, "--json")
        #expect(lines.output.contains("\"verdict\":\"missing\""), "\(lines.output)")
    }

    @Test("a recording continues in its renamed folder, and its last lines name the new folder")
    func renamed() throws {
        let scratch = try Scratch()
        let command = try RunningCommand(
            [
                Multicam.path, "record", "--profile", try scratch.smallProfile(), "--output", "out", "--name",
                "old", "--json",
            ], in: scratch)
        let folder = try #require(try command.event(SessionEvent.Started.self).fields.folder)
        let moved = scratch.path + "/elsewhere"
        #expect(rename(folder, moved) == 0)
        command.send(SIGTERM)
        let finished = try command.event(SessionEvent.Finished.self).fields
        #expect(command.waitForEnd() == 0)
        let resolved = try #require(realpath(moved, nil))
        defer { free(resolved) }
        #expect(finished.folder == String(cString: resolved))
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(try Session(moved).outcome == .finished)
        #expect(try Multicam.run("verify", moved).status == 0)
    }

    @Test("output that standard output rejects is printed on standard error, with exit status 1")
    func full() throws {
        let scratch = try Scratch()
        let profile = try scratch.smallProfile().shellQuoted()
        let program = Multicam.path.shellQuoted()
        func run(_ words: String) throws -> Multicam.Outcome {
            try Multicam.run(["sh", "-c", "\(program) \(words)"], in: scratch)
        }
        let outcome = try run(
            "record --profile \(profile) --output out --name full --duration 0.5 > /dev/full")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("standard output: writing failed: No space left on device"))
        #expect(outcome.errors.contains("/out/full"))
        #expect(try Multicam.run("verify", scratch.path + "/out/full").status == 0)
        for words in ["--version", "profiles", "recordings --output out --json", "help"] {
            let outcome = try run(words + " > /dev/full")
            #expect(outcome.status == 1 && outcome.errors.contains("No space left on device"), "\(words)")
        }
        // It isn't an error if the reader stops reading.
        #expect(try run("--version 2>/dev/null | true").status == 0)
    }

    @Test("a terminal without escape sequences receives none")
    func dumb() throws {
        let scratch = try Scratch()
        let terminal = try Terminal(columns: 80)
        let command = try RunningCommand(
            [
                "setsid", "--ctty", "--wait", Multicam.path, "record", "--profile", scratch.smallProfile(),
                "--output", scratch.path + "/out", "--duration", "1",
            ], environment: Multicam.environment.merging(["TERM": "dumb"]) { $1 }, terminal: terminal)
        let shown = terminal.read { $0.contains("Next: ") }
        #expect(try command.finish().status == 0)
        #expect(!shown.contains("\u{1B}"), "\(shown)")
    }
}
