import Foundation
import Glibc
import Testing

@Suite("Where recordings go", .serialized)
struct StorageTests {
    @Test("A file in place of a folder is a storage failure", arguments: ["file", "file/below"])
    func file(_ output: String) throws {
        let scratch = try Scratch()
        _ = try scratch.file("file", "")
        let outcome = try Multicam.run(
            "record", "--profile", scratch.smallProfile(), "--output", output, in: scratch)
        expectRefusal(outcome, status: 7, "is a file, not a folder")
    }

    @Test("A folder without permission is exit status 4; an ordinary user without a home records elsewhere")
    func permission() throws {
        let scratch = try Scratch()
        // Where a user who is not us can start it.
        let binary = scratch.path + "/multicam"
        try FileManager.default.copyItem(atPath: Multicam.path, toPath: binary)
        let profile = try scratch.smallProfile()
        let locked = scratch.path + "/locked"
        let open = scratch.path + "/open"
        #expect(mkdir(locked, 0o755) == 0 && chmod(locked, 0o555) == 0)
        #expect(mkdir(open, 0o777) == 0 && chmod(open, 0o777) == 0)
        let user =
            geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        let record = user + [binary, "record", "--profile", profile, "--duration", "0.2", "--output"]
        let bare = ["PATH": "/usr/bin:/bin"]
        expectRefusal(try Multicam.run(record + [locked], environment: bare), status: 4, "no permission")
        let outcome = try Multicam.run(record + [open], environment: bare)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try scratch.session(in: "open").outcome == "finished")
    }

    /// A disk of our own needs a namespace of our own, which not every machine grants.
    static let hasOwnDisks: Bool = {
        do {
            return try Multicam.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status == 0
        } catch {
            return false
        }
    }()

    @Test(
        "A full disk ends in exit status 7; what was recorded plays and the manifest says so",
        .enabled(if: hasOwnDisks))
    func fullDisk() throws {
        let scratch = try Scratch()
        let profile = try scratch.file(
            "noisy.yaml",
            """
            cameras:
              noisy: { device: "virtual:noise?size=640x360" }
              quiet: { device: "virtual:clap?size=320x180" }
            """)
        // The disk goes with its namespace: what is on it is copied out first.
        let script = """
            mount -t tmpfs -o size=4m tmpfs "$1" && mkdir out
            "$2" record --profile "$3" --output "$1" --duration 20; status=$?
            cp -r "$1"/* out; exit $status
            """
        #expect(mkdir(scratch.path + "/disk", 0o755) == 0)
        let outcome = try Multicam.run(
            ["unshare", "-rm", "sh", "-c", script, "sh", scratch.path + "/disk", Multicam.path, profile],
            in: scratch)
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(outcome.lines.count == 1)
        #expect(outcome.errors.contains("the disk is full"))
        let session = try scratch.session(in: "out")
        #expect(session.outcome == "storage-failed")
        for track in ["noisy", "quiet"] {
            let pictures = try session.play("cameras/\(track).mov").pictures
            #expect(pictures > 0)
            #expect(try session.frames(track)["written"] as? Int == pictures)
        }
        #expect((try session.frames("noisy")["lost"] as? [String: Int])?["disk"] ?? 0 > 0)
    }
}
