import Foundation
import MulticamInterchange
import MulticamMedia
import MulticamRendering
import MulticamSessionFolder
import MulticamSystem
import Testing

@Suite("Faces in recorded tracks")
struct VisionAnalysisTests {
    private func record() async throws -> Recording {
        try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap", size: 320x180, rate: 30 }
              side: { device: "virtual:bars?mount=90", size: 320x180, rate: 30, rotation: 90 }
            tracks: { cameras: copy }
            """, seconds: 2)
    }

    private func lines(_ recording: Recording) throws -> [String] {
        try String(contentsOfFile: recording.path(VisionAnalysis.file), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    @Test("five frames per second of each camera are searched, and the results are the same on each run")
    func repeatable() async throws {
        let recording = try await record()
        let session = try RecordedSession(folder: recording.folder)
        let program = try #require(ProgramPath.sibling("multicam-vision"))
        let analysis = VisionAnalysis(of: session, in: recording.folder, program: program)
        let found = try analysis.run(["desk", "side"])
        #expect(found.faults.isEmpty)
        for role in ["desk", "side"] {
            #expect(found.frames[role]?.map(\.at_ns) == (0..<10).map { Int64($0) * 200_000_000 })
        }
        let first = try lines(recording)
        #expect(first.count == 22)
        // A program that fails shows that the stored results are used.
        let stored = try VisionAnalysis(of: session, in: recording.folder, program: "/bin/false")
            .run(["desk", "side"])
        #expect(stored.frames == found.frames)
        try FileManager.default.removeItem(atPath: recording.path(VisionAnalysis.file))
        _ = try analysis.run(["desk"])
        _ = try analysis.run(["side"])
        #expect(try lines(recording) == first)
    }

    @Test("results aren't used for other files, and invalid results are replaced")
    func validity() async throws {
        let recording = try await record()
        let session = try RecordedSession(folder: recording.folder)
        let program = try #require(ProgramPath.sibling("multicam-vision"))
        let analysis = VisionAnalysis(of: session, in: recording.folder, program: program)
        _ = try analysis.run(["desk", "side"])
        let first = try lines(recording)
        for text in [
            "", "\0\u{1B}[2J\n", first[0] + "\n{\"at_ns\":5,\"faces\":[{}]}\n",
            first[0] + "\n{\"at_ns\":5,\"faces\":[]}\n{\"at_ns\":4,\"faces\":[]}\n",
            first[0] + "\n{\"at_ns\":\(Int64.max),\"faces\":[]}\n",
            first.joined(separator: "\n").replacing("\"bytes\":", with: "\"bytes\":1"),
        ] {
            try text.write(toFile: recording.path(VisionAnalysis.file), atomically: true, encoding: .utf8)
            _ = try analysis.run(["desk", "side"])
            #expect(try lines(recording) == first, "\(text)")
        }
        try FileManager.default.removeItem(atPath: recording.path("cameras/desk.mov"))
        try FileManager.default.copyItem(
            atPath: recording.path("cameras/side.mov"), toPath: recording.path("cameras/desk.mov"))
        _ = try analysis.run(["desk"])
        #expect(try lines(recording)[0] != first[0])
    }

    @Test("a missing program, and one that fails, are reported with the program's name")
    func failures() async throws {
        let recording = try await record()
        let session = try RecordedSession(folder: recording.folder)
        for (program, words) in [
            ("/nowhere/multicam-vision", "isn't installed at /nowhere"), ("/bin/false", "multicam-vision"),
        ] {
            let error = #expect(throws: RenderError.self) {
                _ = try VisionAnalysis(of: session, in: recording.folder, program: program).run(["desk"])
            }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
        #expect(!FileManager.default.fileExists(atPath: recording.path(VisionAnalysis.file)))
    }
}
