import Foundation
import Glibc
import MulticamSessionFolder
import Testing

@Suite("Storage of recordings", .serialized)
struct StorageTests {
    @Test(
        "A file instead of a folder is a usage error, and nothing is recorded",
        arguments: ["file", "file/below"])
    func file(_ output: String) throws {
        let scratch = try Scratch()
        _ = try scratch.file("file", "")
        let outcome = try Multicam.run(
            "record", "--profile", scratch.smallProfile(), "--output", output, in: scratch)
        expectRefusal(outcome, status: 2, "is a file, not a folder")
    }

    @Test("A backup in the recording's folder is a usage error, also by another path to it")
    func backupIntoItself() throws {
        let scratch = try Scratch()
        let profile = try scratch.smallProfile()
        #expect(mkdir(scratch.path + "/out", 0o755) == 0)
        #expect(symlink("out", scratch.path + "/link") == 0)
        for backup in ["out", "./out", "link"] {
            let outcome = try Multicam.run(
                "record", "--profile", profile, "--output", "out", "--backup", backup, in: scratch)
            expectRefusal(outcome, status: 2, "the recording is already written to this folder")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/out").isEmpty)
    }

    @Test("A read-only folder causes exit status 4; a user without a home folder can record elsewhere")
    func permission() throws {
        let scratch = try Scratch()
        let binary = try Multicam.copy(in: scratch)
        let profile = try scratch.smallProfile()
        let locked = scratch.path + "/locked"
        let open = scratch.path + "/open"
        #expect(mkdir(locked, 0o755) == 0 && chmod(locked, 0o555) == 0)
        #expect(mkdir(open, 0o777) == 0 && chmod(open, 0o777) == 0)
        let user =
            geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        let record = user + [binary, "record", "--profile", profile, "--duration", "0.2", "--output"]
        let bare = ["PATH": "/usr/bin:/bin"]
        expectRefusal(try Multicam.run(record + [locked], environment: bare), status: 4, "permission denied")
        let outcome = try Multicam.run(record + [open], environment: bare)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try scratch.session(in: "open").outcome == .finished)
    }

    /// A separate disk requires a mount namespace, which some machines do not permit.
    static let hasOwnDisks: Bool = {
        do {
            return try Multicam.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status == 0
        } catch {
            return false
        }
    }()

    @Test(
        "A full disk of 20 MB causes exit status 7, and all files are complete and equally long",
        .enabled(if: hasOwnDisks))
    func fullDisk() throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "noisy.yaml",
            """
            cameras:
              noisy: { device: "virtual:noise?size=640x360", rate: 30 }
              quiet: { device: "virtual:clap?size=320x180", rate: 30 }
            microphones:
              host: { device: "virtual:clap" }
            """)
        // The disk disappears with its namespace, so its content is copied out first.
        let script = """
            mount -t tmpfs -o size=20m tmpfs "$1" && mkdir out
            "$2" record --profile "$3" --output "$1"; status=$?
            cp -r "$1"/* out; exit $status
            """
        #expect(mkdir(scratch.path + "/disk", 0o755) == 0)
        let outcome = try Multicam.run(
            ["unshare", "-rm", "sh", "-c", script, "sh", scratch.path + "/disk", Multicam.path, profile],
            in: scratch)
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(outcome.lines.count == 1)
        #expect(
            outcome.errors.contains("the disk is full except for the space reserved to complete the files"))
        let session = try scratch.session(in: "out")
        #expect(session.outcome == .storageFailed && session.seconds > 1)
        for track in ["noisy", "quiet"] {
            let media = try session.play("cameras/\(track).mov")
            #expect(try session.frames(track).written == media.frames)
            #expect(abs(media.seconds - session.seconds) < 0.001)
        }
        #expect(abs(try session.play("audio/host.wav").seconds - session.seconds) < 0.001)
    }

    @Test("Deleting the folder during a recording is reported, and the backup is complete")
    func removed() throws {
        let scratch = try Scratch()
        let command = try RunningCommand([
            Multicam.path, "record", "--profile", try scratch.smallProfile(), "--output",
            scratch.path + "/out",
            "--backup", scratch.path + "/safe", "--duration", "30", "--json",
        ])
        let folder = try #require(try command.event(SessionEvent.Started.self).fields.folder)
        try FileManager.default.removeItem(atPath: folder)
        #expect(
            try command.event(SessionEvent.Warning.self).fields.text.contains(
                "the file was deleted during the recording"))
        command.send(SIGINT)
        let finished = try command.event(SessionEvent.Finished.self).fields
        #expect(finished.exit == 7 && finished.outcome == .storageFailed)
        #expect(command.waitForEnd() == 7)
        let session = try scratch.session(in: "safe")
        #expect(session.outcome == .finished)
        for file in ["program.mp4", "cameras/desk.mov", "audio/host.wav"] {
            #expect(abs(try session.play(file).seconds - session.seconds) < 0.001)
        }
    }

    @Test("verify without permission causes exit status 4, and unreadable files are not reported as damaged")
    func verifyPermission() throws {
        let scratch = try Scratch()
        let recorded = try Multicam.run(
            "record", "--profile", try scratch.smallProfile(), "--output", "out", "--duration", "0.5",
            in: scratch)
        let folder = try #require(recorded.lines.first)
        let binary = try Multicam.copy(in: scratch)
        let user =
            geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        let verify = user + [binary, "verify", folder]
        let bare = ["PATH": "/usr/bin:/bin"]
        #expect(chmod(folder + "/cameras/desk.mov", 0o000) == 0)
        let file = try Multicam.run(verify, environment: bare)
        #expect(file.status == 4 && file.lines.contains("unreadable: cameras/desk.mov"), "\(file.output)")
        #expect(file.errors.contains("permission denied. Ask the owner") && !file.errors.contains("--output"))
        #expect(chmod(folder + "/manifest.json", 0o000) == 0)
        expectRefusal(
            try Multicam.run(verify, environment: bare), status: 4, "permission denied. Ask the owner")
        #expect(chmod(folder + "/manifest.json", 0o644) == 0)
        // Damage takes precedence over other problems.
        try Data("other".utf8).write(to: URL(fileURLWithPath: folder + "/program.mp4"))
        #expect(try Multicam.run(verify, environment: bare).status == 1)
    }

    @Test("verify distinguishes unchanged files from a changed one by exit status and name")
    func verify() throws {
        let scratch = try Scratch()
        let profile = try scratch.smallProfile()
        let recorded = try Multicam.run(
            "record", "--profile", profile, "--output", "out", "--duration", "0.5", in: scratch)
        let folder = try #require(recorded.lines.first)
        let whole = try Multicam.run("verify", folder, in: scratch)
        #expect(whole.status == 0 && whole.errors.contains("During the recording: "))
        #expect(
            whole.lines.count == 3 && whole.lines.allSatisfy { $0.hasPrefix("unchanged since recording: ") })
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder + "/cameras/desk.mov"))
        try file.seek(toOffset: 5000)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: 5000)
        try file.write(contentsOf: [byte ^ 1])
        try file.close()
        let damaged = try Multicam.run("verify", folder, in: scratch)
        #expect(damaged.status == 1 && damaged.lines.contains("damaged: cameras/desk.mov"))
        #expect(damaged.errors.contains("cameras/desk.mov: the content differs from the recording"))
        #expect(try Multicam.run("verify", scratch.path, in: scratch).status == 1)
        try Session.edit(folder) { $0.files = [] }
        let empty = try Multicam.run("verify", folder, in: scratch)
        #expect(empty.status == 1 && empty.errors.contains("the manifest lists no files"))
    }
}
