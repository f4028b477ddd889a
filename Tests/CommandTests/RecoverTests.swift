import Foundation
import Glibc
import MulticamMedia
import MulticamSessionFolder
import MulticamTiming
import Testing

@Suite("recover on the command line", .serialized)
struct RecoverTests {
    /// A recording that was killed after it had written some fragments and `audioBytes` bytes of audio, at
    /// 192,000 bytes per second.
    private func makeKilledRecording(
        _ scratch: Scratch, options: [String] = [], audioBytes: Int64 = 200_000,
        during: (String) throws -> Void = { _ in }
    ) throws -> String {
        let command = ["record", "--profile", try scratch.smallProfile(), "--output", "out", "--json"]
        let running = try RunningCommand([Multicam.path] + command + options, in: scratch)
        let folder = try #require(try running.event(SessionEvent.Started.self).fields.folder)
        // Wait until all files have content, regardless of the machine's speed.
        let files = ["program.mp4", "cameras/desk.mov", "audio/host.wav"].map { "\(folder)/\($0)" }
        var sizes: [Int64] = []
        repeat {
            usleep(20_000)
            sizes = try files.map {
                (try FileManager.default.attributesOfItem(atPath: $0)[.size] as? NSNumber)?.int64Value ?? 0
            }
        } while sizes[0] < 10_000 || sizes[1] < 100_000 || sizes[2] < audioBytes
        try during(folder)
        running.send(SIGKILL)
        _ = running.waitForEnd()
        return folder
    }

    @Test("the manifest of a later version, with an unknown layout, is refused and stays as it is")
    func laterVersion() throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run(
            "record", "--profile", try scratch.smallProfile(), "--output", scratch.path + "/out",
            "--duration", "1")
        let path = try #require(outcome.lines.first) + "/manifest.json"
        let manifest = try String(contentsOfFile: path, encoding: .utf8)
        let changed = manifest.replacing(#/"layout"(\s*):(\s*)"[a-z-]+"/#) {
            "\"layout\"\($0.1):\($0.2)\"circle\""
        }
        #expect(changed != manifest)
        try changed.write(toFile: path, atomically: true, encoding: .utf8)
        expectRefusal(
            try Multicam.run("recover", try #require(outcome.lines.first)), status: 1, "arrangements.0.layout"
        )
        #expect(try String(contentsOfFile: path, encoding: .utf8) == changed)
    }

    @Test(
        "a killed recording is recovered with tracks of equal length, a manifest, and an event; a second run changes nothing"
    )
    func folder() throws {
        let scratch = try Scratch()
        let folder = try makeKilledRecording(scratch) { folder in
            let outcome = try Multicam.run("recover", folder)
            expectRefusal(outcome, status: 1, "still running")
            expectRefusal(
                try Multicam.run("recover", folder + "/cameras/desk.mov"), status: 1,
                "still recording or recovering this file")
        }
        // Simulate a power cut.
        let events = folder + "/events.ndjson"
        let torn = try #require(FileHandle(forWritingAtPath: events))
        try torn.seekToEnd()
        try torn.write(contentsOf: Data("{\"event\":\"dr".utf8))
        try torn.close()

        let outcome = try Multicam.run("recover", folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.first?.contains("was recovered") == true)
        let manifest = try Session(folder).manifest
        #expect(manifest.outcome == .recovered)
        let duration = manifest.duration_ns
        #expect(duration > 0)
        #expect(Set(manifest.tracks.map(\.name)) == ["program", "desk", "host"])
        for track in manifest.tracks {
            let rate = track.frames == nil ? 48_000 : 30
            #expect(track.written == Int64((Double(duration) * Double(rate) / 1e9).rounded()))
        }
        let recovery = try #require(manifest.recovery)
        #expect(recovery.tracks.count == 3)
        let lines = try String(contentsOfFile: events, encoding: .utf8).split(separator: "\n")
        #expect(lines.last?.contains("\"event\":\"recovered\"") == true)
        for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        #expect(!FileManager.default.fileExists(atPath: folder + "/manifest.json.new"))

        let page = try String(contentsOfFile: folder + "/report/sync.svg", encoding: .utf8)
        #expect(page.contains("the recording was interrupted"))
        for track in recovery.tracks {
            let gaps = manifest.gaps.filter { $0.track == track.track && $0.cause == "disk" }
            #expect(gaps.contains { $0.to.nanoseconds == duration } == (track.padded_ns > 1_000_000))
        }

        let before = try Data(contentsOf: URL(filePath: folder + "/program.mp4"))
        let again = try Multicam.run("recover", folder, "--json")
        #expect(again.status == 0)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any])
        #expect(report["outcome"] as? String == "whole")
        #expect(try Data(contentsOf: URL(filePath: folder + "/program.mp4")) == before)
        try checkSchema(folder)
        try checkFiles(folder)
    }

