import Foundation
import Glibc
import MulticamControl
import MulticamSessionFolder
import Testing

@Suite("Sessions on standby")
struct StandbyTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap?size=320x180" }
          face: { device: "virtual:bars?size=320x180" }
        microphones: { host: { device: "virtual:clap" } }
        program: { size: 320x180, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }
        limits: none
        """

    /// A separate runtime directory isolates the test from other recordings of this user.
    private static func environment(_ scratch: Scratch) -> [String: String] {
        var environment = Multicam.environment
        environment["XDG_RUNTIME_DIR"] = scratch.path
        return environment
    }

    /// A session on standby with the environment that `multicam ctl` needs to reach it.
    private struct StandbyProcess {
        let scratch: Scratch
        let environment: [String: String]
        let profile: String
        let command: RunningCommand

        init() throws {
            scratch = try Scratch()
            environment = StandbyTests.environment(scratch)
            profile = try scratch.file("two.yaml", StandbyTests.profile)
            command = try RunningCommand(
                [
                    Multicam.path, "record", "--profile", profile, "--standby", "--output",
                    scratch.path + "/out", "--json",
                ], environment: environment, in: scratch)
            _ = try command.event(SessionEvent.Standby.self)
        }

        func ctl(_ words: String...) throws -> Multicam.Outcome {
            try Multicam.run([Multicam.path, "ctl"] + words, environment: environment)
        }

        func status() throws -> ControlStatus {
            try #require(try ctl("status", "--json").decoded(as: ControlReply.self).status)
        }

        /// Returns a field of the status as JSON; `nil` if the status lacks the field.
        func field(_ name: String) throws -> JSONValue? {
            try #require(try ctl("status", "--json").decoded(as: JSONValue.self)["status"])[name]
        }

        /// Starts a recording and returns its folder.
        func start() throws -> String {
            let begun = try ctl("start")
            #expect(begun.status == 0, "\(begun.errors)")
            let folder = try #require(try command.event(SessionEvent.Started.self).fields.folder)
            #expect(begun.errors.contains(folder))
            return folder
        }

        /// Stops the recording in `folder` and waits until the session is on standby.
        func stop(_ folder: String) throws {
            #expect(try ctl("stop").status == 0)
            let finished = try command.event(SessionEvent.Finished.self).fields
            #expect(finished.exit == 0)
            #expect(finished.folder == folder)
            _ = try command.event(SessionEvent.Standby.self)
        }

        func quit() throws {
            #expect(try ctl("quit").status == 0)
            let outcome = try command.finish()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try ctl("status").status == 1)
        }
    }

    @Test("reports free disk space and no folder on standby")
    func status() throws {
        let session = try StandbyProcess()
        #expect(try session.status().state == .standby)
        #expect(try session.field("folder") == nil)
        var disk = try session.status().disk
        // The thread that reads the disk space may not have run yet.
        for _ in 0..<200 where disk == nil { disk = try session.status().disk }
        let space = try #require(disk)
        #expect(space.free_bytes > 0 && (space.seconds_left ?? 0) > 0)
        try session.quit()
    }

    @Test("rejects commands for a recording on standby, and choosing a camera if every role has one")
    func refused() throws {
        let session = try StandbyProcess()
        for words in [["stop"], ["split"], ["mark", "here"]] {
            let refused = try Multicam.run(
                [Multicam.path, "ctl"] + words, environment: session.environment)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("Start a recording with `multicam ctl start`"))
        }
        let selected = try session.ctl("select-camera")
        #expect(selected.status == 1)
        #expect(selected.errors.contains("each role has a fixed camera"))
        try session.quit()
    }

    @Test("saves the layout as a scene in the profile, shows the scene, and deletes it again")
    func scenes() throws {
        let session = try StandbyProcess()
        let arranged = try session.ctl("corner", "top-left")
        #expect(arranged.status == 0 && arranged.errors.contains("the change applies to the next recording"))
        let saved = try session.ctl("save-scene", "top", "left")
        #expect(
            saved.status == 0 && saved.errors.contains("Scene top left was saved to \(session.profile)"),
            "\(saved.errors)")
        #expect(
            try String(contentsOfFile: session.profile, encoding: .utf8).contains("\n  top left: { layout: "))
        #expect(try session.status().scene == "top left")
        #expect(try session.ctl("undo").status == 0)
        #expect(try session.field("scene") == nil)
        #expect(try session.ctl("scene", "top", "left").status == 0)
        let unknown = try session.ctl("scene", "top")
        #expect(unknown.status == 2 && unknown.errors.contains("Choose top left"), "\(unknown.errors)")
        // The current layout doesn't change when its scene is deleted.
        let deleted = try session.ctl("delete-scene", "top", "left")
        #expect(
            deleted.status == 0 && deleted.errors.contains("deleted from \(session.profile)"),
            "\(deleted.errors)")
        #expect(try String(contentsOfFile: session.profile, encoding: .utf8) == Self.profile + "\n")
        #expect(try session.ctl("delete-scene", "top", "left").status == 2)
        #expect(try session.status().scenes.isEmpty)
        try session.stop(session.start())
        try session.quit()
    }

    @Test("stores a still taken on standby in the working directory")
    func still() throws {
        let session = try StandbyProcess()
        #expect(try session.ctl("snapshot", "desk").status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: session.scratch.path).contains {
                $0.hasSuffix("_desk.jpg")
            })
        try session.quit()
    }

    @Test("records on command, each time into a new folder with its own markers, and quits on command")
    func records() throws {
        let session = try StandbyProcess()
        var folders: [String] = []
        for _ in 0..<2 {
            let folder = try session.start()
            #expect(try session.status().folder == folder)
            #expect(try session.ctl("start").errors.contains("already running"))
            #expect(try session.ctl("swap").status == 0)
            // A marker may be placed in the past, but not in the future.
            #expect(try session.ctl("mark", "the beginning", "at=1000").status == 0)
            let early = try session.ctl("mark", "too early", "at=3600000000000")
            #expect(early.status == 2 && early.errors.contains("is in the future"), "\(early.errors)")
            let markers = try session.status().markers
            #expect(markers.map(\.text) == ["the beginning"] && markers.map(\.at_ns) == [1000])
            try session.stop(folder)
            folders.append(folder)
        }
        #expect(Set(folders).count == 2)
        for folder in folders {
            let check = try Multicam.run([Multicam.path, "verify", folder])
            #expect(check.status == 0, "\(check.errors)")
        }
        try session.quit()
    }

    @Test(
        "prints each folder in a line, finishes the recording when stopped, and rejects `--resume`"
    )
    func stopped() throws {
        let scratch = try Scratch()
        let environment = Self.environment(scratch)
        let profile = try scratch.file("two.yaml", Self.profile)
        let command = try RunningCommand(
            [Multicam.path, "record", "--profile", profile, "--standby", "--output", scratch.path + "/out"],
            environment: environment)
        // The session accepts commands before its devices run.
        var begun = try Multicam.run([Multicam.path, "ctl", "start"], environment: environment)
        while begun.status != 0 {
            begun = try Multicam.run([Multicam.path, "ctl", "start"], environment: environment)
        }
        let folder = try #require(command.nextLine())
        command.send(SIGINT)
        let outcome = try command.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines == [folder])
        #expect(try Session(folder).outcome == .finished)

        let refused = try Multicam.run("record", "--profile", profile, "--standby", "--resume")
        #expect(refused.status == 2)
        #expect(refused.errors.contains("Leave out one of them"))
    }

    @Test("rejects switching virtual cameras, and after a crash suggests how to recover the recording")
    func crashed() throws {
        let scratch = try Scratch()
        let environment = Self.environment(scratch)
        let profile = try scratch.file(
            "any.yaml", "cameras: { desk: { device: any, size: 320x180 } }\nlimits: none\n")
        let command = try RunningCommand(
            [
                Multicam.path, "record", "--profile", profile, "--virtual", "--standby", "--output",
                scratch.path + "/out", "--json",
            ], environment: environment)
        func ctl(_ words: String...) throws -> Multicam.Outcome {
            try Multicam.run([Multicam.path, "ctl"] + words, environment: environment)
        }
        _ = try command.event(SessionEvent.Standby.self)
        let selected = try ctl("select-camera")
        #expect(selected.status == 1 && selected.errors.contains("with `--virtual`, all devices are virtual"))
        #expect(try ctl("start").status == 0)
        let folder = try #require(try command.event(SessionEvent.Started.self).fields.folder)
        command.send(SIGKILL)
        _ = command.waitForEnd()
        let asked = try ctl("status")
        #expect(asked.status == 1 && asked.errors.contains("Run `multicam recover "), "\(asked.errors)")
        #expect(asked.errors.contains(folder))
    }

    @Test("exits with status 3 if devices are missing")
    func missing() throws {
        let scratch = try Scratch()
        let profile = try scratch.file("one.yaml", "cameras: { desk: { device: /dev/video977 } }")
        let outcome = try Multicam.run(
            "record", "--profile", profile, "--standby", environment: Self.environment(scratch), in: scratch)
        #expect(outcome.status == 3)
    }
}
