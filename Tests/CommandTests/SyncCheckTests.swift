import Foundation
import Glibc
import Testing

@Suite("sync-check on the command line")
struct SyncCheckTests {
    /// A recording of a synthetic camera and microphones; `offset` delays one microphone.
    private func recording(_ scratch: Scratch, offset: String = "0ms", seconds: String = "4.2") throws
        -> String
    {
        let profile = try scratch.file(
            "pair.yaml",
            """
            cameras:
              desk: { device: "virtual:clap?size=320x180" }
            microphones:
              host: { device: "virtual:clap" }
              guest: { device: "virtual:clap", offset: \(offset) }
            tracks: { cameras: copy, microphones: wav }
            limits: none
            """)
        let outcome = try Multicam.run(
            "record", "--profile", profile, "--duration", seconds, "--output", "out", in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(outcome.lines.first)
    }

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("An aligned recording is exit status 0 with a table, a verdict, and a matching report")
    func aligned() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        let outcome = try Multicam.run("sync-check", folder)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.lines.last == "In sync: all measured tracks are within the tolerance.")
        // Either of the two microphones may be a few microseconds ahead.
        #expect(outcome.lines.contains { $0.hasPrefix("guest  microphone  ") && $0.hasSuffix("aligned") })
        let printed = try Multicam.run("sync-check", folder, "--json").output
        let written = try String(contentsOfFile: folder + "/report/sync.json", encoding: .utf8)
        #expect(printed == written + "\n")
        #expect(try json(written)["verdict"] as? String == "aligned")
        let plot = try String(contentsOfFile: folder + "/report/sync-check.svg", encoding: .utf8)
        #expect(plot.hasPrefix("<?xml") && plot.contains("guest"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder + "/report")
        #expect(!left.contains { $0.hasSuffix(".new") })
    }

    @Test("A microphone with an offset of 30 ms causes exit status 6, and 0 with a wider tolerance")
    func apart() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch, offset: "30ms", seconds: "8.2")
        let outcome = try Multicam.run("sync-check", folder)
        #expect(outcome.status == 6, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.lines.last == "Out of sync: guest exceeds the tolerance.")
        #expect(try Multicam.run("sync-check", folder, "--tolerance-sound", "40ms").status == 0)
    }

    @Test("If the report can't be written, the exit status is 7 and the results are still printed")
    func unwritable() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch)
        try FileManager.default.removeItem(atPath: folder + "/report")
        _ = try Data().write(to: URL(fileURLWithPath: folder + "/report"))
        let outcome = try Multicam.run("sync-check", folder)
        #expect(outcome.status == 7)
        #expect(outcome.lines.last == "In sync: all measured tracks are within the tolerance.")
        #expect(outcome.errors.contains("Can't write the report"))
    }

    @Test("A pipe, a folder, or a missing file is rejected immediately with its name and the cause")
    func otherThings() throws {
        let scratch = try Scratch()
        let folder = try recording(scratch, seconds: "2.2")
        func refuse(_ file: String, _ expected: String, put: (String) throws -> Void) throws {
            let path = folder + "/" + file
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            try put(path)
            expectRefusal(try Multicam.run("sync-check", folder), status: 1, expected)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        }
        for file in ["cameras/desk.mov", "audio/host.wav", "manifest.json"] {
            try refuse(file, "\(file)") { #expect(mkfifo($0, 0o644) == 0) }
            try refuse(file, "expected a regular file") { #expect(mkfifo($0, 0o644) == 0) }
            try refuse(file, "found a folder") { #expect(mkdir($0, 0o755) == 0) }
            try refuse(file, "the file is empty") { try Data().write(to: URL(fileURLWithPath: $0)) }
        }
        let manifest = folder + "/manifest.json"
        let text = try String(contentsOfFile: manifest, encoding: .utf8)
        let newer = text.replacing("\"schema\" : 1,", with: "\"schema\" : 2,")
        #expect(newer != text)
        try refuse("manifest.json", "another version of multicam (schema 2)") {
            try newer.write(toFile: $0, atomically: false, encoding: .utf8)
        }
        expectRefusal(try Multicam.run("sync-check", ""), status: 2, "FOLDER is empty")
    }

    @Test("A folder without a recording is rejected with one sentence")
    func refusals() throws {
        let scratch = try Scratch()
        expectRefusal(try Multicam.run("sync-check", scratch.path), status: 1, "no manifest.json")
        expectRefusal(try Multicam.run("sync-check", "/nonexistent"), status: 1, "folder not found")
        _ = try scratch.file("manifest.json", "[]")
        expectRefusal(
            try Multicam.run("sync-check", scratch.path), status: 1,
            "damaged or was written by another version")
        expectRefusal(try Multicam.run("sync-check"), status: 2, "FOLDER is missing")
        expectRefusal(
            try Multicam.run("sync-check", scratch.path, "--tolerance-sound", "x"), status: 2, "such as 5ms")
        expectRefusal(
            try Multicam.run("sync-check", scratch.path, "--tolerance-picture", "-1"), status: 2,
            "greater than 0")
    }
}