    /// Checks the results of `verify`, including those after a recovery interrupted before it computed
    /// checksums.
    private func checkFiles(_ folder: String) throws {
        let files = try #require(try Session(folder).manifest.files)
        #expect(files.count == 3 && files.allSatisfy { $0.xxh3_128 != nil })
        let verification = try Multicam.run("verify", folder)
        #expect(
            verification.status == 0
                && verification.lines.allSatisfy { $0.hasPrefix("unchanged since recording: ") })

        try Session.edit(folder) { manifest in
            manifest.files = files.map { file in
                var file = file
                (file.xxh3_128, file.hashed_from) = (nil, nil)
                return file
            }
        }
        let unread = try Multicam.run("verify", folder)
        #expect(unread.status == 1 && unread.lines.allSatisfy { $0.hasPrefix("unfinished: ") })
        #expect(unread.errors.contains("the file's checksum was not computed"))
        #expect(try Multicam.run("recover", folder).lines.first?.contains("is already complete") == true)
        let again = try #require(try Session(folder).manifest.files)
        #expect(again.map(\.xxh3_128) == files.map(\.xxh3_128))
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

    @Test("an interrupted recovery completes with the same result and reports the findings of the first run")
    func interrupted() throws {
        let scratch = try Scratch()
        let folder = try makeKilledRecording(scratch)
        let lines = folder + "/cameras/desk.ndjson"
        try Data("{\"at_ns\":1}\n{\"at_ns\":2}\n{\"at_".utf8).write(to: URL(filePath: lines))
        let first = try Multicam.run("recover", folder, "--json")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try String(contentsOfFile: lines, encoding: .utf8) == "{\"at_ns\":1}\n{\"at_ns\":2}\n")
        let recovered = try Session(folder).manifest

