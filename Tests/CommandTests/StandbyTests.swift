import Foundation
import Glibc
import Testing

@Suite("A session that stands by")
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

    /// Each has a runtime directory of its own: other recordings of this user are none of its business.
    private static func environment(_ scratch: Scratch) -> [String: String] {
        var environment = Multicam.environment
        environment["XDG_RUNTIME_DIR"] = scratch.path
        return environment
    }

    @Test("records when it is told to, each time into a folder of its own, and ends when it is told to")
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
        // The thread that reads it may not have had its turn.
        for _ in 0..<200 where disk == nil { disk = try state()["disk"] as? [String: Any] }
        #expect(disk?["free_bytes"] as? Int ?? 0 > 0 && disk?["seconds_left"] as? Double ?? 0 > 0)
        for word in ["stop", "split", "mark"] {
            let refused = word == "mark" ? try ctl(word, "here") : try ctl(word)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("`multicam ctl start` begins a recording"))
        }
        let switched = try ctl("switch")
        #expect(switched.status == 1)
        #expect(switched.errors.contains("every role names its own"))
        let arranged = try ctl("corner", "top-left")
        #expect(arranged.status == 0 && arranged.errors.contains("the next recording begins with it"))
        // A scene is kept in the user's own profile, and can be shown from then on.
        let kept = try ctl("keep-scene", "top", "left")
        #expect(
            kept.status == 0 && kept.errors.contains("scene top left is kept in \(profile)"), "\(kept.errors)"
        )
        #expect(try String(contentsOfFile: profile, encoding: .utf8).contains("\n  top left: { layout: "))
        #expect(try state()["scene"] as? String == "top left")
        #expect(try ctl("undo").status == 0)
        #expect(try state()["scene"] == nil)
        #expect(try ctl("scene", "top", "left").status == 0)
        let unknown = try ctl("scene", "top")
        #expect(unknown.status == 2 && unknown.errors.contains("it has top left"), "\(unknown.errors)")
        // And forgotten, in the profile, too; what is shown stays.
        let forgotten = try ctl("forget-scene", "top", "left")
        #expect(
            forgotten.status == 0 && forgotten.errors.contains("taken out of \(profile)"),
            "\(forgotten.errors)")
        #expect(try String(contentsOfFile: profile, encoding: .utf8) == Self.profile + "\n")
        #expect(try ctl("forget-scene", "top", "left").status == 2)
        #expect((try state()["scenes"] as? [String])?.isEmpty == true)
        // A still of devices that stand by lies where the session was started.
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
            #expect(try ctl("start").errors.contains("runs already"))
            #expect(try ctl("swap").status == 0)
            // A mark may be named after its instant, never before.
            #expect(try ctl("mark", "the beginning", "at=1000").status == 0)
            let early = try ctl("mark", "too early", "at=3600000000000")
            #expect(early.status == 2 && early.errors.contains("not come to that instant"), "\(early.errors)")
            let marks = try state()["marks"] as? [[String: Any]]
            #expect(marks?.map { $0["text"] as? String } == ["the beginning"])
            #expect(marks?.first?["at_ns"] as? Int == 1000)
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
        "names each folder in a line, finishes the recording that runs when it is stopped, and has nothing to take up again"
    )
    func stopped() throws {
        let scratch = try Scratch()
        let environment = Self.environment(scratch)
        let profile = try scratch.file("two.yaml", Self.profile)
        let command = try RunningCommand(
            [Multicam.path, "record", "--profile", profile, "--standby", "--output", scratch.path + "/out"],
            environment: environment)
        // It listens before its devices run.
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
        #expect(refused.errors.contains("leave out one of them"))
    }

    @Test("says of synthetic cameras that they are not switched; what a crash leaves it names with its cure")
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
        let switched = try ctl("switch")
        #expect(switched.status == 1 && switched.errors.contains("with --virtual all are synthetic"))
        #expect(try ctl("start").status == 0)
        let folder = try #require(try command.event("started")["folder"] as? String)
        command.send(SIGKILL)
        _ = command.waitForEnd()
        let asked = try ctl("status")
        #expect(asked.status == 1 && asked.errors.contains("run `multicam recover "), "\(asked.errors)")
        #expect(asked.errors.contains(folder))
    }

    @Test("has no recording where devices are missing: exit status 3")
    func missing() throws {
        let scratch = try Scratch()
        let profile = try scratch.file("one.yaml", "cameras: { desk: { device: /dev/video977 } }")
        let outcome = try Multicam.run(
            "record", "--profile", profile, "--standby", environment: Self.environment(scratch), in: scratch)
        #expect(outcome.status == 3)
    }
}
