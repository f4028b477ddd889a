import Foundation
import Glibc
import MulticamSessionFolder
import Testing

@Suite("session folders from another source")
struct ForeignFolderTests {
    private static let secret = "canary"

    /// A finished recording of one second, next to a file that must stay unchanged.
    private func recording(_ scratch: Scratch, named name: String = "talk") throws -> String {
        let outcome = try Multicam.run(
            "record", "--profile", try scratch.smallProfile(), "--duration", "1", "--output", "out", "--name",
            name,
            in: scratch)
        try #require(outcome.status == 0, "\(outcome.errors)")
        _ = try scratch.file("canary", Self.secret)
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/home", withIntermediateDirectories: true)
        return try #require(outcome.lines.first)
    }

    private func replace(_ path: String, withLinkTo target: String) throws {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        #expect(symlink(target, path) == 0)
    }

    private func expectUntouched(_ scratch: Scratch, _ comment: Comment) throws {
        #expect(
            try String(contentsOfFile: scratch.path + "/canary", encoding: .utf8) == Self.secret, comment)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/home").isEmpty, comment)
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: scratch.path))
                == ["canary", "home", "out", "small.yaml"], comment)
    }

    @Test(
        "Links instead of drafts, files, and folders never lead a command out of the session folder",
        arguments: [
            (place: "edit/session.edl.new", target: "canary", words: ["export", "--to", "edl"]),
            ("edit/cut.json.new", "made", ["export", "--to", "edl"]),
            ("edit", "home", ["export", "--to", "edl"]),
            ("edit/podcast.m4a", "canary", ["export", "--to", "podcast"]),
            ("report/contact.html.new", "canary", ["export", "--to", "all"]),
            ("edit/render-1.mp4", "made", ["render"]), ("edit", "home", ["render"]),
            ("edit/proxies", "home", ["render", "--proxies"]),
            ("report/sync.json.new", "canary", ["sync-check"]), ("report", "home", ["sync-check"]),
            ("cameras/desk.mov", "canary", ["sync-check"]), ("cameras/desk.mov", "canary", ["verify"]),
            ("manifest.json.new", "canary", ["recover"]), ("events.ndjson", "canary", ["recover"]),
            ("cameras/desk.mov", "canary", ["recover"]), ("cameras", "home", ["recover"]),
            ("report", "home", ["recover"]),
        ] as [(place: String, target: String, words: [String])])
    func links(place: String, target: String, words: [String]) throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        if words[0] == "recover" {
            // Simulates a crash, so that a recovery writes the manifest, an event, and the report.
            try Session.edit(folder) { $0.outcome = .recording }
        }
        try replace("\(folder)/\(place)", withLinkTo: "\(scratch.path)/\(target)")
        let outcome = try Multicam.run([Multicam.path, words[0], folder] + words.dropFirst())
        #expect([0, 1, 4, 7].contains(outcome.status), "\(outcome.errors)")
        try expectUntouched(scratch, "\(place) -> \(target), \(words): \(outcome.errors)")
    }

    @Test("The message names the file, identifies it as a link, and suggests a fix")
    func message() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        try replace(folder + "/edit", withLinkTo: scratch.path + "/home")
        let outcome = try Multicam.run("export", folder, "--to", "edl")
        #expect(outcome.status == 7 || outcome.status == 1, "\(outcome.status)")
        #expect(
            outcome.errors.contains("talk/edit") && outcome.errors.contains("symbolic link"),
            "\(outcome.errors)")
    }

    @Test(
        "A FIFO instead of a media file is reported without blocking",
        arguments: [["export", "--to", "all"], ["render"], ["sync-check"], ["verify"], ["recover"]])
    func fifo(words: [String]) throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        for file in ["audio/host.wav", "cameras/desk.mov", "program.mp4"] {
            unlink("\(folder)/\(file)")
            #expect(mkfifo("\(folder)/\(file)", 0o600) == 0)
        }
        let outcome = try Multicam.run([Multicam.path, words[0], folder] + words.dropFirst())
        #expect(outcome.status == 1, "\(outcome.errors)")
    }

    @Test("A manifest that states a duration of a year doesn't keep a command busy for long")
    func year() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        let year: Int64 = 365 * 86_400 * 1_000_000_000
        try Session.edit(folder) { manifest in
            manifest.duration_ns = year
            for index in manifest.tracks.indices { manifest.tracks[index].duration_ns = year }
        }
        for words in [["export", "--to", "podcast"], ["render"]] {
            let outcome = try Multicam.run([Multicam.path, words[0], folder] + words.dropFirst())
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("but the files end after 1 s"), "\(outcome.errors)")
        }
    }

    @Test(
        "Recovering a file by its path rejects a file of another recording behind a linked folder"
    )
    func fileOfAnother() throws {
        let scratch = try Scratch()
        let (folder, other) = (try recording(scratch), try recording(scratch, named: "other"))
        let file = other + "/cameras/desk.mov"
        // The file is truncated, as by a crash.
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
        #expect(truncate(file, size - 100) == 0)
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        try replace(folder + "/cameras", withLinkTo: other + "/cameras")
        expectRefusal(try Multicam.run("recover", folder + "/cameras/desk.mov"), status: 1, "symbolic link")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }

    @Test("A job ends when its parent process has ended")
    func parent() throws {
        // When the studio is killed, its job has a pipe that nobody reads from.
        let outcome = try Multicam.run(
            ["/bin/sh", "-c", "exec env MULTICAM_JOB=1 \"$0\" devices --watch < /dev/null", Multicam.path])
        // SIGTERM has its default action until the command handles it.
        #expect([0, 130, 143, -SIGTERM].contains(outcome.status), "\(outcome.errors)")
    }
}
