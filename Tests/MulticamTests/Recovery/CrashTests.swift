import Foundation
import MulticamPlan
import MulticamSession
import MulticamSessionFolder
import Testing

@Suite("Recordings after a crash")
struct CrashTests {
    private static let pair = """
        cameras:
          desk: { device: "virtual:clap?phase=0", size: 320x180, rate: 30 }
          face: { device: "virtual:clap?phase=0", size: 320x180, rate: 30 }
        microphones: { host: { device: "virtual:tone" } }
        tracks: { cameras: copy, microphones: wav }
        """

    @Test("a track that had just started is reported as lost, and the recording is complete without it")
    func justBegun() async throws {
        let crashed = try await CrashedRecording(Self.pair, crashingAt: 3) { session, second in
            guard second < 2 else { return }
            do throws(SessionChangeError) {
                try session.apply([second == 1 ? .startTrack(role: "face") : .stopTrack(role: "face")])
            } catch {
                Issue.record("\(error)")
            }
        }
        let begun = try #require(try crashed.manifest.tracks.first { $0.name == "face.2" })
        try crashed.empty(begun.file)
        try crashed.setStart(of: begun.file, to: 2_950_000_000)
        let report = try crashed.recover()
        #expect(report.outcome == .recovered)
        #expect(try crashed.faults() == [])
        let manifest = try crashed.manifest
        #expect(!manifest.tracks.contains { $0.name == "face.2" })
        #expect(manifest.files?.contains { $0.file == begun.file } == false)
        let told = try #require(manifest.recovery?.tracks.first { $0.track == "face.2" })
        #expect(told.text.contains("no data for this track had been written to disk"), "\(told.text)")
        #expect(report.tracks.contains { $0.name == "face.2" && $0.text == told.text })
        #expect(try crashed.names(in: "cameras") == ["desk.mov", "face.2.mov.lost", "face.mov"])
        #expect(try crashed.recover().outcome == .whole)
    }

    @Test("every part of a track is recovered, even if another role has the name of a part")
    func takenName() async throws {
        let crashed = try await CrashedRecording(
            """
            cameras:
              cam: { device: "virtual:clap?phase=0", size: 320x180, rate: 30 }
              cam-2: { device: "virtual:clap?phase=0", size: 320x180, rate: 30 }
            microphones: { mic: { device: "virtual:tone" }, mic-2: { device: "virtual:tone" } }
            tracks: { cameras: copy, microphones: wav }
            """, crashingAt: 4,
            having: ["cameras/cam-3.mov", "cameras/cam-2-2.mov", "audio/mic-3.wav", "audio/mic-2-2.wav"]
        ) { session, second in
            if second == 1 { session.split() }
        }
        #expect(try crashed.names(in: "cameras") == ["cam-2-2.mov", "cam-2.mov", "cam-3.mov", "cam.mov"])
        let finished = try Data(contentsOf: URL(fileURLWithPath: crashed.path("cameras/cam.mov")))
        #expect(try crashed.recover().outcome == .recovered)
        #expect(try crashed.faults() == [])
        #expect(try Data(contentsOf: URL(fileURLWithPath: crashed.path("cameras/cam.mov"))) == finished)
        let manifest = try crashed.manifest
        #expect(
            manifest.tracks.map { [$0.file] + ($0.parts ?? []) } == [
                ["cameras/cam.mov", "cameras/cam-3.mov"], ["cameras/cam-2.mov", "cameras/cam-2-2.mov"],
                ["audio/mic.wav", "audio/mic-3.wav"], ["audio/mic-2.wav", "audio/mic-2-2.wav"],
            ])
        for track in manifest.tracks where track.kind == "camera" {
            let frames = try #require(track.frames)
            let expected = Int((Double(manifest.duration_ns) * 30 / 1e9).rounded())
            #expect(frames.written == expected && frames.duplicated < 30, "\(track.name): \(frames)")
        }
        #expect(manifest.files?.count == 8)
    }

    @Test("a recovered ledger counts only good frames as captured", arguments: ["copy", "encode"])
    func ledger(mode: String) async throws {
        let crashed = try await CrashedRecording(
            """
            cameras:
              desk: { device: "virtual:clap?phase=0&corrupt=0.1&drop=0.05", size: 320x180, rate: 30 }
              slow: { device: "virtual:clap?phase=0&fps=15&corrupt=0.1", size: 320x180, rate: 30 }
              fast: { device: "virtual:clap?phase=0&fps=60", size: 320x180, rate: 30 }
            microphones: { host: { device: "virtual:tone" } }
            tracks: { cameras: \(mode), microphones: wav }
            """, crashingAt: 6)
        #expect(try crashed.recover().outcome == .recovered)
        let manifest = try crashed.manifest
        let seconds = Double(manifest.duration_ns) / 1e9
        for (name, captured) in [("desk", 30 * 0.85), ("slow", 15 * 0.9), ("fast", 30)] {
            let frames = try #require(manifest.tracks.first { $0.name == name }?.frames)
            #expect(
                frames.written == frames.captured - frames.decimated + frames.duplicated + frames.slate,
                "\(name): \(frames)")
            // The tolerance covers differences between seeds and the counts that are missing for the last
            // second.
            #expect(
                abs(Double(frames.captured) / seconds - captured) < 4, "\(name): \(frames) in \(seconds) s")
        }
    }
}
