import Foundation
import Glibc
import MulticamSessionFolder
import MulticamStressTest
import Testing

@Suite("Stress tests on the command line", .serialized)
struct StressTests {
    private func profile(_ scratch: Scratch, camera: String = "virtual:clap?size=160x120&fps=30&format=mjpeg")
        throws -> String
    {
        try scratch.file("bundle.yaml", "cameras: { desk: { device: \"\(camera)\" } }\n")
    }

    private func certificate(_ folder: String) throws -> StressCertificate {
        try JSONText.decoder().decode(
            StressCertificate.self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/certificate.json"))
        )
    }

    @Test(
        "Invalid arguments are rejected with exit status 2",
        arguments: [
            ([], "`--profile` is missing"),
            (["--profile", "pip", "--run", "fast"], "expected `sets`, `climb`, `soak`, or `all`"),
            (["--profile", "pip", "--each", "0.5"], "expected a time from 1s to 1h"),
            (["--profile", "pip", "--each", "nonsense"], "expected a time from 1s to 1h"),
            (["--profile", "pip", "--duration", "0"], "expected a duration greater than zero"),
            (["--profile", "pip", "--run", "sets", "--duration", "10"], "sets the length of the soak"),
            (["--profile", "pip", "--sets", "0"], "expected a number from 1 to 1000"),
            (["--profile", "pip", "--virtual", "--camera", "nobody=any"], "desk or face"),
            (["--profile", "none"], "none"),
            (["--profile", "pip", "--virtual", "extra"], "Unexpected argument"),
        ])
    func usage(words: [String], expected: String) throws {
        expectRefusal(try Multicam.run([Multicam.path, "stress"] + words), status: 2, expected)
    }

