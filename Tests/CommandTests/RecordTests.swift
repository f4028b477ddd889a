import Foundation
import Glibc
import MulticamSessionFolder
import Testing

@Suite("Recording on the command line", .serialized)
struct RecordTests {
    @Test("Standard output contains only the path of the session folder, in a new output folder")
    func folder() throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run(
            "record", "--profile", scratch.smallProfile(), "--output", "neu/Ton & Bild", "--name",
            "Gespräch 1",
            "--duration", "500ms", environment: ["LANG": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"], in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "\(scratch.path)/neu/Ton & Bild/Gespräch 1\n")
        #expect(
            outcome.errors.contains(
                "multicam: Recorded: 0.5 s in neu/Ton & Bild/Gespräch 1 (program.mp4, "))
        #expect(outcome.errors.contains("ffplay -autoexit 'neu/Ton & Bild/Gespräch 1/program.mp4'"))
        let session = try scratch.session(in: "neu/Ton & Bild")
        #expect(session.outcome == .finished)
        #expect(session.manifest.started.hasSuffix("+05:45"))
        #expect(try session.play("program.mp4").frames == 15)
        #expect(try session.play("cameras/desk.mov").frames == 15)
        #expect(try session.play("audio/host.wav").seconds == 0.5)
    }

    @Test("Events are JSON lines: `started` after T0, `finished` with the exit status")
    func events() throws {
        let scratch = try Scratch()
        let command = try RunningCommand([
            Multicam.path, "record", "--profile", scratch.smallProfile(), "--output", scratch.path + "/out",
            "--duration", "0.3", "--json",
        ])
        let started = try command.event("started")
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let start = try #require(started["t0_monotonic_ns"] as? Int)
        #expect(now.tv_sec * 1_000_000_000 + now.tv_nsec >= start)
        #expect(started["at_ns"] as? Int == 0)
        let folder = try #require(started["folder"] as? String)
        #expect(FileManager.default.fileExists(atPath: folder + "/cameras/desk.mov"))
        let finished = try command.event("finished")
        #expect(finished["exit"] as? Int == 0)
        #expect((finished["verdict"] as? String)?.hasSuffix(".") == true)
        #expect(finished["outcome"] as? String == "finished")
        #expect(finished["folder"] as? String == folder)
        #expect(command.nextLine() == nil)
        #expect(command.waitForEnd() == 0)
    }

    @Test(
        "`--metadata` writes a line per frame of every camera, and without it no metadata file is written",
        arguments: [true, false])
    func metadata(isAsked: Bool) throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run(
            [Multicam.path, "record", "--profile", scratch.smallProfile(), "--duration", "500ms"]
                + (isAsked ? ["--metadata"] : []), in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let folder = try #require(outcome.lines.first).description
        let path = folder + "/cameras/desk.ndjson"
        #expect(FileManager.default.fileExists(atPath: path) == isAsked)
        if isAsked {
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect((14...16).contains(lines.count))
        }
    }

    @Test("A camera with one frame per second loses no frame at the end of its encoded track")
    func slowCamera() throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "slow.yaml",
            """
            cameras: { desk: { device: "virtual:clap?size=320x180&fps=1" } }
            tracks: { cameras: encode }
            """)
        let outcome = try Multicam.run("record", "--profile", profile, "--duration", "2", in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("multicam: Complete"))
        #expect(try scratch.session(in: "recordings").play("cameras/desk.mov").frames == 2)
    }

    @Test("Losses beyond the profile's limit cause exit status 6, and all files are complete")
    func limit() throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "lossy.yaml",
            """
            cameras: { desk: { device: "virtual:clap?size=320x180&drop=0.4" } }
            limits: { lost_frames: 0.05 }
            """)
        let outcome = try Multicam.run("record", "--profile", profile, "--duration", "1", in: scratch)
        #expect(outcome.status == 6)
        #expect(outcome.lines.count == 1)
        #expect(outcome.errors.contains("multicam: Incomplete: camera desk is missing "))
        let session = try scratch.session(in: "recordings")
        #expect(session.outcome == .finished)
        #expect(try session.play("cameras/desk.mov").frames == 30)
    }

    @Test(
        "By default, 1 % of lost frames and short audio gaps cause exit status 6",
        arguments: ["", "limits: none\n"])
    func usualLimits(limits: String) throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "holes.yaml",
            """
            cameras: { desk: { device: "virtual:clap?size=320x180&drop=0.2&latency=1500" } }
            microphones: { host: { device: "virtual:clap?stall=0.3:0.06,0.6:0.06" } }
            \(limits)
            """)
        let outcome = try Multicam.run(
            "record", "--profile", profile, "--duration", "1", "--json", in: scratch)
        #expect(outcome.status == (limits.isEmpty ? 6 : 0))
        #expect(outcome.errors.contains("Microphone host is missing 0.12 s of 1 s of audio (12 %"))
        #expect(outcome.errors.contains(") in 2 places"))
        let last = try #require(outcome.lines.last)
        let event = try JSONText.decoder().decode(SessionEvent.self, from: Data(last.utf8))
        let finished = try #require(event.content.payload as? SessionEvent.Finished)
        #expect(finished.exit == Int64(outcome.status))
        #expect(finished.verdict.contains("Microphone host is missing 0.12 s"))
        let folder = try #require(finished.folder)
        let verified = try Multicam.run("verify", folder)
        #expect(verified.status == 0 && verified.errors.contains("Microphone host is missing 0.12 s"))
        #expect(
            verified.lines.contains(
                "unchanged since recording: audio/host.wav (contains 0.12 s of inserted silence)"))
    }

    @Test("A closed output pipe does not end the recording")
    func readersGo() throws {
        let scratch = try Scratch()
        let command = try RunningCommand([
            Multicam.path, "record", "--profile", scratch.smallProfile(), "--output", scratch.path + "/out",
            "--duration", "0.5", "--json",
        ])
        _ = try command.event(SessionEvent.Started.self)
        try command.closeOutput()
        #expect(command.waitForEnd() == 0)
        let session = try scratch.session(in: "out")
        #expect(session.outcome == .finished)
        #expect(try session.play("program.mp4").frames == 15)
    }

    @Test("Standard streams closed at launch do not affect the recording")
    func closedStreams() throws {
        let scratch = try Scratch()
        let profile = try scratch.smallProfile()
        let outcome = try Multicam.run(
            [
                "setsid", "--wait", "sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh", Multicam.path, "record",
                "--profile", profile, "--output", scratch.path + "/out", "--duration", "0.3", "--json",
            ], environment: ["PATH": "/usr/bin:/bin"])
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        let session = try scratch.session(in: "out")
        for file in ["program.mp4", "cameras/desk.mov", "audio/host.wav"] { _ = try session.play(file) }
        for name in try FileManager.default.subpathsOfDirectory(atPath: session.path)
        where name.hasSuffix(".mov") {
            let data = try Data(contentsOf: URL(fileURLWithPath: session.path + "/" + name))
            #expect(data.range(of: Data("\"finished\"".utf8)) == nil)
        }
    }
}
