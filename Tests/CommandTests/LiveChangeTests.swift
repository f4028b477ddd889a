import Foundation
import Glibc
import MulticamControl
import MulticamSessionFolder
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
            folder = try #require(try command.event(SessionEvent.Started.self).fields.folder)
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

        func cost() throws -> ControlStatus.Cost? {
            try ctl("status", "--json").decoded(as: ControlReply.self).status?.cost
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
        _ = try steered.command.event(SessionEvent.Split.self)
        try steered.applyChange("remove", "guest")
        try steered.applyChange("stop")
        #expect(try steered.command.finish().status == 0)
        let session = try Session(steered.folder)
        #expect(
            session.manifest.tracks.map(\.name).sorted() == [
                "desk", "face", "guest", "host", "lapel", "program",
            ])
        let guest = try session.track("guest")
        let ends = try [session.track("face"), guest].map { try #require($0.ended_ns) }
        #expect(ends.allSatisfy { $0 > 0 && $0 < 600_000_000_000 })
        #expect(guest.first_ns > 0 && guest.first_ns + guest.duration_ns == ends[1])
        #expect(session.manifest.devices.map(\.role) == ["desk", "face", "guest", "host", "lapel"])
        let lapel = try session.track("lapel")
        let heard = try #require(lapel.samples)
        #expect(lapel.first_ns > 0)
        #expect(heard.written == Int64((Double(lapel.duration_ns) * 48e-6).rounded()))
        #expect(heard.silence == 0)
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
        let session = try Session(steered.folder)
        #expect(try session.track("desk").parts?.count == 2)
        #expect(session.manifest.devices.map(\.role) == ["desk", "desk", "desk", "face", "host"])
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
        let live = Dictionary(uniqueKeysWithValues: told.terms.map { ($0.resource, $0.used) })
        #expect(told.budget == 1)
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
        let changes = try #require(try Session(steered.folder).manifest.changes)
        #expect(changes.count == 1)
        #expect(changes.first?.cost == told.hardware)
        #expect(changes.first?.budget == 1)
    }

    @Test("tracks of added and removed devices are recovered with separate lengths")
    func recovered() throws {
        let steered = try RecorderProcess(duration: "300")
        try steered.applyChange("add", "guest", "virtual:clap?size=320x180")
        _ = try steered.command.event(SessionEvent.Split.self)
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
        let session = try Session(steered.folder)
        let duration = session.manifest.duration_ns
        let changes = try #require(session.manifest.changes)
        #expect(
            changes.compactMap(\.changes.first) == [
                "add guest virtual:clap?size=320x180", "stop-track face", "stop-track host",
                "start-track host",
            ])
        let face = try session.track("face")
        let ended = try #require(face.ended_ns)
        #expect(face.duration_ns == ended && ended < duration)
        let guest = try session.track("guest")
        #expect(guest.first_ns > 0 && guest.duration_ns == duration - guest.first_ns)
        for name in ["host", "host.2"] {
            let track = try session.track(name)
            #expect(track.ended_ns ?? duration == track.duration_ns + track.first_ns, "\(name)")
            let written = try #require(track.samples).written
            #expect(abs(written - Int64((Double(track.duration_ns) * 48e-6).rounded())) <= 1, "\(name)")
        }
        for name in ["desk", "face", "guest", "program"] {
            let length = try session.track(name).duration_ns
            let frames = try session.frames(name).written
            #expect(abs(frames - Int((Double(length) * 30 / 1e9).rounded())) <= 1, "\(name)")
        }
        #expect(
            try Multicam.run([Multicam.path, "recover", steered.folder]).output.contains("already complete"))
    }

    private func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
