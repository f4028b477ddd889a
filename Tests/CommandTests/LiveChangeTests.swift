import Foundation
import Glibc
import Testing

@Suite("Device changes during a recording")
struct LiveChangeTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap", size: 640x480 }
          face: { device: "virtual:bars?size=320x180" }
        microphones: { host: { device: "virtual:tone" } }
        program: { size: 320x240, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }
        limits: none
        """

    /// A recording with the environment that `multicam ctl` needs to reach it.
    private struct RecorderProcess {
        let scratch: Scratch
        let environment: [String: String]
        let command: RunningCommand
        let folder: String

        init(duration: String, profile: String = LiveChangeTests.profile) throws {
            scratch = try Scratch()
            var environment = Multicam.environment
            environment["XDG_RUNTIME_DIR"] = scratch.path
            self.environment = environment
            command = try RunningCommand(
                [
                    Multicam.path, "record", "--profile",
                    try scratch.file("two.yaml", profile),
                    "--output", scratch.path + "/out", "--duration", duration, "--json",
                ], environment: environment)
            folder = try #require(try command.event("started")["folder"] as? String)
        }

        func ctl(_ words: String...) throws -> Multicam.Outcome {
            try Multicam.run([Multicam.path, "ctl"] + words, environment: environment)
        }

        /// Retries the command, because a camera that is added while other tests keep the machine busy may
        /// deliver frames too late.
        func applyChange(_ words: String...) throws {
            var outcome = try Multicam.run([Multicam.path, "ctl"] + words, environment: environment)
            for _ in 0..<20 where outcome.errors.contains("alignment delay allows only") {
                outcome = try Multicam.run([Multicam.path, "ctl"] + words, environment: environment)
            }
            #expect(outcome.status == 0, "\(words): \(outcome.errors)")
        }

        func cost() throws -> [String: Any]? {
            let answer = try JSONSerialization.jsonObject(with: Data(try ctl("status", "--json").output.utf8))
            return ((answer as? [String: Any])?["status"] as? [String: Any])?["cost"] as? [String: Any]
        }

        func manifest() throws -> [String: Any] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json"))
            return try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        }

        func tracks() throws -> [String: [String: Any]] {
            let tracks = try #require(try manifest()["tracks"] as? [[String: Any]])
            return Dictionary(
                uniqueKeysWithValues: tracks.compactMap { track in
                    (track["name"] as? String).map { ($0, track) }
                })
        }
    }

    @Test("an added device has a track from then on, and a removed device a complete track until then")
    func added() throws {
        // The longer delay covers late delivery on a busy machine, so that the lapel microphone loses no
        // samples.
        let patient = Self.profile.replacingOccurrences(of: "size=320x180", with: "size=320x180&latency=1500")
        let steered = try RecorderProcess(duration: "600", profile: patient)
        // The session has already read its profile.
        try FileManager.default.removeItem(atPath: steered.scratch.path + "/two.yaml")
        try steered.applyChange("add", "guest", "virtual:clap?size=320x180")
        try steered.applyChange("show", "guest", "desk")
        try steered.applyChange("set", "guest", "brightness=10")
        let still = try steered.ctl("snapshot", "guest")
        #expect(still.status == 0 && still.output.contains("guest"), "\(still.errors)")
        try steered.applyChange("stop-track", "face")
        try steered.applyChange("add-microphone", "lapel", "virtual:tone")
        try steered.applyChange("unmute", "lapel")
        try steered.applyChange("format", "desk", "320x240")
        for (words, reason) in [
            (["add", "desk", "virtual:clap"], "already been used"),
            (["add", "Guest", "virtual:clap"], "is not a valid role"),
            (["add", "other", "/dev/video977"], "no such device"),
            (["add-microphone", "face", "virtual:tone"], "already been used"),
            (["add-microphone", "lavalier", "virtual:clap?size=1"], "virtual:clap"),
            (["stop-track", "lavalier"], "Choose desk, face, guest, host or lapel"),
            (["set", "desk", "nonsense=1"], "does not have this control"),
            (["format", "desk", "123x45"], "does not offer 123x45"),
            (["stop-track", "face"], "does not have a running track"),
        ] {
            let outcome = try Multicam.run([Multicam.path, "ctl"] + words, environment: steered.environment)
            #expect(outcome.status == 2 && outcome.errors.contains(reason), "\(words): \(outcome.errors)")
        }
        _ = try steered.command.event("split")
        try steered.applyChange("remove", "guest")
        try steered.applyChange("stop")
        #expect(try steered.command.finish().status == 0)
        let tracks = try steered.tracks()
        #expect(tracks.keys.sorted() == ["desk", "face", "guest", "host", "lapel", "program"])
        let ends = ["face", "guest"].map { tracks[$0]?["ended_ns"] as? Int ?? 0 }
        #expect(ends.allSatisfy { $0 > 0 && $0 < 600_000_000_000 })
        let begin = try #require(tracks["guest"]?["first_ns"] as? Int)
        #expect(begin > 0 && begin + (tracks["guest"]?["duration_ns"] as? Int ?? 0) == ends[1])
        let devices = try #require(try steered.manifest()["devices"] as? [[String: Any]])
        #expect(devices.compactMap { $0["role"] as? String } == ["desk", "face", "guest", "host", "lapel"])
        let lapel = try #require(tracks["lapel"])
        let heard = try #require(lapel["samples"] as? [String: Any])
        let length = try #require(lapel["duration_ns"] as? Int)
        #expect(lapel["first_ns"] as? Int ?? 0 > 0)
        #expect(heard["written"] as? Int == Int((Double(length) * 48e-6).rounded()))
        #expect(heard["silence"] as? Int == 0)
        let check = try Multicam.run([Multicam.path, "verify", steered.folder])
        #expect(check.status == 0, "\(check.errors)")
    }

    @Test("another camera replaces the camera of a role, and its tracks continue")
    func replaceCamera() throws {
        let steered = try RecorderProcess(duration: "600")
        try steered.applyChange("replace-camera", "desk", "virtual:clap?size=320x240&seed=7")
        let unknown = try steered.ctl("replace-camera", "nobody", "virtual:clap")
        #expect(
            unknown.status == 2 && unknown.errors.contains("does not have a camera “nobody”"),
            "\(unknown.errors)"
        )
        let same = try steered.ctl("replace-camera", "desk", "virtual:clap?size=320x240&seed=7")
        #expect(same.status == 2 && same.errors.contains("already uses"), "\(same.errors)")
        try steered.applyChange("replace-camera", "desk", "virtual:clap?size=640x480&seed=8")
        Thread.sleep(forTimeInterval: 1)
        try steered.applyChange("snapshot", "desk")
        try steered.applyChange("stop")
        _ = steered.command.waitForEnd()
        let manifest = try steered.manifest()
        let desk = try #require(try steered.tracks()["desk"])
        #expect((desk["parts"] as? [String])?.count == 2)
        let devices = try #require(manifest["devices"] as? [[String: Any]])
        #expect(devices.compactMap { $0["role"] as? String } == ["desk", "desk", "desk", "face", "host"])
        let check = try Multicam.run([Multicam.path, "verify", steered.folder])
        #expect(check.status == 0, "\(check.errors)")
    }

    @Test(
        "changes report the cost of a fresh plan, and changes over budget fail with status 5"
    )
    func cost() throws {
        let budget = LiveChangeTests.profile + "\nbudget: { hardware: 1, policy: refuse }\n"
        let steered = try RecorderProcess(duration: "600", profile: budget)
        try steered.applyChange("add", "guest", "virtual:clap?size=320x180")
        let told = try #require(try steered.cost())
        let live = Dictionary(
            uniqueKeysWithValues: (told["terms"] as? [[String: Any]] ?? []).map {
                ($0["resource"] as? String ?? "", $0["used"] as? Double ?? 0)
            })
        #expect(told["budget"] as? Double == 1)
        let three = budget.replacingOccurrences(
            of: "microphones: { host",
            with: "  guest: { device: \"virtual:clap?size=320x180\" }\nmicrophones: { host")
        let path = try steered.scratch.file("three.yaml", three)
        let plan = try Multicam.run([Multicam.path, "plan", "--profile", path, "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(plan.output.utf8)) as? [String: Any]
        let terms = try #require((object?["cost"] as? [String: Any])?["terms"] as? [[String: Any]])
        // Free memory and disk space change over time.
        for term in terms where ["cpu", "thread:program"].contains(term["resource"] as? String) {
            let used = try #require(term["used"] as? Double)
            let name = try #require(term["resource"] as? String)
            #expect(abs((live[name] ?? 0) / used - 1) < 0.01, "\(name): \(live[name] ?? 0), \(used)")
        }
        let refused = try steered.ctl("add", "huge", "virtual:noise?size=16000x12000&fps=1000")
        #expect(refused.status == 5, "\(refused.errors)")
        #expect(refused.errors.contains("would be over budget"), "\(refused.errors)")
        #expect(try steered.ctl("status").output.contains("hardware cost  "))
        try steered.applyChange("stop")
        _ = steered.command.waitForEnd()
        let changes = try #require(try steered.manifest()["changes"] as? [[String: Any]])
        #expect(changes.count == 1)
        #expect(changes.first?["cost"] as? Double == told["hardware"] as? Double)
        #expect(changes.first?["budget"] as? Double == 1)
    }

    @Test("tracks of added and removed devices are recovered with separate lengths")
    func recovered() throws {
        let steered = try RecorderProcess(duration: "300")
        try steered.applyChange("add", "guest", "virtual:clap?size=320x180")
        _ = try steered.command.event("split")
        try steered.applyChange("stop-track", "face")
        try steered.applyChange("stop-track", "host")
        try steered.applyChange("start-track", "host")
        // Wait until several seconds of the latest track are on disk.
        let limit = Date().addingTimeInterval(200)
        let last = steered.folder + "/audio/host.2.wav"
        while try !FileManager.default.fileExists(atPath: last) || size(last) < 600_000, Date() < limit {
            Thread.sleep(forTimeInterval: 0.1)
        }
        steered.command.send(SIGKILL)
        _ = steered.command.waitForEnd()
        let recovery = try Multicam.run([Multicam.path, "recover", steered.folder])
        #expect(recovery.status == 0, "\(recovery.errors)")
        let duration = try #require(try steered.manifest()["duration_ns"] as? Int)
        let changes = try #require(try steered.manifest()["changes"] as? [[String: Any]])
        #expect(
            changes.compactMap { ($0["changes"] as? [String])?.first } == [
                "add guest virtual:clap?size=320x180", "stop-track face", "stop-track host",
                "start-track host",
            ])
        let tracks = try steered.tracks()
        let ended = try #require(tracks["face"]?["ended_ns"] as? Int)
        #expect(tracks["face"]?["duration_ns"] as? Int == ended && ended < duration)
        let begin = try #require(tracks["guest"]?["first_ns"] as? Int)
        #expect(begin > 0 && tracks["guest"]?["duration_ns"] as? Int == duration - begin)
        for name in ["host", "host.2"] {
            let track = try #require(tracks[name])
            let end = (track["ended_ns"] as? Int) ?? duration
            let length = try #require(track["duration_ns"] as? Int)
            #expect(end == length + (try #require(track["first_ns"] as? Int)), "\(name)")
            let written = try #require((track["samples"] as? [String: Any])?["written"] as? Int)
            #expect(abs(written - Int((Double(length) * 48e-6).rounded())) <= 1, "\(name)")
        }
        for name in ["desk", "face", "guest", "program"] {
            let track = try #require(tracks[name])
            let length = try #require(track["duration_ns"] as? Int)
            let frames = try #require((track["frames"] as? [String: Any])?["written"] as? Int)
            #expect(abs(frames - Int((Double(length) * 30 / 1e9).rounded())) <= 1, "\(name)")
        }
        #expect(
            try Multicam.run([Multicam.path, "recover", steered.folder]).output.contains("already complete"))
    }

    private func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