    @Test("A missing camera causes exit status 3, and no folder is created")
    func missing() throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run(
            "stress", "--profile", try profile(scratch), "--camera", "desk=/dev/video99", "--output", "out",
            in: scratch)
        expectRefusal(outcome, status: 3, "/dev/video99")
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/out"))
    }

    @Test("A file instead of the output folder causes exit status 2")
    func file() throws {
        let scratch = try Scratch()
        _ = try scratch.file("file", "")
        let outcome = try Multicam.run(
            "stress", "--profile", try profile(scratch), "--output", "file", "--run", "sets", in: scratch)
        expectRefusal(outcome, status: 2, "is a file, not a folder")
    }

    @Test("A folder without permission causes exit status 4")
    func permission() throws {
        let scratch = try Scratch()
        let binary = try Multicam.copy(in: scratch)
        let locked = scratch.path + "/locked"
        #expect(mkdir(locked, 0o755) == 0 && chmod(locked, 0o555) == 0)
        let user =
            geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        let outcome = try Multicam.run(
            user + [binary, "stress", "--profile", try profile(scratch), "--output", locked],
            environment: ["PATH": "/usr/bin:/bin"])
        expectRefusal(outcome, status: 4, "permission denied")
    }

    @Test(
        "A passed soak prints only the folder and exits with 0; one with losses exits with 6 and the reason"
    )
    func verdicts() throws {
        let scratch = try Scratch()
        // Losses that occur because this machine is under load are not part of the test.
        let limits = "limits: { lost_frames: 0.5 }\n"
        let good = try scratch.file(
            "good.yaml", "cameras: { desk: { device: \"virtual:clap?size=160x120\" } }\n\(limits)")
        let bad = try scratch.file(
            "bad.yaml", "cameras: { desk: { device: \"virtual:clap?size=160x120&drop=0.8\" } }\n\(limits)")
        let held = try Multicam.run(
            "stress", "--profile", good, "--run", "sets", "--each", "1", "--sets", "1", in: scratch)
        #expect(held.status == 0 && held.lines.count == 1, "\(held.errors)")
        let folder = try #require(held.lines.first)
        #expect(folder.hasPrefix(scratch.path + "/stress/") && folder.hasSuffix("_stress_good"))
        #expect(try certificate(folder).verdict == .held)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                "certificate.json", "report.html",
            ])
        let failed = try Multicam.run(
            "stress", "--profile", bad, "--run", "sets", "--each", "2", "--sets", "1", in: scratch)
        #expect(failed.status == 6, "\(failed.errors)")
        #expect(
            failed.errors.contains("“bad” failed. Cause: the bus.") && failed.errors.contains("desk lost"))
    }

    @Test("With --json, every line is an event, and the last one is `finished` with the exit status")
    func json() throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run(
            "stress", "--profile", try profile(scratch), "--run", "sets", "--each", "1", "--json", in: scratch
        )
        let events = try outcome.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(events.map { $0["event"] as? String } == ["started", "run", "verdict", "finished"])
        #expect(events.last?["exit"] as? Int == Int(outcome.status))
        #expect(events.last?["folder"] as? String == events.first?["folder"] as? String)
        #expect(events.allSatisfy { $0["at_ns"] is NSNumber })
    }

    @Test(
        "A signal ends the current run, and the certificate contains the verdict on its partial results"
    )
    func signal() throws {
        let scratch = try Scratch()
        let command = try RunningCommand(
            [
                Multicam.path, "stress", "--profile",
                try profile(scratch, camera: "virtual:clap?size=160x120&unplug=0.2"), "--run", "soak",
                "--duration",
                "50", "--json",
            ], in: scratch)
        let folder = try #require(try command.event("started")["folder"] as? String)
        // The camera is disconnected from the start, so the run has a failure to report.
        _ = try command.event("run")
        let files = FileManager.default
        while !files.fileExists(atPath: folder + "/soak/manifest.json") { sched_yield() }
        while try String(contentsOfFile: folder + "/soak/events.ndjson", encoding: .utf8).contains(
            "device-lost")
            == false
        {
            sched_yield()
        }
        command.send(SIGTERM)
        #expect(try command.event("verdict")["verdict"] as? String == "failed")
        #expect(try command.event("finished")["exit"] as? Int == 6)
        #expect(command.waitForEnd() == 6)
        #expect(try certificate(folder).outcome == .stopped)
        #expect(
            try files.contentsOfDirectory(atPath: folder).sorted() == ["certificate.json", "report.html"])
    }

    @Test("A stop before any results causes exit status 130")
    func aborted() throws {
        let scratch = try Scratch()
        let command = try RunningCommand(
            [
                Multicam.path, "stress", "--profile", try profile(scratch, camera: "virtual:clap?drop=1"),
                "--json",
            ], in: scratch)
        _ = try command.event("run")
        command.send(SIGINT)
        #expect(try command.event("finished")["exit"] as? Int == 130)
        #expect(command.waitForEnd() == 130)
    }

    @Test(
        "A disk that is too small is reported as the limit, and the certificate is still written",
        .enabled(if: StorageTests.hasOwnDisks))
    func smallDisk() throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "noisy.yaml",
            "cameras: { noisy: { device: \"virtual:noise?size=640x360\" } }\nlimits: { lost_frames: 0.5 }\n")
        let script = """
            mount -t tmpfs -o size=4m tmpfs "$1"
            "$2" stress --profile "$3" --output "$1" --run soak --duration 20; status=$?
            cp -r "$1"/*_stress_noisy out; exit $status
            """
        #expect(mkdir(scratch.path + "/disk", 0o755) == 0)
        let outcome = try Multicam.run(
            ["unshare", "-rm", "sh", "-c", script, "sh", scratch.path + "/disk", Multicam.path, profile],
            in: scratch)
        #expect(outcome.status == 6, "\(outcome.errors)")
        let soak = try #require(try certificate(scratch.path + "/out").soak)
        #expect(soak.cause == .disk)
        #expect(soak.reasons.first?.contains("the disk is full") == true)
    }

    @Test("Malicious names in profile and selector remain plain text in certificate, report, and terminal")
    func hostile() throws {
        let scratch = try Scratch()
        let image = scratch.path + "/<script>alert(1)<!--\u{1B}[31m.png"
        let made = try Multicam.run([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:size=160x120", "-frames:v", "1", image,
        ])
        #expect(made.status == 0, "\(made.errors)")
        let profile = try scratch.file("<b>&\"'.yaml", "cameras: { desk: { device: any, size: 160x120 } }\n")
        let outcome = try Multicam.run(
            "stress", "--profile", profile, "--camera",
            "desk=virtual:still:\(image)?size=160x120&fps=30&format=mjpeg",
            "--run", "sets", "--each", "1", in: scratch)
        let folder = try #require(outcome.lines.first, "\(outcome.errors)")
        let page = try String(contentsOfFile: folder + "/report.html", encoding: .utf8)
        #expect(!page.contains("<script") && !page.contains("<b>&\""))
        #expect(page.contains("&lt;b&gt;&amp;&quot;&#39;"))
        let text = try String(contentsOfFile: folder + "/certificate.json", encoding: .utf8)
        #expect(!text.contains("\u{1B}") && !outcome.errors.contains("\u{1B}"))
    }
}
