import Foundation
import Glibc
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

    @Test("records on command, each time into a new folder, and quits on command")
    func records() throws {
        let scratch = try Scratch()
        let environment = Self.environment(scratch)
        let profile = try scratch.file("two.yaml", Self.profile)
        let command = try RunningCommand(
            [
                Multicam.path, "record", "--profile", profile, "--standby", "--output", scratch.path + "/out",
                "--json",
            ], environment: environment, in: scratch)
        func ctl(_ words: String...) throws -> Multicam.Outcome {
            try Multicam.run([Multicam.path, "ctl"] + words, environment: environment)
        }
        func state() throws -> [String: Any] {
            let reply = try ctl("status", "--json")
            let json = try JSONSerialization.jsonObject(with: Data(reply.output.utf8)) as? [String: Any]
            return try #require(json?["status"] as? [String: Any])
        }
        _ = try command.event("standby")
        let idle = try state()
        #expect(idle["state"] as? String == "standby")
        #expect(idle["folder"] == nil)
        var disk = idle["disk"] as? [String: Any]
        // The thread that reads the disk space may not have run yet.
        for _ in 0..<200 where disk == nil { disk = try state()["disk"] as? [String: Any] }
        #expect(disk?["free_bytes"] as? Int ?? 0 > 0 && disk?["seconds_left"] as? Double ?? 0 > 0)
        for word in ["stop", "split", "mark"] {
            let refused = word == "mark" ? try ctl(word, "here") : try ctl(word)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("Start a recording with `multicam ctl start`"))
        }
        let selected = try ctl("select-camera")
        #expect(selected.status == 1)
        #expect(selected.errors.contains("each role has a fixed camera"))
        let arranged = try ctl("corner", "top-left")
        #expect(arranged.status == 0 && arranged.errors.contains("the change applies to the next recording"))
        // A saved scene becomes part of the user's profile, and can be shown from then on.
        let saved = try ctl("save-scene", "top", "left")
        #expect(
            saved.status == 0 && saved.errors.contains("Scene top left was saved to \(profile)"),
            "\(saved.errors)"
        )
        #expect(try String(contentsOfFile: profile, encoding: .utf8).contains("\n  top left: { layout: "))
        #expect(try state()["scene"] as? String == "top left")
        #expect(try ctl("undo").status == 0)
        #expect(try state()["scene"] == nil)
        #expect(try ctl("scene", "top", "left").status == 0)
        let unknown = try ctl("scene", "top")
        #expect(unknown.status == 2 && unknown.errors.contains("Choose top left"), "\(unknown.errors)")
        // A scene can also be deleted from the profile. The current layout doesn't change.
        let deleted = try ctl("delete-scene", "top", "left")
        #expect(
            deleted.status == 0 && deleted.errors.contains("deleted from \(profile)"),
            "\(deleted.errors)")
        #expect(try String(contentsOfFile: profile, encoding: .utf8) == Self.profile + "\n")
        #expect(try ctl("delete-scene", "top", "left").status == 2)
        #expect((try state()["scenes"] as? [String])?.isEmpty == true)
        // A still taken on standby is stored in the session's working directory.
        #expect(try ctl("snapshot", "desk").status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path).contains {
                $0.hasSuffix("_desk.jpg")
            })

        var folders: [String] = []
        for _ in 0..<2 {
            let begun = try ctl("start")
            #expect(begun.status == 0, "\(begun.errors)")
            let folder = try #require(try command.event("started")["folder"] as? String)
            #expect(begun.errors.contains(folder))
            #expect(try state()["folder"] as? String == folder)
            #expect(try ctl("start").errors.contains("already running"))
            #expect(try ctl("swap").status == 0)
            // A marker may be placed in the past, but not in the future.
            #expect(try ctl("mark", "the beginning", "at=1000").status == 0)
            let early = try ctl("mark", "too early", "at=3600000000000")
            #expect(early.status == 2 && early.errors.contains("is in the future"), "\(early.errors)")
            let markers = try state()["markers"] as? [[String: Any]]
            #expect(markers?.map { $0["text"] as? String } == ["the beginning"])
            #expect(markers?.first?["at_ns"] as? Int == 1000)
            #expect(try ctl("stop").status == 0)
            let finished = try command.event("finished")
            #expect(finished["exit"] as? Int == 0)
            #expect(finished["folder"] as? String == folder)
            _ = try command.event("standby")
            folders.append(folder)
        }
        #expect(Set(folders).count == 2)
        for folder in folders {
            let check = try Multicam.run([Multicam.path, "verify", folder])
            #expect(check.status == 0, "\(check.errors)")
        }
        #expect(try ctl("quit").status == 0)
        let outcome = try command.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try ctl("status").status == 1)
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
        let manifest =
            try JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json"))) as? [String: Any]
        #expect(manifest?["outcome"] as? String == "finished")

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
        _ = try command.event("standby")
        let selected = try ctl("select-camera")
        #expect(selected.status == 1 && selected.errors.contains("with `--virtual`, all devices are virtual"))
        #expect(try ctl("start").status == 0)
        let folder = try #require(try command.event("started")["folder"] as? String)
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