        // All files are complete, but the manifest is the one from before the recovery.
        try Session.edit(folder) { manifest in
            manifest.outcome = .recording
            manifest.files = nil
        }
        let again = try Multicam.run("recover", folder, "--json")
        #expect(again.status == 0 && again.output == first.output, "\(again.output)\(again.errors)")
        let manifest = try Session(folder).manifest
        #expect(manifest.tracks == recovered.tracks)
        #expect(manifest.gaps == recovered.gaps)
        #expect(manifest.recovery != nil && manifest.recovery == recovered.recovery)
        #expect(manifest.files != nil && manifest.files == recovered.files)
        #expect(manifest.duration_ns == recovered.duration_ns)
    }

    @Test("all tracks in one file, rotated and copied, have the same counts as in a finished recording")
    func oneFile() throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "one.yaml",
            """
            cameras:
              desk: { device: "virtual:clap?size=320x180&mount=90", rotation: 90 }
              face: { device: "virtual:clap?size=320x180&format=h264", format: h264 }
            microphones:
              host: { device: "virtual:clap" }
            tracks: { cameras: copy, microphones: wav, files: one }
            limits: none
            """)
        let command = ["record", "--profile", profile, "--output", "out", "--json"]
        let running = try RunningCommand([Multicam.path] + command, in: scratch)
        let folder = try #require(try running.event(SessionEvent.Started.self).fields.folder)
        var size: Int64 = 0
        repeat {
            usleep(20_000)
            size =
                (try FileManager.default.attributesOfItem(atPath: folder + "/session.mov")[.size]
                as? NSNumber)?.int64Value ?? 0
        } while size < 200_000
        running.send(SIGKILL)
        _ = running.waitForEnd()

        let outcome = try Multicam.run("recover", folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let session = try Session(folder)
        for track in session.manifest.tracks {
            let written = try #require(track.written)
            switch track.name {
            case "desk": #expect(written == Int64((session.seconds * 30).rounded()))
            // The track has a variable frame rate, so missing frames at the end are not filled in.
            case "face": #expect((1...Int64((session.seconds * 30).rounded())).contains(written))
            default: #expect(written == Int64((session.seconds * 48_000).rounded()))
            }
        }
        let streams = try Multicam.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,duration:stream_side_data=rotation",
            "-of", "compact", folder + "/session.mov",
        ])
        #expect(streams.output.contains("codec_name=mjpeg") && streams.output.contains("rotation=-90"))
        #expect(streams.errors.isEmpty)
        try checkSchema(folder)
    }

    @Test("a single file can be recovered, and then its folder")
    func file() throws {
        let scratch = try Scratch()
        let folder = try makeKilledRecording(scratch)
        let outcome = try Multicam.run("recover", folder + "/cameras/desk.mov")
        #expect(
            outcome.status == 0 && outcome.lines.first?.contains("was recovered") == true,
            "\(outcome.errors)")
        #expect(
            try Multicam.run("recover", folder + "/cameras/desk.mov").lines.first?.contains(
                "is already complete") == true)
        #expect(try Multicam.run("recover", folder).status == 0)
        #expect(try Session(folder).outcome == .recovered)

        // A file that is deleted afterwards is reported, and the manifest stays unchanged.
        let manifest = try Data(contentsOf: URL(filePath: folder + "/manifest.json"))
        unlink(folder + "/audio/host.wav")
        let less = try Multicam.run("recover", folder)
        #expect(less.status == 1 && less.output.contains("host.wav"), "\(less.output)\(less.errors)")
        #expect(try Data(contentsOf: URL(filePath: folder + "/manifest.json")) == manifest)
    }

    @Test("a backup is recovered separately with its tracks, and each recording refers to the other")
    func backup() throws {
        let scratch = try Scratch()
        let folder = try makeKilledRecording(
            scratch, options: ["--backup", "safe", "--backup-content", "program"])
        let name = try #require(folder.split(separator: "/").last)
        let backup = "\(scratch.path)/safe/\(name)"
        for (path, other, tracks) in [
            (folder, backup, ["desk", "host", "program"]), (backup, folder, ["program"]),
        ] {
            let outcome = try Multicam.run("recover", path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains(other), "\(outcome.output)")
            let manifest = try Session(path).manifest
            #expect(manifest.tracks.map(\.name).sorted() == tracks)
            #expect(manifest.files?.count == tracks.count)
            #expect(manifest.other_folder?.folder == other)
            try checkSchema(path)
        }
    }

    @Test("an unreadable file causes a failure, and the other files are recovered")
    func lostFile() throws {
        let scratch = try Scratch()
        // A file that was opened less than a second before the crash may be empty.
        let folder = try makeKilledRecording(scratch, audioBytes: 600_000)
        try Data().write(to: URL(filePath: folder + "/audio/host.wav"))
        unlink(folder + "/manifest.json")
        let outcome = try Multicam.run("recover", folder)
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.output.contains("host.wav") && outcome.output.contains("manifest.json is missing"))
    }

    @Test("after a crash, verify, sync-check, and snapshot suggest a command that recovers the recording")
    func cure() throws {
        let scratch = try Scratch()
        let folder = try makeKilledRecording(scratch)
        let resolved = try #require(realpath(folder, nil))
        defer { free(resolved) }
        let real = String(cString: resolved)
        let cure = "multicam recover '\(real)'"
        expectRefusal(try Multicam.run("verify", folder), status: 1, cure)
        expectRefusal(try Multicam.run("sync-check", folder), status: 1, cure)
        var environment = Multicam.environment
        environment["XDG_RUNTIME_DIR"] = scratch.path
        #expect(rename(scratch.path + "/out", scratch.path + "/recordings") == 0)
        let moved = real.replacingOccurrences(of: "/out/", with: "/recordings/")
        let still = try Multicam.run("snapshot", "--recording", environment: environment, in: scratch)
        #expect(still.status == 1 && still.errors.contains("multicam recover '\(moved)'"), "\(still.errors)")
        let made = try Multicam.run(
            ["sh", "-c", "\(Multicam.path.shellQuoted()) recover '\(moved)'"])
        #expect(made.status == 0, "\(made.errors)")
        #expect(try Multicam.run("verify", moved).status == 0)
    }

    @Test("in a folder of recordings, unfinished ones are recovered and running ones are skipped")
    func above() throws {
        let scratch = try Scratch()
        let first = try makeKilledRecording(scratch, options: ["--name", "a"])
        let second = try makeKilledRecording(scratch, options: ["--name", "b"])
        let third = try makeKilledRecording(scratch, options: ["--name", "c"]) { folder in
            let outcome = try Multicam.run("recover", scratch.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(
                outcome.errors.contains("\(folder): this recording is still running"), "\(outcome.errors)")
            #expect(outcome.lines.count { $0.contains(" was recovered (") } == 2, "\(outcome.output)")
            #expect(try Session(folder).outcome == .recording)
        }
        for folder in [first, second] {
            #expect(try Session(folder).outcome == .recovered)
        }
        let rest = try Multicam.run("recover", scratch.path + "/out", "--json")
        let reports = try #require(
            try JSONSerialization.jsonObject(with: Data(rest.output.utf8)) as? [[String: Any]])
        #expect(reports.compactMap { $0["path"] as? String } == [scratch.path + "/out/c"])
        #expect(try Session(third).outcome == .recovered)
        let nothing = try Multicam.run("recover", scratch.path)
        #expect(nothing.status == 0 && nothing.output.contains("no unfinished recordings found"))
    }

    @Test("a loop of symbolic links is rejected")
    func circle() throws {
        let scratch = try Scratch()
        #expect(symlink("two", scratch.path + "/one") == 0 && symlink("one", scratch.path + "/two") == 0)
        expectRefusal(try Multicam.run("recover", scratch.path + "/one"), status: 1, "loop")
    }

    @Test("a path without a recording causes exit status 1, and a missing argument 2")
    func nothing() throws {
        let scratch = try Scratch()
        expectRefusal(try Multicam.run("recover"), status: 2, "FOLDER-OR-FILE")
        expectRefusal(try Multicam.run("recover", scratch.path + "/none"), status: 1, "recording not found")
        expectRefusal(try Multicam.run("recover", scratch.path), status: 1, "contains no recording")
        let text = try scratch.file("notes.txt", "mine")
        expectRefusal(try Multicam.run("recover", text), status: 1, "not a recording")
        let movie = try scratch.file("foreign.mov", "mine")
        expectRefusal(
            try Multicam.run("recover", movie), status: 1, "not a movie recorded by multicam")
    }

    @Test("missing permission causes exit status 4, and nothing is changed")
    func permission() throws {
        let scratch = try Scratch()
        let folder = try makeKilledRecording(scratch)
        let binary = try Multicam.copy(in: scratch)
        let user =
            geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        #expect(chmod(folder + "/events.ndjson", 0o444) == 0)
        let outcome = try Multicam.run(
            user + [binary, "recover", folder], environment: ["PATH": "/usr/bin:/bin"])
        expectRefusal(outcome, status: 4, "no permission to change the recording")
        #expect(try Session(folder).outcome == .recording)
    }
}
