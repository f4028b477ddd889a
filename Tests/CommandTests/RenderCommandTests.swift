import Foundation
import Glibc
import MulticamProfiles
import Testing

@Suite("render on the command line")
struct RenderCommandTests {
    private func recording(_ scratch: Scratch, seconds: String = "1") throws -> String {
        let profile = try scratch.file(
            "pair.yaml",
            """
            cameras:
              desk: { device: "virtual:clap?size=320x180" }
              face: { device: "virtual:bars?size=320x180" }
            microphones: { host: { device: "virtual:clap" } }
            program: { size: 320x180, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
            tracks: { cameras: copy, microphones: wav }
            limits: none
            """)
        let outcome = try Multicam.run(
            "record", "--profile", profile, "--duration", seconds, "--output", "out", in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(outcome.lines.first)
    }

    @Test("prints the path of a complete file, with a new name for each run")
    func paths() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        for number in 1...2 {
            let outcome = try Multicam.run("render", folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.lines == ["\(folder)/edit/render-\(number).mp4"])
            let path = try #require(outcome.lines.first)
            #expect(try Scratch.seconds(path) == 1)
        }
        let other = scratch.path + "/other.mp4"
        let outcome = try Multicam.run(
            "render", folder, "--layout", "side-by-side", "--size", "180x320", "--from", "0.5", "-o", other)
        #expect(outcome.status == 0 && outcome.lines == [other], "\(outcome.errors)")
        #expect(try Scratch.seconds(other) == 0.5)
        let again = try Multicam.run("render", folder, "-o", other)
        #expect(again.status == 2 && again.errors.contains("already exists"))
    }

    @Test(
        "invalid options are a usage error that states the expected value",
        arguments: [
            (words: ["--size", "1x1"], expected: "two even numbers"),
            (["--size", "321x180"], "two even numbers"),
            (["--loudness", "nan"], "from -40 to -5"), (["--loudness", "3"], "from -40 to -5"),
            (["--from", "2", "--to", "1"], "later end time"),
            (["--from", "99"], "the recording ends at 1 s"),
            (["--layout", "heap"], ProgramLayout.names.joined(separator: ", ")),
            (["--cut", "nothing.json"], "nothing.json"),
            (["--layout", "grid", "--profile", "pip"], "can't be combined"),
            (["--profile", "tracks"], "the profile has no program"), (["--from", "-1"], "expected a time"),
            (["--framing", "everyone"], "one of people, speaker"), (["--framing", "off"], "one of people"),
            (["--enlargement", "2"], "requires `--framing`"),
            (["--framing", "people", "--enlargement", "9"], "a number from 1 to 4"),
        ] as [(words: [String], expected: String)])
    func nonsense(words: [String], expected: String) throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        let outcome = try Multicam.run([Multicam.path, "render", folder] + words)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains(expected), "\(outcome.errors)")
    }

    @Test("automatic framing searches the tracks once, and renders the requested size")
    func framing() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        for number in 1...2 {
            let outcome = try Multicam.run("render", folder, "--framing", "speaker", "--size", "180x320")
            #expect(
                outcome.status == 0 && outcome.lines == ["\(folder)/edit/render-\(number).mp4"],
                "\(outcome.errors)")
        }
        let files = try (1...2).map { try Data(contentsOf: URL(filePath: "\(folder)/edit/render-\($0).mp4")) }
        #expect(files[0] == files[1])
        #expect(FileManager.default.fileExists(atPath: folder + "/edit/vision.ndjson"))
    }

    @Test("automatic framing requires camera tracks and the program for frame analysis")
    func framingImpossible() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        let alone = try Multicam.run([
            try Multicam.copy(in: scratch), "render", folder, "--framing", "people",
        ])
        #expect(
            alone.status == 1 && alone.errors.contains("multicam-vision isn't installed"), "\(alone.errors)")
        #expect(alone.errors.split(separator: "\n").count == 1)
        for file in ["desk", "face"] { unlink("\(folder)/cameras/\(file).mov") }
        let outcome = try Multicam.run("render", folder, "--framing", "people")
        #expect(outcome.status == 2 && outcome.errors.contains("has no camera tracks"), "\(outcome.errors)")
    }

    @Test("a cut by voice requires a camera per microphone, and the error explains how to specify it")
    func voice() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        let asked = try Multicam.run("render", folder, "--cut", "voice")
        #expect(asked.status == 2 && asked.output.isEmpty)
        #expect(
            asked.errors.contains("no camera is assigned to microphone host. Specify `--speaker host=desk`"),
            "\(asked.errors)")
        let told = try Multicam.run(
            "render", folder, "--cut", "voice", "--speaker", "host=face", "--min-shot", "500ms")
        #expect(told.status == 0 && told.lines == ["\(folder)/edit/render-1.mp4"], "\(told.errors)")
        #expect(try Scratch.seconds("\(folder)/edit/render-1.mp4") == 1)
    }

    @Test("an invalid cut file is rejected with one sentence, and nothing is written")
    func rubbish() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        let shot = #"{ "from_ns": 0, "to_ns": 1000000000, "show": ["desk"], "layout": "single" }"#
        let texts = [
            "", "\0\u{1B}[2J", "[]", "{}", #"{ "schema": 1, "rate": 30, "shots": null }"#,
            #"{ "schema": 1, "rate": 30, "shots": [\#(shot), \#(shot)] }"#,
            #"{ "schema": 9, "rate": 30, "shots": [\#(shot)] }"#,
            #"{ "schema": 1, "rate": 30, "shots": [\#(shot)"#,
            #"{ "schema": 1, "rate": 30, "shots": [\#(shot.replacing("desk", with: "wide"))] }"#,
            #"{ "schema": 1, "rate": 30, "shots": [\#(shot.replacing("1000000000", with: "1e300"))] }"#,
        ]
        for text in texts {
            let file = try scratch.file("my.json", text)
            let outcome = try Multicam.run("render", folder, "--cut", file)
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(text): \(outcome.errors)")
            #expect(outcome.errors.contains("my.json: "), "\(outcome.errors)")
            #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder + "/edit"))
        let own = try scratch.file("my.json", #"{ "schema": 1, "rate": 30, "shots": [\#(shot)] }"#)
        #expect(try Multicam.run("render", folder, "--cut", own).status == 0)
    }

    @Test("a missing folder, an interrupted recording, and one without files are rejected with a remedy")
    func refused() throws {
        let scratch = try Scratch()
        #expect(try Multicam.run("render", scratch.path).status == 1)
        let folder = try recording(scratch)
        for file in ["program.mp4", "cameras/desk.mov", "cameras/face.mov", "audio/host.wav"] {
            unlink("\(folder)/\(file)")
        }
        let outcome = try Multicam.run("render", folder)
        #expect(outcome.status == 1 && outcome.output.isEmpty && !outcome.errors.isEmpty)
    }

    @Test("without permission or space to write, the error explains it, and nothing is left behind")
    func unwritable() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        let full = try Multicam.run("render", folder, "-o", "/dev/full/x.mp4")
        #expect(full.status == 2 || full.status == 7, "\(full.errors)")
        let missing = try Multicam.run("render", folder, "-o", "\(folder)/nowhere/x.mp4")
        #expect(missing.status == 7 && missing.errors.contains("no such file or folder"))
        #expect(!FileManager.default.fileExists(atPath: folder + "/nowhere"))
        try FileManager.default.createDirectory(atPath: folder + "/edit", withIntermediateDirectories: true)
        chmod(folder + "/edit", 0o555)
        let user =
            geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        let outcome = try Multicam.run(user + [try Multicam.copy(in: scratch), "render", folder])
        #expect(
            outcome.status == 4 && outcome.errors.contains("permission denied. Choose"), "\(outcome.errors)")
    }
}

extension Scratch {
    /// Returns the duration of a file in seconds, as reported by ffprobe.
    fileprivate static func seconds(_ path: String) throws -> Double? {
        let outcome = try Multicam.run([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=duration", "-of",
            "csv=p=0", path,
        ])
        return Double(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
